"""The kinds of charges: mechanisms that answer a question, and accounts that pay for several."""

from __future__ import annotations

from enum import StrEnum


class Mechanism(StrEnum):
    """The mechanism by which a charge protects its answer. Its value is its name in certificates
    and on screen."""

    GEOMETRIC = "two-sided geometric"
    GAUSSIAN = "discrete Gaussian"
    EXPONENTIAL = "exponential mechanism"
    #: Part of the budget, under an accounting of its own.
    SET_ASIDE = "set aside"
    #: Disjoint parts of the data, each with its own account; the dearest counts.
    SIDE_BY_SIDE = "side by side"
    #: Noise of algorithms as published: drawn by floating-point arithmetic, never in a release.
    CONTINUOUS_LAPLACE = "Laplace"
    CONTINUOUS_GAUSSIAN = "Gaussian"
