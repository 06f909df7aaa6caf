"""A ranking at one ε, best first: a shortlist of methods at once, the others by one click."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial

import pandas as pd
import streamlit as st

from dpcore.algorithms import ALGORITHMS
from dpcore.datasets.builtin import TAXI_ROWS
from dpcore.study import standings
from dpcore.study.kept_standings import RUNS, kept_standings
from dpcore.study.metrics import Metric, usual
from dpcore.study.standings import Standing
from dpcore.study.sweep_plan import SweepPlan
from dpcore.study.sweep_plan import as_csv as runs_csv
from dpcore.study.sweep_plan import as_json as runs_json
from dpcore.study.trials import Trial
from pages.ui import address, chart_style, controls, live_runs, refusal_lines, url_keys
from pages.ui.chart_frame import named
from pages.ui.choice import Choice
from pages.ui.compare import ranking_chart
from pages.ui.downloads import File
from pages.ui.reference_lines import reference_lines
from pages.ui.refusal_lines import RefusalLine
from pages.ui.wording import measured

#: The data on which times of runs are told where there are none for the chosen ones.
TIMED = "nyc-taxi"
#: How many methods run at a time, the cheapest first.
AT_ONCE = 3
#: Outside the shortlist, a method whose run takes longer than so many seconds makes so many runs.
SLOW, FEW = 0.5, 2


def show() -> None:
    choice = controls.choose()
    live_runs.warn(choice.data, "a method", "this ranking")
    metric, place = controls.beside_metric(choice.data)
    with place:
        controls.labelled_slider(choice)
    with st.sidebar:
        paper = controls.paper_control()
        runs = controls.runs_control("Runs of each method", url_keys.RUNS.by_default(RUNS))
        address.control(
            st.toggle,
            "Fewer runs of slow methods",
            url_keys.FEWER_RUNS,
            help=f"Methods that take more than {SLOW:g} s for a run make {FEW} runs."
            + timed_elsewhere(choice.data),
        )
        log = address.control(st.toggle, "Logarithmic figures", url_keys.log_y(metric))
    keys = in_turn(choice, chosen_methods(choice, paper))
    plan = SweepPlan(choice.data, controls.requests(choice, keys), runs, usual(metric.key))
    if old_standings := kept_ranking(plan, metric):
        plan = replace(plan, fewer=runs_kept(plan))
    else:
        plan = replace(plan, fewer=fewer_runs(choice, keys, runs))
    with st.container(horizontal=True, vertical_alignment="center"):
        others_button(choice, plan, paper)
    if old_standings:
        draw_kept(choice, plan, metric, log, old_standings)
    else:
        live_runs.sweep(
            plan,
            partial(draw_live, choice, plan, metric, log),
            partial(files_of_runs, plan, metric),
            at_once=AT_ONCE,
        )
        tell_fewer(plan)


def beside(choice: Choice, metric: Metric, others: Sequence[Standing]) -> None:
    """Draw the shortlist and the chosen method, with other standings among them."""
    keys = in_turn(choice, chosen_methods(choice, url_keys.ALL))
    plan = SweepPlan(choice.data, controls.requests(choice, keys), RUNS, usual(metric.key))
    if old_standings := kept_ranking(plan, metric):
        plan = replace(plan, fewer=runs_kept(plan))
        draw_kept(choice, plan, metric, True, standings.in_order([*old_standings, *others]))
        return

    def draw_runs(runs: list[Trial]) -> None:
        ours = standings.ranked(keys, runs, metric)
        draw(choice, plan, metric, True, standings.in_order([*ours, *others]))

    live_runs.sweep(plan, draw_runs, partial(files_of_runs, plan, metric), AT_ONCE)


def chosen_methods(choice: Choice, paper: str) -> list[str]:
    """The methods of one paper, or the shortlist and the chosen method, or all methods."""
    if paper != url_keys.ALL:
        return [key for key, each in ALGORITHMS.items() if each.paper == paper]
    if url_keys.ALL_METHODS.get():
        return list(ALGORITHMS)
    first = standings.shortlist(choice.box.d, choice.request.k)
    return list(dict.fromkeys([*first, choice.request.algorithm]))


def seconds(data: str, algorithm: str) -> float | None:
    """The usual time of a run: on these data where it was measured, else on New York's trips."""
    archive = kept_standings()
    return archive.seconds(data, algorithm) or archive.seconds(TIMED, algorithm)


