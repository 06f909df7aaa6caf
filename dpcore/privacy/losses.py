"""Privacy losses: the prices of questions, what each is worth in rho, and the noise it pays for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from dpcore.privacy.concentrated import rho_of_epsilon
from dpcore.privacy.rounding import down, root_down, root_up, up, up_quotient

#: Steps by which an epsilon is lowered until its rho is small enough.
STEP = 1e-13


@dataclass(frozen=True)
class Pure:
    """epsilon-differential privacy."""

    epsilon: float

    @property
    def rho(self) -> float:
        """Pure epsilon implies epsilon^2/2-zCDP (Bun and Steinke 2016, proposition 1.4)."""
        return up(Fraction(self.epsilon) ** 2 / 2)


@dataclass(frozen=True)
class Selection:
    """epsilon by an exponential mechanism, whose bounded range makes it cheaper under zCDP.

    Of several picks in a row, each has an equal share of epsilon.
    """

    epsilon: float
    picks: int = 1

    @property
    def rho(self) -> float:
        """epsilon-bounded range implies epsilon^2/8-zCDP (Cesar and Rogers 2021, lemma 3.4)."""
        return up(Fraction(self.epsilon) ** 2 / (8 * self.picks))


@dataclass(frozen=True)
class Zcdp:
    """rho zero-concentrated differential privacy."""

    rho: float


@dataclass(frozen=True)
class Gaussian:
    """Gaussian noise of a variance of squared sensitivity over 2 rho: rho zero-concentrated, and
    counted exactly where there is nothing else."""

    rho: float


@dataclass(frozen=True)
class Approx:
    """(epsilon, delta), bought as the largest rho that implies it."""

    epsilon: float
    delta: float

    @property
    def rho(self) -> float:
        return rho_of_epsilon(self.epsilon, self.delta)


Loss = Pure | Selection | Zcdp | Gaussian | Approx


def noise_scale(sensitivity: float, loss: Loss) -> float:
    """The scale of two-sided geometric noise that a pure loss pays for, or the parameter of
    discrete Gaussian noise that another one pays for, rounded up."""
    if isinstance(loss, Pure):
        return up_quotient(sensitivity, loss.epsilon)
    return root_up(Fraction(sensitivity) ** 2 / (2 * Fraction(loss.rho)))


def lowered(loss: Loss, remainder: Mapping[str, Fraction]) -> Loss:
    """A loss of no more than is left of epsilon and delta, or of rho, rounded down."""
    if "rho" in remainder:
        return _lowered_in_rho(loss, down(remainder["rho"]))
    if isinstance(loss, Approx):
        epsilon, delta = Fraction(loss.epsilon), Fraction(loss.delta)
        return Approx(down(remainder.get("epsilon", epsilon)), down(remainder.get("delta", delta)))
    assert isinstance(loss, Pure | Selection)
    return replace(loss, epsilon=down(remainder["epsilon"]))


def _lowered_in_rho(loss: Loss, rho: float) -> Loss:
    if isinstance(loss, Zcdp | Gaussian):
        return replace(loss, rho=rho)
    if isinstance(loss, Approx):
        while loss.rho > rho:
            loss = replace(loss, epsilon=loss.epsilon * (1 - STEP))
        return loss
    squares = 8 * loss.picks if isinstance(loss, Selection) else 2
    return replace(loss, epsilon=root_down(squares * Fraction(rho)))
