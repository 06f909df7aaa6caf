"""Spend once: read, draw the noise that may leave, write ledger and files, and only then show."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TypeVar

from dpcore.datasets.engine import EngineDataset
from dpcore.datasets.files import warn_empty
from dpcore.errors import BadInput, Infeasible
from dpcore.kmeans.stages import listening
from dpcore.privacy.release_noise import ReleaseNoise
from dpcore.privacy.transcript import Transcript
from dpcore.release import bundle, charging, output, signature
from dpcore.release.data_package import data_package
from dpcore.release.ledger import Actors, Entry, Ledger
from dpcore.release.note import ReleaseNote
from dpcore.release.plan import ReleasePlan
from dpcore.release.published_files import PublishedFiles
from dpcore.results.run_result import ReleasedResult, UnchargedResult
from dpcore.runs.run import run_request

T = TypeVar("T")
#: Seconds between two looks at how far the rows are read.
NEWS = 0.2
#: What is done before any noise is drawn: `progress` may raise then, and nothing is charged.
LOOKING, COUNTING = "looking at the ledger", "counting the rows"
#: Told once where no row counts, for the owner of the rows only: to refuse would tell everybody.
NO_ROWS = "no row counts"
#: What an interruption costs while rows are read.
UNUSED = "Nothing had been drawn yet, so no budget is used."


@dataclass(frozen=True)
class Progress:
    """The step that is being done, and the part of it that is done, from 0 to 1.

    Parameters
    ----------
    doing : str
        The work at hand.
    part : float
        How much of it is done, from 0 to 1.

    Examples
    --------
    >>> from dpcore.release import Progress
    >>> Progress("counting the rows", 0.5).part
    0.5
    """

    doing: str
    part: float


@dataclass(frozen=True, kw_only=True)
class Release(PublishedFiles):
    """A release that is in the ledger: its entry, and the files that may leave, by name.

    Parameters
    ----------
    entry : Entry
        The line of the ledger.
    files : mapping of str to bytes
        The files, by name.

    Examples
    --------
    >>> from dpcore import Request
    >>> from dpcore.release import BuiltinData, Ledger, ReleasePlan, publish
    >>> plan = ReleasePlan("flowers", BuiltinData("s1-like"), Request("dplloyd", k=2, epsilon=0.5))
    >>> release = publish(plan, Ledger("books"))
    >>> release.save("published")
    """

    entry: Entry

    def data_package(self) -> str:
        """A Frictionless description of the files, to be saved beside them as
        datapackage.json."""
        return data_package(self.files)

    def save(self, folder: str | Path) -> None:
        """Write the files into a new folder, which appears whole or not at all."""
        output.write(Path(folder), self.files)


class Unanswered(Infeasible):
    """The run began to ask and ended without an answer: what it asked is spent, as `entry` says.

    Parameters
    ----------
    entry : Entry
        The line of the ledger that charges the run.

    Examples
    --------
    >>> import dpcore
    >>> from dpcore.release import Unanswered
    >>> issubclass(Unanswered, dpcore.Infeasible)
    True
    """

    def __init__(self, entry: Entry):
        super().__init__(f"{entry.failure} {spent(entry)}")
        self.entry = entry


class ChangedData(BadInput):
    """Files that were replaced or written to while they were read."""

    def __init__(self) -> None:
        super().__init__(
            "The files were changed while they were read. Try again with files at rest."
        )


def spent(entry: Entry) -> str:
    """The cost of a run without an answer, in a sentence."""
    return f"The run had begun to ask when it ended, so {entry.charged} is used."


def publish(
    plan: ReleasePlan,
    ledger: Ledger,
    progress: Callable[[Progress], None] | None = None,
    actors: Actors | None = None,
    note: ReleaseNote | None = None,
) -> Release:
    """Make the release that a plan describes, charge the ledger, and return what may be shown.

    The ledger, and no published file, says who asked for it, who approved it, and why.

    If no row lies in the box, `progress` is called with NO_ROWS, or else a NoRowsWarning says so.

    Raises ReleaseRefused, with nothing spent, when the account cannot pay, counts other rows, or
    the same data have another name. A run that has drawn noise is charged however it ends (see
    `dpcore.release.charging`): what ends by itself raises Unanswered; what was interrupted raises
    the interruption, with a note of what is spent.

    Parameters
    ----------
    plan : ReleasePlan
        What to publish.
    ledger : Ledger
        What to charge.
    progress : callable or None, default=None
        Called with a `Progress` as the work goes on. What it raises before the noise ends the
        release, and with it the reading of rows, and costs nothing.
    actors : Actors or None, default=None
        Who asked for it and who approved it.
    note : ReleaseNote or None, default=None
        Who made it and why, in words.

    Returns
    -------
    Release
        The entry of the ledger and the files that may be published.

    Raises
    ------
    ReleaseRefused
        If the release may not be made; nothing is spent.
    Unanswered
        If the run ended without an answer after it drew noise; `entry` says what it cost.

    Examples
    --------
    >>> from dpcore import Request
    >>> from dpcore.release import BuiltinData, Ledger, ReleasePlan, publish
    >>> plan = ReleasePlan("flowers", BuiltinData("s1-like"), Request("dplloyd", k=2, epsilon=0.5))
    >>> ledger = Ledger("books")
    >>> release = publish(plan, ledger)
    >>> print(ledger.account("flowers").left)
    ε 0.5
    """
    tell = progress or (lambda _: None)
    tell(Progress(LOOKING, 0.0))
    signer = signature.signer(ledger.folder)
    state = plan.data.state()
    claim = plan.claim(plan.data.fingerprints(ledger.key))
    ledger.check(claim)
    # Taken before anything private is read: how long the rest takes depends on the data.
    time = datetime.now(UTC).isoformat(timespec="seconds")
    data = _read(plan, partial(plan.data.open, plan.unit), tell)
    fingerprint = partial(plan.data.fingerprint_of_rows, ledger.key, data, plan.unit)
    claim = replace(claim, rows=_read(plan, fingerprint, tell))
    if plan.data.state() != state:
        raise ChangedData()
    ledger.check(claim)
    if claim.rows is None:
        if progress is None:
            warn_empty(f"No row lies in the box, {plan.data.box.words()}. Its release is noise.")
        tell(Progress(NO_ROWS, 1.0))
    noise = ReleaseNoise(lambda done, of: tell(Progress("drawing noise", done / of)))
    transcripts: list[Transcript] = []
    words = (note or ReleaseNote()).beside(plan.as_dict())
    record = partial(ledger.record, purpose=plan.purpose, time=time, plan=words, actors=actors)
    keeping = Keeping()
    try:
        with listening(lambda doing, part: tell(Progress(doing, part))):
            result = run_request(
                plan.row_request,
                data,
                thresholds=plan.row_thresholds,
                noise=noise,
                progress=lambda part: tell(Progress("using the budget", part)),
                booking=transcripts.append,
            )
        if not isinstance(result, UnchargedResult):
            raise TypeError(f"{type(result).__name__} is not for release.")
        tell(Progress("writing the files", 0.0))
        released = ReleasedResult.of(result, claim)
        contents = bundle.bundle(plan, released, time)
        seal = partial(bundle.sealed, plan, released, time, contents, signer=signer)
        if isinstance(data, EngineDataset) and plan.data.state() != state:
            raise ChangedData()
        entry = keeping.keep(partial(record, claim, files=seal))
    except BaseException as error:
        if outcome := keeping.outcome():
            error.add_note(f"Release {outcome.number} was made, and is in the ledger.")
            raise
        if keeping.failure is not None or not noise.has_answered:
            raise
        price = charging.charge(error, transcripts[0], plan.unit, plan.price)
        if isinstance(error, ChangedData):
            price = plan.price
        unpaid = replace(claim, price=price)
        entry = Keeping().keep(partial(record, unpaid, files={}, failure=_reason(error)))
        if isinstance(error, Exception):
            raise Unanswered(entry) from error
        error.add_note(spent(entry))
        raise
    return reopened(ledger, entry.number)


def _reason(error: BaseException) -> str:
    """The reason why a run has no answer, as the ledger keeps it: never what an error says of
    rows."""
    if not isinstance(error, Exception):
        return f"It was stopped ({type(error).__name__})."
    is_ours = isinstance(error, Infeasible | ChangedData)
    return str(error) if is_ours else type(error).__name__


def reopened(ledger: Ledger, number: int) -> Release:
    """A release that was made before, to show it or download it again, for free.

    Parameters
    ----------
    ledger : Ledger
        The ledger that has the release.
    number : int
        The number of the release.

    Returns
    -------
    Release

    Raises
    ------
    ValueError
        If the ledger has no such release.

    Examples
    --------
    >>> from dpcore import Request
    >>> from dpcore.release import BuiltinData, Ledger, ReleasePlan, publish, reopened
    >>> plan = ReleasePlan("flowers", BuiltinData("s1-like"), Request("dplloyd", k=2, epsilon=0.5))
    >>> release = publish(plan, Ledger("books"))
    >>> reopened(Ledger("books"), 1) == release
    True
    """
    return Release(entry=ledger.entry(number), files=ledger.files(number))


def _read(plan: ReleasePlan, question: Callable[[], T], tell: Callable[[Progress], None]) -> T:
    """The answer to a question about the rows, before any noise. While it is worked out, `tell`
    gets the progress; an interruption, or what `tell` raises, ends the reading."""
    with ThreadPoolExecutor(1) as elsewhere:
        answer = elsewhere.submit(question)
        try:
            while True:
                tell(Progress(COUNTING, plan.data.progress))
                if wait([answer], NEWS).done:
                    return answer.result()
        except BaseException as error:
            while not wait([answer], NEWS).done:
                plan.data.stop()
            if not isinstance(error, Exception):
                error.add_note(UNUSED)
            raise


class Keeping:
    """One entry into the ledger, in a thread of its own, where no Ctrl-C can cut it in two."""

    def __init__(self) -> None:
        self.failure: Exception | None = None
        self._entry: Entry | None = None
        self._lock, self._over = threading.Lock(), False

    def keep(self, record: Callable[[], Entry]) -> Entry:
        """Make the entry; an interruption is raised once it is made, or is known not to be."""
        thread = threading.Thread(target=self._work, args=(record,))
        try:
            thread.start()
            thread.join()
        finally:
            entry = self.outcome()
        if self.failure is not None:
            raise self.failure
        assert entry is not None
        return entry

    def outcome(self) -> Entry | None:
        """The entry, if it was made; from now on it is not made anymore."""
        while True:
            try:
                with self._lock:
                    self._over = True
                    return self._entry
            except KeyboardInterrupt:
                continue

    def _work(self, record: Callable[[], Entry]) -> None:
        with self._lock:
            if self._over:
                return
            try:
                self._entry = record()
            except Exception as failure:
                self.failure = failure