def timed_elsewhere(data: str) -> str:
    """A sentence that says where run times were measured, if not on these data."""
    if any(kept_standings().seconds(data, key) for key in ALGORITHMS):
        return ""
    return (
        f" Run times are those on New York's {TAXI_ROWS:,} trips. Yours may take longer or less, "
        "above all with more rows or columns."
    )


def fewer_runs(choice: Choice, keys: Iterable[str], runs: int) -> tuple[tuple[str, int], ...]:
    """The slow methods among these, which make few runs unless somebody asks for all; the chosen
    method and the shortlist make all runs."""
    if not url_keys.FEWER_RUNS.get() or runs <= FEW:
        return ()
    whole = [*standings.shortlist(choice.box.d, choice.request.k), choice.request.algorithm]
    times = {key: seconds(choice.data, key) for key in keys if key not in whole}
    return tuple((key, FEW) for key, time in times.items() if time is not None and time > SLOW)


def runs_kept(plan: SweepPlan) -> tuple[tuple[str, int], ...]:
    """The methods of a plan of which fewer runs were measured and kept."""
    cells = {each.algorithm: kept_standings().of(plan.data, each) for each in plan.requests}
    made = {key: cell.runs for key, cell in cells.items() if cell and cell.refusal is None}
    return tuple((key, runs) for key, runs in made.items() if runs < plan.runs)


def tell_fewer(plan: SweepPlan) -> None:
    """Draw which methods make fewer runs."""
    names = [named(key).title for key, _ in plan.fewer]
    if names:
        st.caption(
            f":material/hourglass_top: Slow methods make {FEW} runs instead of {plan.runs}, so "
            f"their places and lines are rough: {', '.join(names)}. Turn off “Fewer runs of slow "
            "methods” to make them all."
        )


def in_turn(choice: Choice, keys: Iterable[str]) -> list[str]:
    """Methods in the order in which they run: the shortlist, then the others, each time the
    cheapest first. Those whose time is not known come last."""
    first = standings.shortlist(choice.box.d, choice.request.k)
    unknown = float("inf")
    return sorted(keys, key=lambda key: (key not in first, seconds(choice.data, key) or unknown))


def others_button(choice: Choice, plan: SweepPlan, paper: str) -> None:
    """One click to the methods that are not shown, with what they would cost."""
    if paper != url_keys.ALL:
        return
    if url_keys.ALL_METHODS.get():
        st.button(
            "Only the shortlist",
            icon=":material/unfold_less:",
            on_click=url_keys.ALL_METHODS.clear,
        )
        return
    rest = in_turn(choice, [key for key in ALGORITHMS if key not in plan.algorithms])
    able = [key for key in rest if ALGORITHMS[key].supports(choice.box.d, None, plan.k)]
    times = {key: seconds(choice.data, key) for key in able}
    fewer = dict(fewer_runs(choice, able, plan.runs))
    runs = {key: fewer.get(key, plan.runs) for key in able}
    total = duration(sum(runs[key] * (times[key] or 0) for key in able))
    words = f"{plan.runs} live runs of each{', fewer of slow methods,' * bool(fewer)} take "
    words += f"about {total}, cheapest first." + timed_elsewhere(choice.data)
    st.button(
        f"Show the other {len(rest)} methods",
        icon=":material/unfold_more:",
        on_click=url_keys.ALL_METHODS.put,
        args=(True,),
        help=words,
    )
    with st.popover("What each would cost", icon=":material/timer:"):
        st.caption(words)
        rows = {
            ALGORITHMS[key].title: (
                str(runs[key]),
                f"{duration(runs[key] * time)} ({time:.2g} s per run)" if time else "not known",
            )
            for key, time in times.items()
        }
        rows |= {ALGORITHMS[key].title: ("", "cannot run here") for key in rest if key not in able}
        index = pd.Index(rows, name="Method")
        st.table(
            pd.DataFrame(rows.values(), index=index, columns=["Runs", "Time"]), border="horizontal"
        )


def duration(time: float) -> str:
    """Seconds in words."""
    if time < 1:
        return "a second"
    return f"{time:.0f} s" if time < 90 else f"{time / 60:.0f} min"


