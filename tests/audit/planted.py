"""Faults, planted one at a time, and what `dpcore audit` says to each.

In full, at the default number of runs, for a table of all: `python -m tests.audit.planted`.
"""

from __future__ import annotations

import argparse
import copy
import dataclasses
import math
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import dpcore.algorithms._offset_rounds
import dpcore.algorithms.auto
import dpcore.algorithms.coreset
import dpcore.algorithms.dplloyd
import dpcore.algorithms.eugkm
import dpcore.algorithms.hybrid
import dpcore.algorithms.kccm
import dpcore.algorithms.kvariates
import dpcore.algorithms.lift
import dpcore.algorithms.sparse_mean
import dpcore.geometry.row_maps
import dpcore.privacy.accounting
import dpcore.privacy.concentrated
import dpcore.privacy.gaussian
import dpcore.privacy.losses
import dpcore.privacy.noise
import dpcore.privacy.noise_proxy
import dpcore.privacy.transcript
import dpcore.queries.boxes
import dpcore.queries.charged_questions
import dpcore.queries.curator
import dpcore.queries.moments
import dpcore.queries.questions
import dpcore.queries.row_costs
import dpcore.queries.scores
import dpcore.queries.sparse_cells
import dpcore.runs.regional
from dpcore.algorithms import ALGORITHMS, get
from dpcore.audit import AuditFinding, Case, attack, cases_of
from dpcore.audit.campaign import RUNS
from dpcore.datasets import RowsDataset
from dpcore.datasets.leveled_rows import LeveledRows
from dpcore.datasets.removable import ThinnedGrid, ThinnedRows
from dpcore.errors import Infeasible
from dpcore.geometry.domain import TICKS, Grid
from dpcore.privacy.accounting import Budget
from dpcore.privacy.losses import Pure
from dpcore.privacy.noise import SimulatedNoise
from dpcore.privacy.transcript import Transcript
from dpcore.queries.curator import Curator
from dpcore.queries.questions import Sensitivity
from dpcore.queries.sparse_cells import SparseCells
from dpcore.randomness.coins import seed_for
from dpcore.results.steps import SizeNote

#: Runs on each data set of a pair, in the suite.
FEW_RUNS = 8
#: So that no case of an honest algorithm is called broken by chance.
CONFIDENCE = 1 - 1e-6

Patch = pytest.MonkeyPatch


@dataclass(frozen=True)
class Fault:
    """What is wrong, how to make it so, and which algorithms it concerns."""

    name: str
    plant: Callable[[Patch], None]
    algorithms: tuple[str, ...]
    #: Part of the words of the cases to begin with.
    first: str = ""
    #: More runs than the few, where only noise can tell.
    runs: int = FEW_RUNS


FAULTS: dict[str, Fault] = {}


def fault(*algorithms: str, first: str = "", runs: int = FEW_RUNS):
    """Registers a function that plants a fault, under its name."""

    def register(plant: Callable[[Patch], None]) -> Callable[[Patch], None]:
        name = plant.__name__.replace("_", " ")
        FAULTS[name] = Fault(name, plant, algorithms, first, runs)
        return plant

    return register


def times(sensitivity: Sensitivity, factor: float) -> Sensitivity:
    return Sensitivity(max(1, math.floor(sensitivity.l1 * factor)), sensitivity.l2 * factor)


def around(patch: Patch, owner: object, name: str, wrap: Callable) -> None:
    """Put a function around another: it is given the other and its arguments."""
    inner = getattr(owner, name)
    patch.setattr(owner, name, lambda *a, **k: wrap(inner, *a, **k))


def with_half_the_scale(right: Callable, noise: SimulatedNoise, count: int, scale: float) -> Any:
    """Draws of noise at half of its scale."""
    return right(noise, count, scale / 2)


