"""Trials: single runs of a study, each with its figures or the reason why there are none."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Self

from dpcore.runs.request import Request
from dpcore.study.trial_seeds import trial_seed


@dataclass(frozen=True)
class NumberedRun:
    """One run of a study: a request, and which of its repetitions. Its seed follows from both."""

    #: As the whole study has it, with the seed of all runs together.
    request: Request
    run: int
    seconds: float = field(default=0.0, kw_only=True)
    #: Why there is no answer, in words.
    refusal: str | None = field(default=None, kw_only=True)

    @property
    def algorithm(self) -> str:
        """The key of the algorithm."""
        return self.request.algorithm

    @property
    def epsilon(self) -> float:
        """The budget of the run."""
        return self.request.epsilon

    @property
    def seed(self) -> int:
        """The seed that repeats the run."""
        return trial_seed(self.request.seed or 0, self.run)


@dataclass(frozen=True)
class Trial(NumberedRun):
    """One run of a sweep and its figures, which look at the true data: for your eyes only.

    Its `algorithm`, `epsilon` and `seed` are those that repeat the run.

    Parameters
    ----------
    request : Request
        The request, with the seed of the whole sweep.
    run : int
        The number of the run at this epsilon, from 0.
    figures : mapping, default={}
        Each measured figure, by the key of its metric; NaN where there is no answer.
    seconds : float, default=0.0
        Run time.
    refusal : str or None, default=None
        Why there is no answer; None if there is one.

    Examples
    --------
    >>> import dpcore
    >>> data = dpcore.datasets.load("iris")
    >>> trial = next(dpcore.sweep(["dplloyd"], data, 3, [1.0], runs=1))
    >>> trial.algorithm, trial.epsilon, trial.refusal
    ('dplloyd', 1.0, None)
    """

    #: By the key of the metric; NaN where there is no answer.
    figures: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def refused(cls, request: Request, run: int, metrics: Iterable[str], reason: str) -> Self:
        """A run that has no answer."""
        return cls(request, run, dict.fromkeys(metrics, math.nan), refusal=reason)