def kept_ranking(plan: SweepPlan, metric: Metric) -> list[Standing]:
    """The standings that were measured before, if they are of exactly this plan."""
    archive = kept_standings()
    cells = {each: archive.of(plan.data, each) for each in plan.requests}
    if url_keys.RUN_LIVE.get() or plan.runs != RUNS or not any(cells.values()):
        return []
    old_standings = [
        (cell and cell.standing(request.algorithm, request.epsilon, metric.key))
        or Standing(request.algorithm, refusal=NOT_KEPT)
        for request, cell in cells.items()
    ]
    return standings.in_order(old_standings) if any(each.point for each in old_standings) else []


#: Why a slow method has no kept figure.
NOT_KEPT = "it is slow, and was not measured at this level. Run it live"


def draw_kept(
    choice: Choice, plan: SweepPlan, metric: Metric, log: bool, ranked: list[Standing]
) -> None:
    words = (
        f"Measured on {kept_standings().date}, with {RUNS} runs of each method, fewer of slow ones."
    )
    live_runs.show_kept(
        plan,
        words,
        ranked,
        partial(draw, choice, plan, metric, log),
        partial(table_files, metric=metric),
    )


def draw_live(
    choice: Choice, plan: SweepPlan, metric: Metric, log: bool, trials: list[Trial]
) -> None:
    draw(choice, plan, metric, log, standings.ranked(plan.algorithms, trials, metric))


def draw(
    choice: Choice, plan: SweepPlan, metric: Metric, log: bool, ranked: Sequence[Standing]
) -> None:
    chart = ranking_chart.figure(
        ranked, choice, metric, reference_lines(plan, metric), log, plan.runs
    )
    alt = (
        f"Methods ranked by {metric.title} on {choice.about.title}. The table below says the same."
    )
    for point in chart_style.draw(chart, "ranking", alt, plan.data)[:1]:
        if point["customdata"][0] in ALGORITHMS:
            live_runs.explore(choice.request.epsilon, point["customdata"][0])
    st.caption(
        "A dot is the mean of many runs, and its line covers 80 % of them: farther left is better. "
        "Hollow dots have no proof of privacy. Beyond the dotted line a method does worse than an "
        "answer that looks at no data. **Click on a dot** to see it on Explore."
    )
    st.page_link(
        "pages/3_verdicts.py",
        label="Verdicts: which are safe to publish with?",
        icon=":material/verified_user:",
        query_params=address.link(),
    )
    table(ranked, choice, metric)


def table(ranked: Sequence[Standing], choice: Choice, metric: Metric) -> None:
    """Draw the ranking as a table, and the methods that cannot run."""
    able = [each for each in ranked if not each.refusal]
    say = partial(measured, metric=metric, geographic=choice.about.geographic)
    rows = {
        "Method": [named(each.algorithm).title for each in able],
        "Verdict": [named(each.algorithm).claim.capitalize() for each in able],
        metric.title: [say(each.point.mean) if each.point else "…" for each in able],
        "80 % of the runs": [
            f"{say(each.point.low)} to {say(each.point.high)}" if each.point else ""
            for each in able
        ],
        "Runs": [str(each.point.runs) if each.point else "" for each in able],
        "Seconds per run": [
            "" if math.isnan(each.seconds) else f"{each.seconds:.2g}" for each in able
        ],
    }
    places = [str(row + 1) if each.point else "" for row, each in enumerate(able)]
    st.table(pd.DataFrame(rows, index=pd.Index(places, name="Place")), border="horizontal")
    refusal_lines.draw(
        RefusalLine(named(each.algorithm).title, "here", each.refusal)
        for each in ranked
        if each.refusal
    )


def files_of_runs(plan: SweepPlan, metric: Metric, trials: list[Trial]) -> list[File]:
    ranked = standings.ranked(plan.algorithms, trials, metric)
    return [
        *table_files(ranked, metric),
        File("CSV of every run", "ranking-runs.csv", partial(runs_csv, trials)),
        File("JSON of every run", "ranking-runs.json", partial(runs_json, trials)),
    ]


def table_files(ranked: Sequence[Standing], metric: Metric) -> list[File]:
    return [
        File("CSV of this table", "ranking.csv", partial(standings.as_csv, ranked, metric)),
        File("JSON of this table", "ranking.json", partial(standings.as_json, ranked, metric)),
    ]
