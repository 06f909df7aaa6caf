"""However a run ends, what it cost is in the ledger: what it asked where it ended by itself, and
its whole price where the rows, or somebody who watched, may have chosen the moment."""

from __future__ import annotations

import signal
import threading
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from dpcore.algorithms import get
from dpcore.cli import INTERRUPTED, REFUSED, main
from dpcore.datasets import RowsDataset
from dpcore.datasets.engines import DuckDBEngine, ReadingStopped
from dpcore.datasets.grid import GridDataset
from dpcore.errors import Infeasible
from dpcore.geometry.domain import Box
from dpcore.privacy.accounting import Accounting, Budget
from dpcore.privacy.losses import Approx, Pure
from dpcore.privacy.release_noise import ReleaseNoise
from dpcore.privacy.transcript import Transcript
from dpcore.release import (
    Amount,
    FileData,
    Ledger,
    ReleaseRefused,
    Unanswered,
    Unit,
    publish,
)
from dpcore.release.charging import booked
from tests.release.conftest import BOX, plan


def used(ledger: Ledger) -> Amount:
    account = ledger.account("s1")
    return account.used if account else Amount()


def raising(error: BaseException):
    def raise_(*_: object, **__: object):
        raise error

    return raise_


@pytest.fixture
def after_one(monkeypatch):
    """Make dplloyd ask for the number of rows at a tenth of its budget, and go on as it is told."""

    def install(then):
        def run(self, curator, k, **_):
            curator.noisy_counts(curator_grid(curator), Pure(curator.budget.epsilon / 10), "rows")
            return then(curator)

        monkeypatch.setattr(type(get("dplloyd")), "run", run)

    return install


def curator_grid(curator):
    from dpcore.geometry.domain import Grid

    return Grid(curator.box, 1)


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit, GeneratorExit])
@pytest.mark.parametrize("when", ["using the budget", "drawing noise", "writing the files"])
def test_whoever_stops_it_once_noise_was_drawn_pays_the_whole_price(stop, when, ledger):
    def impatient(progress):
        if progress.doing == when and (progress.part or when == "writing the files"):
            raise stop

    with pytest.raises(stop) as caught:
        publish(plan(), ledger, impatient)
    assert used(ledger) == Amount.of(0.5)
    assert ledger.entries()[0].failure == f"It was stopped ({stop.__name__})."
    assert "ε 0.5 is used" in caught.value.__notes__[0]
    assert ledger.files(1) == {}


@pytest.mark.parametrize("when", ["looking at the ledger", "counting the rows"])
def test_whoever_stops_it_before_pays_nothing(when, ledger):
    def impatient(progress):
        if progress.doing == when:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        publish(plan(), ledger, impatient)
    assert ledger.entries() == []


class EndlessEngine(DuckDBEngine):
    """Asks a question of rows that takes years, unless it is stopped."""

    stopped = False

    def grid_counts(self, source, grid):
        try:
            self._run(source.path, "SELECT count(*) FROM range(1000000000) a, range(1000000000) b")
        except ReadingStopped:
            self.stopped = True
            raise
        return super().grid_counts(source, grid)


class EndlessTotals(EndlessEngine):
    """The same, of the question by which rows are known again."""

    def cluster_totals(self, source, box, centers):
        return self.grid_counts(source, box)


@pytest.mark.parametrize("engine", [EndlessEngine(), EndlessTotals()])
def test_what_watches_the_progress_can_end_the_reading_of_rows_at_no_cost(engine, ledger, tmp_path):
    (path := tmp_path / "rows.csv").write_text("x,y,z\n0.1,0.1,0.1\n")
    names = ("x", "y", "z") if isinstance(engine, EndlessTotals) else ("x", "y")
    box = Box((0,) * len(names), (1,) * len(names), names)

    def watching(progress):
        if engine._running:
            raise ReadingStopped("rows")

    data = FileData(str(path), names, box, engine=engine)
    with pytest.raises(ReadingStopped, match="rows"):
        publish(replace(plan(), data=data), ledger, watching)
    assert engine.stopped
    assert ledger.entries() == []


