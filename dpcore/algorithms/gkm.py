"""Sample and aggregate: k-means in blocks, averaged (Su et al. 2016, section 4.1.2; GUPT)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from dpcore.algorithms.base import Algorithm, AuditHints, Parameter, Room, register
from dpcore.geometry.domain import FloatArray, IntArray
from dpcore.kmeans.blocks import Blocks, consecutive_blocks
from dpcore.privacy.accounting import Neighbors, Verdict
from dpcore.privacy.losses import Pure, Selection
from dpcore.queries.curator import Curator
from dpcore.queries.questions import BlockCenters
from dpcore.queries.scores import Quantile
from dpcore.results.run_result import Outcome
from dpcore.results.steps import CentersNote, RangeNote

#: Slabs between whose edges a quartile is chosen: to within 1/65,536 of the box.
MAX_SLABS = 1 << 16
QUARTILES = (Fraction(1, 4), Fraction(3, 4))

#: Works that both versions come from beside the paper.
SOURCES = ("mohan2012", "nissim2007")
#: Settings in which the audit looks at both versions.
ROOMS = (
    Room(32, 2, pair="number of blocks"),
    Room(32, 1, settings={"exponent": 0.81}, pair="shifted slices"),
)
EXPONENT = Parameter("exponent", "There are n to this power blocks.", 0.4, 0.0, 0.9)
ROWS_PER_CENTER = Parameter(
    "rows_per_center", "Rows in a block for each of the k centers.", 3.0, 1.0, 1000.0
)


def quartiles(
    curator: Curator, epsilon: float, kind: type[Quantile] = Quantile
) -> tuple[FloatArray, FloatArray]:
    """A lower and an upper quartile of each coordinate, every one for epsilon/(2d).

    Crossed ones are swapped; equal ones are moved one slab apart.
    """
    d, slabs = curator.d, min(curator.resolution, MAX_SLABS)
    loss = Selection(epsilon / (2 * d))
    lines = [
        [
            curator.select(kind(axis, share, slabs), loss, f"quartile {share} of coordinate {axis}")
            for axis in range(d)
        ]
        for share in QUARTILES
    ]
    low, high = np.sort(lines, axis=0)
    low = np.minimum(low, slabs - 1)
    high = np.maximum(high, low + 1)
    return 2 * low / slabs - 1, 2 * high / slabs - 1


def sample_and_aggregate(curator: Curator, k: int, blocks: int, epsilon: float) -> Outcome:
    """The noisy mean of the centers that k-means finds in random blocks of rows.

    Half of epsilon finds the range that answers are clamped to, the other half pays for the mean:
    noise of scale 2 (max - min) k d / (blocks epsilon) (Su et al. 2016, equation (3)).
    """
    low, high = quartiles(curator, epsilon / 2)
    curator.note(RangeNote(low, high))
    question = BlockCenters(k, blocks, low, high, curator.secret_coins())
    return mean_of_blocks(curator, question, epsilon)


def mean_of_blocks(curator: Curator, question: BlockCenters, epsilon: float) -> Outcome:
    """The noisy mean that a question about blocks gives for half of epsilon."""
    why = f"sum of the centers of {question.blocks:,} blocks"
    centers = np.clip(question.mean(curator.answer(question, Pure(epsilon / 2), why)), -1.0, 1.0)
    curator.note(CentersNote(centers=centers, low=question.low, high=question.high))
    return Outcome(centers, facts={"blocks": question.blocks})


@register
class GkM(Algorithm):
    """k-means in blocks of rows, and the noisy mean of the blocks' centers.

    Idea: Deal the rows into many blocks, run ordinary k-means in each, put the centers of every
    block into the same order, and average them over the blocks. A row is in one block only, so it
    hardly moves the average, and one draw of noise covers it.

    Unit: one row.

    Relation: add/remove, the number of rows private; replace-one, it is public.

    Flaw: The number of blocks comes from the exact number of rows: 1,024 rows make 16 blocks and
    1,023 make 15. GUPT, the code behind it, cuts rows into consecutive slices, so that leaving
    out the first row shifts all slices and not one. Its percentiles omit a factor 1/2 in the
    exponent and so cost twice what they say.

    Repair: Under add/remove 5 % of epsilon buys a noisy number of rows, which sets the number of
    blocks. Every row draws its block independently of the others, so one row added or replaced
    changes one block. Half of the rest finds two quartiles of each coordinate by an exponential
    mechanism over gaps between rows, weight (length) exp(-epsilon' |rank - p n| / 2), where one
    row moves |rank - p n| by at most 1. Answers are clamped between them, so the mean of each
    of k d numbers moves by at most (max - min) / blocks, and noise of scale 2 (max - min) k d /
    (blocks epsilon) costs the other half. These add up by adaptive composition.

    Reconstructed: blocks run k-means++ and at most 20 iterations of Lloyd; centers are sorted by
    their second coordinate, as in GUPT; a block with fewer rows than k repeats some, an empty one
    answers with the middle of the range; equal quartiles are moved a lattice line apart; the
    result is folded back into the box.
    """

    key = "gkm"
    title = "GkM"
    paper = "su2016"
    sources: ClassVar[tuple[str, ...]] = SOURCES
    verdict = Verdict.REPAIRED
    audit = AuditHints(
        rooms=(
            *ROOMS,
            Room(300, 2, k=1, epsilon=4.0),
            Room(300, 3, k=1, epsilon=4.0),
        )
    )
    parameters = (EXPONENT,)

    def run(self, curator: Curator, k: int, *, exponent: float) -> Outcome:
        n, rest = curator.size(0.05)
        return sample_and_aggregate(curator, k, int(n**exponent), curator.budget.epsilon * rest)


@register
class GkM3K(Algorithm):
    """GkM with many small blocks, of 3k rows each.

    Idea: The noise of GkM shrinks with the number of blocks, so take as many as leave each block
    just enough rows to find k centers.

    Unit: one row.

    Relation: add/remove, the number of rows private; replace-one, it is public.

    Flaw: As in GkM: the number of blocks betrays the exact number of rows, consecutive slices all
    shift when one row goes, and GUPT's percentiles cost twice what they say.

    Repair: As in GkM: a noisy number of rows for 5 % of epsilon under add/remove; every row draws
    its block by itself, so one row changes one block; quartiles and mean each take half of the
    rest, with noise of scale 2 (max - min) k d / (blocks epsilon) on the mean.

    Reconstructed: as in GkM. As rows draw their blocks, some have fewer than k rows.
    """

    key = "gkm-3k"
    title = "GkM-3K"
    paper = "su2016"
    sources: ClassVar[tuple[str, ...]] = SOURCES
    verdict = Verdict.REPAIRED
    audit = AuditHints(rooms=(Room(300, 2, k=1, epsilon=4.0),))
    parameters = (ROWS_PER_CENTER,)

    def run(self, curator: Curator, k: int, *, rows_per_center: float) -> Outcome:
        n, rest = curator.size(0.05)
        blocks = max(1, int(n / (rows_per_center * k)))
        return sample_and_aggregate(curator, k, blocks, curator.budget.epsilon * rest)


@dataclass(frozen=True)
class GuptQuantile(Quantile):
    """The percentile as GUPT draws it: the exponent lacks the 1/2, as if ranks moved by half."""

    @property
    def sensitivity(self) -> int:
        return self.share.denominator // 2


@dataclass(frozen=True)
class SlicedCenters(BlockCenters):
    """Blocks as GUPT has them: slices of the rows in their order, which all shift with one row.

    A grid of counts has no order of rows, so there they are shuffled first.
    """

    def dealt(self, positions: IntArray, weights: IntArray | None) -> Blocks:
        if weights is None:
            return consecutive_blocks(positions, self.blocks)
        return super().dealt(positions, weights)


@register
class GkMPublished(Algorithm):
    """GkM as published, for study: its privacy claim does not hold.

    Idea: As GkM, but with the exact number of rows, consecutive blocks, and the percentiles of
    GUPT.

    Unit: one row.

    Relation: add/remove, as claimed.

    Flaw: The number of blocks betrays the exact number of rows: 16 for 1,024 rows, 15 for 1,023.
    Rows are cut into consecutive slices, so that leaving out the first row changes every later
    one, while the noise covers a change of one. The percentiles lack the 1/2 in the exponent and
    cost twice what they say. What the run books is what the publication claims; its true epsilon
    is unbounded.

    Reconstructed: epsilon is halved between range and mean as in the paper's equation 3, where
    GUPT's code takes thirds; the error estimate that GUPT logs is left out; a grid of counts has
    no order of rows, so there they are shuffled before they are cut. Otherwise as in GkM.
    """

    key = "gkm-published"
    title = "GkM, as published"
    paper = "su2016"
    sources: ClassVar[tuple[str, ...]] = SOURCES
    verdict = Verdict.UNPROVEN
    audit = AuditHints(
        rooms=(
            *ROOMS,
            Room(32, 2, settings={"blocks": "gkm-3k"}),
        )
    )
    relations = (Neighbors.ADD_REMOVE,)
    parameters = (
        Parameter("blocks", "Blocks of GkM or of GkM-3K.", "gkm", choices=("gkm", "gkm-3k")),
        EXPONENT,
        ROWS_PER_CENTER,
    )

    def telling_rows(self, n: int, epsilon: float) -> int:
        exponent = self.settings({})["exponent"]
        return math.ceil(math.floor(n**exponent) ** (1 / exponent))

    def run(
        self, curator: Curator, k: int, *, blocks: str, exponent: float, rows_per_center: float
    ) -> Outcome:
        n, epsilon = curator.unprotected().n, curator.budget.epsilon
        exact = n**exponent if blocks == "gkm" else n / (rows_per_center * k)
        count = max(1, int(exact))
        low, high = quartiles(curator, epsilon / 2, GuptQuantile)
        curator.note(RangeNote(low, high))
        question = SlicedCenters(k, count, low, high, curator.secret_coins())
        return mean_of_blocks(curator, question, epsilon)
