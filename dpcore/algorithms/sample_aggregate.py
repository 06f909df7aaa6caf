"""Sample and aggregate (Nissim et al. 2007), a baseline of Balcan et al. (2017)."""

from __future__ import annotations

from dpcore.algorithms.base import AuditHints, Room, register
from dpcore.algorithms.gkm import GkM


@register
class SampleAggregate(GkM):
    """The noisy mean of the centers that k-means finds in disjoint blocks: GkM's repaired form.

    Idea: Deal the rows into blocks, cluster each by itself, and publish a noisy aggregate of the
    answers: a row is in one block only, so it moves one answer of many.

    Unit: one row.

    Relation: add/remove, the number of rows private; replace-one, it is public.

    Flaw: Balcan et al. (2017) compare themselves with sample and aggregate but do not say which
    aggregator they ran, with which constants, or how blocks were dealt. The original aggregator, by
    smooth sensitivity, is private with a delta, while epsilon alone is claimed.

    Repair: What runs is GkM of Su et al. (2016) in its repaired form, which is purely private.
    Under add/remove 5 % of epsilon buys a noisy number of rows, which sets the number of blocks.
    Every row draws its block by itself, so one row changes one block. Half of the rest finds two
    quartiles of each coordinate by exponential mechanisms; answers are clamped between them, so
    noise of scale 2 (max - min) k d / (blocks epsilon) on their mean costs the other half.

    Reconstructed: all of it, as no source states the baseline; see GkM.
    """

    key = "sample-aggregate"
    title = "Sample and aggregate"
    paper = "balcan2017"
    sources = ("nissim2007", "mohan2012", "su2016")
    audit = AuditHints(rooms=(Room(300, 2, k=1, epsilon=4.0),))