def test_whoever_stops_it_while_rows_are_read_waits_for_no_row_and_pays_nothing(ledger, tmp_path):
    (path := tmp_path / "rows.csv").write_text("lon,lat\n0.1,0.1\n")
    box = Box((0, 0), (1, 1), ("lon", "lat"))
    data = FileData(str(path), ("lon", "lat"), box, engine=(engine := EndlessEngine()))

    def impatient(progress):
        if engine._running:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        publish(replace(plan(), data=data), ledger, impatient)
    assert engine.stopped
    assert caught.value.__notes__ == ["Nothing had been drawn yet, so no budget is used."]
    assert ledger.entries() == []


def test_stopping_again_and_again_empties_the_account(ledger):
    def impatient(progress):
        if progress.doing == "writing the files":
            raise KeyboardInterrupt

    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            publish(plan(), ledger, impatient)
    with pytest.raises(ReleaseRefused, match="ε 0 is left"):
        publish(plan(), ledger, impatient)


@pytest.mark.parametrize("error", [Infeasible("too few"), ValueError("x"), ZeroDivisionError()])
def test_a_run_that_ends_by_itself_is_charged_what_it_asked(error, ledger, after_one):
    after_one(raising(error))
    # The float 0.05 is a little more than a twentieth.
    with pytest.raises(Unanswered, match=r"ε 0\.0500001 is used"):
        publish(plan(), ledger)
    assert used(ledger) == Amount.of(0.0500001)


def test_a_unit_of_several_rows_is_charged_for_all_of_them(patients, ledger, after_one):
    after_one(raising(Infeasible("too few")))
    person = plan(data=FileData(str(patients), ("lon", "lat"), BOX), unit=Unit("person", "who", 4))
    with pytest.raises(Unanswered, match=r"ε 0\.0500001 is used"):
        publish(person, ledger)
    assert used(ledger) == Amount.of(0.0500001)


def test_what_was_set_aside_is_charged_whole_with_its_delta():
    """Inside, charges count in rho: that is worth its epsilon only as a whole."""
    account = Transcript(Budget(0.5, 1e-6))
    account.charge("two-sided geometric", "rows", Pure(0.1), 1.0, 10.0)
    inside = Transcript(Budget(0.2, 1e-6, Accounting.ZCDP))
    account.charge("set aside", "the rest", Approx(0.2, 1e-6), 0.0, inner=(inside,))
    price = Amount.of(0.5, 1e-6)
    spent = booked(account, Unit(), price)
    assert spent == Amount.of(0.300001, 1e-6)
    assert booked(Transcript(Budget(0.5, 1e-6, Accounting.ZCDP)), Unit(), price) == price


@pytest.mark.parametrize("error", [ValueError("row 7"), Infeasible("x"), KeyError("a")])
def test_an_error_while_the_rows_were_read_is_charged_in_full(
    error, ledger, after_one, monkeypatch
):
    def again(curator):
        for kind in (RowsDataset, GridDataset):
            monkeypatch.setattr(kind, "histogram", raising(error))
        curator.noisy_counts(curator_grid(curator), Pure(curator.budget.epsilon / 10), "rows")

    after_one(again)
    with pytest.raises(Unanswered, match=r"ε 0\.5 is used"):
        publish(plan(), ledger)
    assert used(ledger) == Amount.of(0.5)
    if not isinstance(error, Infeasible):
        assert "row 7" not in ledger.entries()[0].failure


def test_an_error_of_the_rows_that_was_made_into_another_is_charged_in_full(
    ledger, after_one, monkeypatch
):
    def again(curator):
        for kind in (RowsDataset, GridDataset):
            monkeypatch.setattr(kind, "histogram", raising(OSError("row 7")))
        try:
            curator.noisy_counts(curator_grid(curator), Pure(curator.budget.epsilon / 10), "rows")
        except OSError:
            raise Infeasible("not today") from None

    after_one(again)
    with pytest.raises(Unanswered, match=r"ε 0\.5 is used"):
        publish(plan(), ledger)


def test_a_want_of_memory_is_charged_in_full(ledger, after_one):
    after_one(raising(MemoryError()))
    with pytest.raises(Unanswered, match=r"MemoryError.*ε 0\.5 is used"):
        publish(plan(), ledger)


def test_a_crash_that_asked_nothing_costs_nothing(ledger, monkeypatch):
    monkeypatch.setattr(type(get("dplloyd")), "run", raising(RuntimeError("crash")))
    with pytest.raises(RuntimeError):
        publish(plan(), ledger)
    assert ledger.entries() == []


