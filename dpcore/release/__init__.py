"""Publishing once: a plan, a ledger that is charged, files that leave, a certificate."""

from dpcore.release.amounts import Amount
from dpcore.release.array_source import ArrayData
from dpcore.release.finding import Finding
from dpcore.release.ledger import Account, Actors, Entry, Ledger, ReleaseRefused
from dpcore.release.leveled_source import LeveledFileData
from dpcore.release.note import Note
from dpcore.release.opening import opened
from dpcore.release.outside_charge import record_outside_charge
from dpcore.release.plan import RELEASE, TWIN, ReleasePlan
from dpcore.release.publication import Publication
from dpcore.release.publish import Progress, Release, Unanswered, publish, reopened
from dpcore.release.published_files import PublishedFiles
from dpcore.release.series import Series
from dpcore.release.sources import BuiltinData, DataSource, FileData
from dpcore.release.twin import twin_of, twin_plan
from dpcore.release.unit import Unit
from dpcore.release.verify import verify

__all__ = [
    "RELEASE",
    "TWIN",
    "Account",
    "Actors",
    "Amount",
    "ArrayData",
    "BuiltinData",
    "DataSource",
    "Entry",
    "FileData",
    "Finding",
    "Ledger",
    "LeveledFileData",
    "Note",
    "Progress",
    "Publication",
    "PublishedFiles",
    "Release",
    "ReleasePlan",
    "ReleaseRefused",
    "Series",
    "Unanswered",
    "Unit",
    "opened",
    "publish",
    "record_outside_charge",
    "reopened",
    "twin_of",
    "twin_plan",
    "verify",
]