def scaled_property(patch: Patch, cls: type, name: str, factor: float) -> None:
    """A sensitivity that is too small, or too large."""
    right = vars(cls)[name]
    getter = right.fget if isinstance(right, property) else right.func
    patch.setattr(
        cls,
        name,
        property(
            lambda self: (
                times(got, factor)
                if isinstance(got := getter(self), Sensitivity)
                else max(1, int(got * factor))
            )
        ),
    )


# Sensitivities.


@fault("gkm", "gkm-3k", "sample-aggregate", first="300 in 2-D")
def blocks_of_half_the_sensitivity(patch):
    scaled_property(patch, dpcore.queries.questions.BlockCenters, "added", 0.5)


@fault("highdim", "highdim-kmedian", first="corner to corner")
def a_ball_without_the_root_of_d(patch):
    patch.setattr(dpcore.geometry.row_maps.BallClip, "reach_l1", property(lambda self: self.reach))


@fault("eugkm", "adaptive")
def counts_of_replaced_rows_not_doubled(patch):
    patch.setattr(Curator, "_per_row", lambda self, added, replaced: added)


@fault("dplloyd", "average-k")
def sums_of_one_coordinate_only(patch):
    def totals(right, self, centers, counts, sums, why):
        patched = copy.copy(self)
        patched._per_row = lambda added, replaced: (
            Sensitivity(max(1, added.l1 // self.d), added.l2)
            if added.l1 >= TICKS
            else right_per_row(self, added, replaced)
        )
        return right(patched, centers, counts, sums, why)

    right_per_row = Curator._per_row
    around(patch, Curator, "noisy_totals", totals)


@fault("sulq", first="delta")
def gaussian_sums_without_the_root_of_d(patch):
    right = Curator._noisy

    def noisy(self, exact, sensitivity, loss, why):
        if "sums" in why:
            sensitivity = Sensitivity(sensitivity.l1, sensitivity.l2 / math.sqrt(self.d))
        return right(self, exact, sensitivity, loss, why)

    patch.setattr(Curator, "_noisy", noisy)


@fault("lift", first="8-D")
def offsets_that_forget_their_count(patch):
    right = dpcore.queries.moments.Offsets.added.fget
    patch.setattr(
        dpcore.queries.moments.Offsets,
        "added",
        property(lambda self: times(right(self), 1 / (1 + self.weight))),
    )


@fault("lift", first="2,000 in 8-D, epsilon 1, delta")
def products_of_half_the_sensitivity(patch):
    scaled_property(patch, dpcore.queries.moments.Products, "added", 0.5)


@fault("lift", "auto", first="8-D")
def a_level_not_doubled_when_replaced(patch):
    patch.setattr(
        dpcore.queries.moments.LevelQuestion, "replaced", property(lambda self: self.added)
    )


@fault("gkm", first="lone row")
def quartiles_of_half_the_sensitivity(patch):
    patch.setattr(
        dpcore.queries.scores.Quantile,
        "sensitivity",
        property(lambda self: self.share.denominator // 2),
    )


@fault("pgkm")
def contrasting_costs_of_a_quarter_of_the_sensitivity(patch):
    scaled_property(patch, dpcore.queries.scores.ContrastingCost, "sensitivity", 0.25)


@fault("net-coreset", "highdim", first="lone row")
def swaps_capped_higher_than_they_say(patch):
    patch.setattr(dpcore.queries.row_costs, "COARSER", 1 << 10)
    right = dpcore.queries.row_costs.RowCost.sensitivity.fget
    patch.setattr(
        dpcore.queries.row_costs.RowCost,
        "sensitivity",
        property(lambda self: right(self) // 8),
    )
    patch.setattr(dpcore.queries.row_costs.RowCost, "capped", lambda self, squares: squares)


@fault("coreset-faithful", first="epsilon 80")
def a_radius_called_monotone(patch):
    patch.setattr(dpcore.queries.boxes.GoodRadius, "monotone", True)


@fault("coreset", first="20,000")
def boxes_that_count_rows_twice(patch):
    right = dpcore.queries.boxes.BoxCounts.of
    patch.setattr(dpcore.queries.boxes.BoxCounts, "of", lambda self, data: 2 * right(self, data))


@fault("sparse-mean", first="6-D")
def far_sums_not_doubled_when_replaced(patch):
    patch.setattr(dpcore.queries.scores.FarSums, "sensitivity", TICKS)


@fault("pgkm", "coreset", first="corner to corner")
def scores_monotone_under_replacement(patch):
    def scored(right, self, score, loss, why):
        scores, _, epsilon = right(self, score, loss, why)
        return scores, score.monotone, epsilon

    around(patch, Curator, "_scored", scored)


@fault("kvariates")
def picks_that_move_half_as_far(patch):
    scaled_property(patch, dpcore.queries.picked_row.PickedRow, "added", 0.5)


@fault("coreset", first="2,000 in 3-D")
def penalties_taken_from_the_counts(patch):
    """The public prior of a choice is not public."""
    right = Curator.select

    def select(self, score, loss, why, log_prior=None):
        if log_prior is not None:
            log_prior = log_prior - 1e-3 * (self._data.n % 7)
            log_prior[0] += 1e-3 * (self._data.n % 5)
        return right(self, score, loss, why, log_prior)

    patch.setattr(Curator, "select", select)


# Charges and accounts.


@fault("eugkm", "dplloyd")
def noise_for_twice_what_is_charged(patch):
    right = Curator._noisy

    def noisy(self, exact, sensitivity, loss, why):
        if not isinstance(loss, Pure):
            return right(self, exact, sensitivity, loss, why)
        self.transcript.charge("two-sided geometric", why, loss, sensitivity.l1)
        return self._noise.geometric(exact(), sensitivity.l1, 2 * loss.epsilon)

    patch.setattr(Curator, "_noisy", noisy)


@fault("dplloyd")
def a_round_that_is_not_charged(patch):
    right = dpcore.algorithms.dplloyd.lloyd_round

    def twice(curator, centers, epsilon, why):
        forgetful = copy.copy(curator)
        forgetful.transcript = Transcript(curator.budget, curator.neighbors)
        return right(forgetful, right(curator, centers, epsilon, why), epsilon, why)

    patch.setattr(dpcore.algorithms.dplloyd, "lloyd_round", twice)


@fault("coreset", first="20,000")
def an_account_that_is_not_charged(patch):
    def account(right, self, budget, why):
        aside = copy.copy(self)
        aside.transcript = Transcript(Budget(2 * budget.epsilon), self.neighbors)
        return aside

    around(patch, Curator, "account", account)
    around(
        patch,
        dpcore.algorithms.coreset,
        "ball_centers",
        lambda right, curator, plan, epsilon: right(
            curator, dataclasses.replace(plan, sharpness=1.9 * plan.sharpness), epsilon
        ),
    )


@fault("sulq", "coreset", first="delta")
def an_accountant_that_halves_rho(patch):
    right = dpcore.privacy.concentrated.epsilon_of_rho
    patch.setattr(
        dpcore.privacy.transcript, "epsilon_of_rho", lambda rho, delta: right(rho / 2, delta)
    )
    back = dpcore.privacy.concentrated.rho_of_epsilon
    for module in (dpcore.privacy.accounting, dpcore.privacy.losses):
        patch.setattr(module, "rho_of_epsilon", lambda e, delta: 2 * back(e, delta))


@fault("lift", first="2,000 in 8-D, epsilon 1, delta")
def a_gaussian_accountant_that_halves_rho(patch):
    right, back = (
        dpcore.privacy.gaussian.epsilon_of_gaussian,
        dpcore.privacy.gaussian.rho_of_gaussian,
    )
    patch.setattr(
        dpcore.privacy.transcript, "epsilon_of_gaussian", lambda rho, delta: right(rho / 2, delta)
    )
    patch.setattr(dpcore.privacy.accounting, "rho_of_gaussian", lambda e, delta: 2 * back(e, delta))


@fault("sulq", first="delta")
def rho_taken_for_epsilon(patch):
    patch.setattr(
        dpcore.privacy.transcript,
        "epsilon_of_rho",
        lambda rho, delta: rho,
    )
    patch.setattr(dpcore.privacy.accounting, "rho_of_epsilon", lambda epsilon, delta: epsilon)


@fault("eugkm", "adaptive", first="quiet region")
def every_region_at_the_highest_level(patch):
    def side_by_side(right, self, regions, levels, *more):
        return right(self, regions, [max(levels, key=lambda each: each.epsilon)] * len(levels))

    around(patch, Curator, "side_by_side", side_by_side)


# Noise.


@fault("eugkm", first="from region")
def a_copy_of_the_noise_for_every_region(patch):
    def for_part(right, self, name):
        self._parts["all"] += 1
        return SimulatedNoise(seed_for(self._seed, str((self._parts["all"] - 1) // 2)))

    around(patch, SimulatedNoise, "for_part", for_part)


@fault("dplloyd", "adaptive")
def one_seed_for_every_answer(patch):
    right = SimulatedNoise._two_sided_geometric

    def draw(self, count, scale):
        state = self.__dict__.setdefault("_state", self._rng.bit_generator.state)
        if count > 1:
            self._rng.bit_generator.state = state
        return right(self, count, scale)

    patch.setattr(SimulatedNoise, "_two_sided_geometric", draw)


@fault("dplloyd", "eugkm", first="corner to corner")
def one_draw_for_all_values(patch):
    right = SimulatedNoise._two_sided_geometric
    patch.setattr(
        SimulatedNoise,
        "_two_sided_geometric",
        lambda self, count, scale: np.repeat(right(self, 1, scale), count),
    )


@fault("dplloyd", runs=60)
def geometric_noise_of_half_the_scale(patch):
    around(patch, SimulatedNoise, "_two_sided_geometric", with_half_the_scale)


@fault("sulq", first="delta", runs=60)
def gaussian_noise_of_half_the_deviation(patch):
    around(patch, SimulatedNoise, "_discrete_gaussian", with_half_the_scale)


@fault("gkm", "pgkm")
def the_best_is_always_chosen(patch):
    patch.setattr(SimulatedNoise, "_index", lambda self, weights: int(weights.argmax()))


@fault("dplloyd", "average-k")
def the_last_value_is_bare(patch):
    def geometric(right, self, values, sensitivity, epsilon):
        noisy = right(self, values, sensitivity, epsilon)
        if noisy.size > 2:
            noisy.reshape(-1)[-1] = values.reshape(-1)[-1]
        return noisy

    around(patch, SimulatedNoise, "geometric", geometric)


@fault("gkm", "coreset", "net-coreset")
def a_choice_without_the_factor_two(patch):
    right = dpcore.privacy.noise.selection_scale
    for module in (dpcore.privacy.noise, dpcore.privacy.noise_proxy):
        patch.setattr(module, "selection_scale", lambda s, e, monotone: right(s, e, True))


# What looks at the data behind the curator's back.


@fault("lift", first="anywhere in 7-D")
def the_exact_number_in_the_facts_of_a_blind_branch(patch):
    def from_level(right, curator, k):
        outcome = right(curator, k)
        if "rounds" in outcome.facts:
            return outcome
        facts = {**outcome.facts, "rows": curator._data.n}
        return dataclasses.replace(outcome, facts=facts)

    around(patch, dpcore.algorithms.lift, "from_level", from_level)


@fault("auto", first="1-D")
def the_exact_number_in_the_facts_of_auto_on_a_line(patch):
    right = dpcore.algorithms.auto.Auto.run

    def run(self, curator, k):
        outcome = right(self, curator, k)
        if curator.d != 1:
            return outcome
        return dataclasses.replace(outcome, facts={**outcome.facts, "rows": curator._data.n})

    patch.setattr(dpcore.algorithms.auto.Auto, "run", run)


@fault("eugkm", "lift", "auto", first="3-D")
def one_cell_of_a_grid_in_three_dimensions_bare(patch):
    def counts(right, self, partition, loss, why):
        noisy = right(self, partition, loss, why)
        if isinstance(partition, Grid) and self.d == 3:
            noisy[-1] = self._data.histogram(partition)[-1]
        return noisy

    around(patch, Curator, "noisy_counts", counts)


@fault("coreset", first="lone row")
def points_without_rows_dropped(patch):
    right = dpcore.algorithms.coreset.weighed

    def weighed(curator, points, n, epsilon):
        ticks = curator._data.positions()[0] / TICKS
        near = [np.abs(ticks - p).max(axis=1).min(initial=9) < 0.3 for p in points]
        return right(curator, points[np.array(near)], n, epsilon)

    patch.setattr(dpcore.algorithms.coreset, "weighed", weighed)


@fault("eugkm", "adaptive")
def the_exact_number_in_a_step(patch):
    def size(right, self, fraction):
        found = right(self, fraction)
        self.note(SizeNote(self._data.n))
        return found

    around(patch, Curator, "size", size)


@fault("eugkm", "hybrid")
def the_exact_number_in_a_refusal(patch):
    def grid(right, curator, n, epsilon, theta):
        if n < 5:
            raise Infeasible(f"{curator._data.n} rows are too few.")
        return right(curator, n, epsilon, theta)

    around(patch, dpcore.algorithms.eugkm, "fitting_grid", grid)


@fault("eugkm", first="lone row")
def cells_in_the_order_of_their_true_counts(patch):
    def counts(right, self, partition, loss, why):
        noisy = right(self, partition, loss, why)
        return noisy[np.argsort(-self._data.histogram(partition), kind="stable")]

    around(patch, Curator, "noisy_counts", counts)


@fault("hybrid", first="size of the grid")
def a_branch_by_the_exact_number(patch):
    right = dpcore.algorithms.hybrid.Hybrid.run

    def run(self, curator, k, *, theta, starts):
        return right(self, curator, k, theta=theta if curator._data.n % 2 else 2 * theta, starts=2)

    patch.setattr(dpcore.algorithms.hybrid.Hybrid, "run", run)


@fault("adaptive", "eugkm")
def a_number_of_rows_for_nothing(patch):
    patch.setattr(Curator, "size", lambda self, fraction: (max(1, self._data.n), 1 - fraction))


@fault("average-k", "dplloyd")
def coins_tossed_once_a_row(patch):
    def totals(right, self, *arguments):
        self.rng.random(self._data.n)
        return right(self, *arguments)

    around(patch, Curator, "noisy_totals", totals)
    right = dpcore.algorithms.dplloyd.noisy_round

    def rounds(curator, centers, epsilon, why):
        counts, sums = right(curator, centers, epsilon, why)
        return counts, sums + 0.001 * curator.rng.random(sums.shape)

    patch.setattr(dpcore.algorithms.dplloyd, "noisy_round", rounds)
    patch.setattr(dpcore.algorithms.kccm, "noisy_round", rounds)


@fault("eugkm")
def a_warning_when_a_cell_is_empty(patch):
    def counts(right, self, partition, loss, why):
        if (self._data.histogram(partition) == 0).sum() % 2:
            warnings.warn("Some cells are empty.", stacklevel=2)
        return right(self, partition, loss, why)

    around(patch, Curator, "noisy_counts", counts)


@fault("highdim", first="8-D")
def rows_mapped_around_their_own_mean(patch):
    right = dpcore.geometry.row_maps.Projection.__call__
    patch.setattr(
        dpcore.geometry.row_maps.Projection,
        "__call__",
        lambda self, ticks: right(self, ticks - (ticks.sum(axis=0) // max(1, len(ticks)))),
    )


# Maps, parts, removals and cells.


@fault("highdim", "highdim-kmedian", first="8-D")
def images_that_leave_the_ball(patch):
    patch.setattr(
        dpcore.geometry.row_maps,
        "_into_ball",
        lambda ticks, reach: np.trunc(3 * ticks).astype(np.int64),
    )


@fault("lift", first="corner to corner")
def offsets_that_are_not_clipped(patch):
    right = dpcore.queries.moments.clipped
    patch.setattr(
        dpcore.queries.moments,
        "clipped",
        lambda ticks, reach, norm, whole: (
            np.trunc(ticks * (whole / (reach * TICKS))).astype(np.int64)
            if whole == dpcore.queries.moments.WHOLE
            else right(ticks, reach, norm, whole)
        ),
    )


@fault("coreset-split", first="3,000")
def parts_that_overlap(patch):
    def dealt(right, data, parts, coins):
        found = right(data, parts, coins)
        return [
            RowsDataset(np.concatenate([a._cells, b._cells]), data.box, data.about, data.resolution)
            for a, b in zip(found, found[1:] + found[:1], strict=True)
        ]

    around(patch, dpcore.queries.curator, "dealt", dealt)


@fault("coreset-split", first="3,000")
def parts_of_rows_by_their_rank(patch):
    def dealt(right, data, parts, coins):
        cells = data._cells[np.lexsort(data._cells.T)]
        return [
            RowsDataset(cells[i::parts], data.box, data.about, data.resolution)
            for i in range(parts)
        ]

    around(patch, dpcore.queries.curator, "dealt", dealt)


@fault("eugkm", first="quiet region")
def regions_that_share_their_rows(patch):
    def divided(right, data, regions):
        found = right(data, regions)
        most = max(found, key=lambda each: each.n)
        return [most if each.resolution == most.resolution else each for each in found]

    around(patch, dpcore.queries.curator, "divided", divided)


@fault("eugkm", "adaptive", first="quiet region")
def level_of_another_area(patch):
    def side_by_side(right, self, regions, levels, *more):
        return right(self, regions, levels[::-1], *more)

    around(patch, Curator, "side_by_side", side_by_side)


@fault("eugkm", "adaptive", first="strict by choice")
def rows_at_the_next_level(patch):
    around(patch, LeveledRows, "by_level", lambda right, self, t: right(self, [0.0, *t[:-1]]))


@fault("eugkm", "adaptive", first="rest of the map")
def rest_of_the_map_forgotten(patch):
    def side_by_side(right, self, regions, *more):
        parts = right(self, regions, *more)
        for name, part in zip(regions.names, parts, strict=True):
            if name not in regions.levels:
                part.transcript.budget = Budget(3 * part.budget.epsilon)
        return parts

    around(patch, Curator, "side_by_side", side_by_side)


@fault("eugkm", "adaptive", first="from region to region, epsilon 2.5")
def whole_level_for_each_step_of_a_move(patch):
    around(patch, dpcore.queries.curator, "of_one_row", lambda right, level, steps: level)


@fault("coreset", "net-coreset", first="2,000 in 3-D")
def half_of_the_rows_removed_by_their_true_number(patch):
    for cls in (ThinnedGrid, ThinnedRows):
        right = cls.remove_nearest
        patch.setattr(
            cls,
            "remove_nearest",
            lambda self, centers, m, right=right: right(
                self, centers, self.n // 2 if self.n % 2 else m
            ),
        )


@fault("net-coreset", "coreset", first="other order")
def ties_broken_by_the_order_of_rows(patch):
    def nearest_first(self, centers, m):
        ticks = 2 * self._cells.astype(np.int64) + 1 - TICKS
        squared = ((ticks[:, None] - centers) ** 2).sum(axis=2).min(axis=1) >> 42
        order = np.argsort(squared, kind="stable")
        self._cells = self._cells[np.sort(order[m:])]
        self._forget_answers()
        return int(squared[order[: m + 1]].max(initial=0))

    patch.setattr(ThinnedRows, "remove_nearest", nearest_first)


@fault("highdim", "highdim-kmedian", first="same place", runs=250)
def empty_cells_never_reported(patch):
    patch.setattr(
        dpcore.queries.charged_questions,
        "reached_by_noise",
        lambda cells, chance, noise: SparseCells(
            np.empty(0, dtype=np.int64), np.empty((0, cells.bits), dtype=bool)
        ),
    )


@fault("highdim", "highdim-kmedian", first="same place", runs=80)
def empty_cells_reported_by_half_the_threshold(patch):
    right = dpcore.queries.sparse_cells.log_chance
    patch.setattr(
        dpcore.queries.charged_questions,
        "log_chance",
        lambda threshold, scale: right(threshold // 2 + 1, scale),
    )


@fault("highdim", first="same place", runs=500)
def phantoms_left_out_of_the_report(patch):
    right = dpcore.queries.charged_questions.reaching
    nothing = np.empty(0, dtype=np.int64)
    patch.setattr(
        dpcore.queries.charged_questions,
        "reaching",
        lambda occupied, noisy, threshold, phantoms: right(
            occupied, noisy, threshold, SparseCells(nothing, phantoms.bits[:0])
        ),
    )


@fault("highdim", first="same place")
def only_cells_with_rows_are_reported(patch):
    def full(right, self, cells, margin, loss, why):
        found = right(self, cells, margin, loss, why)
        own, _ = cells.occupied(*self._data.positions())
        there = {(int(g), b.tobytes()) for g, b in zip(own.groups, own.bits, strict=True)}
        keep = [
            i
            for i, (g, b) in enumerate(zip(found.groups, found.bits, strict=True))
            if (int(g), b.tobytes()) in there
        ]
        return SparseCells(found.groups[keep], found.bits[keep])

    around(patch, Curator, "full_cells", full)


def ordered(case: Fault, key: str) -> Iterator[Case]:
    """The cases of an algorithm, those that a fault names before the others."""
    cases = list(cases_of(get(key)))
    yield from sorted(cases, key=lambda each: case.first not in each.words)


def caught(planted: Fault, runs: int) -> tuple[AuditFinding, int] | None:
    """The finding that refutes a claim which should hold, and after how many cases; or None."""
    number = 0
    for key in planted.algorithms:
        for case in ordered(planted, key):
            number += 1
            found = attack(case, max(runs, planted.runs))
            if ALGORITHMS[key].verdict.holds and found.refutes(CONFIDENCE):
                return found, number
    return None


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="faults; all without")
    parser.add_argument("--runs", type=int, default=RUNS)
    arguments = parser.parse_args(words)
    missed = 0
    for planted in FAULTS.values():
        if arguments.names and not any(name in planted.name for name in arguments.names):
            continue
        started = time.process_time()
        with Patch.context() as patch:
            planted.plant(patch)
            clear_caches()
            found = caught(planted, arguments.runs)
        clear_caches()
        took = time.process_time() - started
        if found:
            case = f"{found[0].algorithm}, {found[0].pair}"
            words = found[0].fault or f"costs {found[0].cost}, at least {found[0].lower_bound:.3g}"
            print(f"caught  {planted.name}: {case} ({found[1]} cases, {took:.1f} s): {words}")
        else:
            missed += 1
            print(f"MISSED  {planted.name} ({took:.1f} s)")
    print(f"{missed} missed")
    return int(missed > 0)


def clear_caches() -> None:
    """Nothing that was computed with a fault is used without it."""
    for function in (
        dpcore.privacy.concentrated.epsilon_of_rho,
        dpcore.privacy.concentrated.rho_of_epsilon,
        dpcore.privacy.gaussian.epsilon_of_gaussian,
        dpcore.privacy.gaussian.rho_of_gaussian,
    ):
        clear = getattr(function, "cache_clear", SimpleNamespace)
        clear()


if __name__ == "__main__":
    raise SystemExit(main())