def test_no_signal_cuts_the_entry_in_two(ledger, monkeypatch):
    """Ctrl-C while the ledger is being written: the release is there, charged once, and said so."""
    real, begun, pressed = Ledger.record, threading.Event(), threading.Event()

    def slow(self, *arguments, **named):
        begun.set()
        assert pressed.wait(600)
        return real(self, *arguments, **named)

    monkeypatch.setattr(Ledger, "record", slow)

    def press():
        begun.wait()
        signal.raise_signal(signal.SIGINT)
        pressed.set()

    pressing = threading.Thread(target=press)
    pressing.start()
    with pytest.raises(KeyboardInterrupt) as caught:
        publish(plan(), ledger)
    pressing.join()
    assert caught.value.__notes__ == ["Release 1 was made, and is in the ledger."]
    assert used(ledger) == Amount.of(0.5)
    assert len(ledger.entries()) == 1


@pytest.fixture
def gone(monkeypatch):
    """Do something just before the first noise is drawn, or once the run is over."""

    def at(change, when: str):
        real = ReleaseNoise.geometric if when == "first" else None

        def first(self, *arguments):
            monkeypatch.setattr(ReleaseNoise, "geometric", real)
            change()
            return real(self, *arguments)

        if when == "first":
            monkeypatch.setattr(ReleaseNoise, "geometric", first)

    return at


def cube(path) -> FileData:
    names = ("x", "y", "z")
    rng = np.random.default_rng(0)
    pd.DataFrame(rng.uniform(0, 1, (500, 3)), columns=names).to_csv(path, index=False)
    return FileData(str(path), names, Box((0,) * 3, (1,) * 3, names))


def test_a_file_that_is_replaced_while_it_is_opened_costs_nothing(tmp_path, ledger, monkeypatch):
    data = cube(tmp_path / "a.csv")
    real = FileData.open

    def replaced(self, unit):
        rows = real(self, unit)
        cube(tmp_path / "b.csv")
        (tmp_path / "b.csv").rename(tmp_path / "a.csv")
        return rows

    monkeypatch.setattr(FileData, "open", replaced)
    with pytest.raises(ValueError, match="changed while they were read"):
        publish(plan(data=data), ledger)
    assert ledger.entries() == []


def test_a_file_that_is_replaced_during_the_run_publishes_nothing(tmp_path, ledger, gone):
    """Nobody can tell which of the two answered: all of it is charged."""
    data = cube(tmp_path / "a.csv")

    def replace():
        cube(tmp_path / "b.csv")
        (tmp_path / "b.csv").rename(tmp_path / "a.csv")

    gone(replace, "first")
    with pytest.raises(Unanswered, match=r"changed while.*ε 0\.5 is used"):
        publish(plan(data=data), ledger)
    assert used(ledger) == Amount.of(0.5)
    assert ledger.files(1) == {}


def test_the_command_charges_what_was_asked_and_history_shows_it(patients, tmp_path, capsys):
    """How many rows a file has is asked at first, and then too few for the rest."""
    words = ["release", "coreset-faithful", "-k", "5", "--epsilon", "0.5", "--name", "visits"]
    words += ["--data", str(patients), "--columns", "lon", "lat"]
    words += ["--box", "-74.1", "40.7", "-73.9", "40.9"]
    words += ["--allowed", "1", "--yes", "--ledger", str(tmp_path), "--output", str(tmp_path / "o")]
    assert main(words) == REFUSED
    assert "ε 0.0250001 is used" in capsys.readouterr().err
    assert not (tmp_path / "o").exists()
    assert main(["history", "--ledger", str(tmp_path)]) == 0
    told = capsys.readouterr().out
    assert "ε 0.0250001 of ε 1 used, ε 0.9749999 left" in told
    assert "of ε 0.5" in told


def test_the_command_says_what_ctrl_c_cost(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(
        "dpcore.release.bundle.export.centers_parquet", raising(KeyboardInterrupt())
    )
    words = ["release", "dplloyd", "-k", "3", "--epsilon", "0.5", "--data", "s1-like", "--yes"]
    words += ["--allowed", "1", "--ledger", str(tmp_path), "--output", str(tmp_path / "o")]
    assert main(words) == INTERRUPTED
    assert "dpcore: stopped. The run had begun to ask" in capsys.readouterr().err
