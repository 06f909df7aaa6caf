"""The audit: attacks that try to break every privacy claim, and report how close they came.

Three attacks. *Search*: an algorithm runs many times on two neighboring data sets, and the event
that tells them apart best bounds epsilon from below. *Replay*: a run is made again on the neighbor
with the same noisy answers; whatever differs got out without noise, and what the answers cost is
added up by the law of their noise. *Walk*: on tiny data every outcome of a selection mechanism is
computed. A claim that survives is not thereby proved; one that does not is refuted.

How long a run takes is not looked at.
"""

from dpcore.audit.attack import AuditFinding, attack
from dpcore.audit.campaign import Findings, Walked, attacks, findings, walks
from dpcore.audit.cases import Case, cases_of, table
from dpcore.audit.epsilon_bound import Evidence
from dpcore.audit.pairs import Pair

__all__ = [
    "AuditFinding",
    "Case",
    "Evidence",
    "Findings",
    "Pair",
    "Walked",
    "attack",
    "attacks",
    "cases_of",
    "findings",
    "table",
    "walks",
]
