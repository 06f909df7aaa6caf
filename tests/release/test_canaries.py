"""What must not leave is planted in the data and looked for in every file of every release."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterable, Iterator

import numpy as np
import pandas as pd
import pytest

import dpcore
from dpcore.datasets.rows import from_array
from dpcore.geometry.domain import Grid
from dpcore.release import FileData, Ledger, Release, Unit, publish
from dpcore.study.metrics import nicv
from tests.leaks import in_each
from tests.release.conftest import BOX, ROWS

OWN = ["adaptive", "coreset", "eugkm"]
#: One number is told by chance in hardly one release of a thousand: a file may have as many bytes
#: as there are rows. In four it is a leak.
RELEASES = 4
NUMBER = re.compile(rb"(?<![\w.])-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?!\w)")


def numbers(files) -> set[float]:
    """Every number that any file holds, Parquet included."""
    found: set[float] = set()
    for name, content in files.items():
        if name.endswith(".parquet"):
            found |= set(pd.read_parquet(io.BytesIO(content)).to_numpy().ravel().tolist())
        else:
            found |= set(map(float, NUMBER.findall(content)))
    return found


@pytest.fixture(scope="module")
def values(patients) -> np.ndarray:
    return pd.read_parquet(patients)[["lon", "lat"]].to_numpy()


def test_the_canaries_sing(values):
    """The search finds what it looks for, in every kind of file."""
    table = io.BytesIO()
    pd.DataFrame({"lon": values[:1, 0]}).to_parquet(table)
    longitude = float(values[0, 0])
    files = {
        "a.parquet": table.getvalue(),
        "a.json": f'{{"n": {ROWS}, "x": [{longitude!r}]}}'.encode(),
        "a.html": f"<td>{longitude!r}</td>".encode(),
    }
    for name, content in files.items():
        assert longitude in numbers({name: content})
    assert ROWS in numbers(files)


@pytest.fixture
def never_told(published, plans, tmp_path) -> Callable[..., None]:
    """Fails on what every release of a plan tells: a leak is there each time, and chance is not."""

    def never(name: str, forbidden: Iterable[float], digits: int | None = None) -> None:
        def rounded(found: Iterable[float]) -> set[float]:
            return {round(n, digits) if digits else n for n in found}

        def releases() -> Iterator[Release]:
            yield published[name]
            for i in range(1, RELEASES):
                yield publish(plans[name], Ledger(tmp_path / str(i)))

        wanted = rounded(forbidden)
        assert not in_each(wanted & rounded(numbers(release.files)) for release in releases())

    return never


def test_what_is_always_told_is_a_leak(never_told, published):
    with pytest.raises(AssertionError):
        never_told("eugkm", [published["eugkm"].certificate["epsilon"]])


@pytest.mark.parametrize("name", OWN)
def test_no_raw_coordinate_leaves(name, never_told, values):
    never_told(name, values.ravel().tolist())


@pytest.mark.parametrize("name", OWN)
def test_no_exact_number_leaves_where_numbers_are_private(name, never_told, patients, values):
    """Rows, people, rows that were kept, the fullest cell: all of it is for the curator alone."""
    kept = FileData(str(patients), ("lon", "lat"), BOX).open(Unit("person", "who", 3))
    people = pd.read_parquet(patients)["who"].nunique()
    fullest = int(kept.histogram(Grid(BOX, 1)).max())
    assert ROWS > kept.n == fullest > 8000
    never_told(name, (ROWS, kept.n, people))


@pytest.mark.parametrize("name", OWN)
def test_no_center_that_looked_at_the_data_and_no_figure_of_error_leaves(
    name, never_told, published, values
):
    data = from_array(values, BOX)
    red = dpcore.baseline(data, 6, seed=0)
    exact = nicv(data, red.centers)
    never_told(name, [*np.asarray(red.centers).ravel().tolist(), red.cost.value, exact], digits=9)
    text = b"".join(c for n, c in published[name].files.items() if not n.endswith("parquet"))
    assert b"NICV" not in text
    assert b"inertia" not in text.lower()


def test_nothing_tells_where_the_file_lies_or_what_it_is_known_by(published, patients):
    for name in OWN:
        for content in published[name].files.values():
            assert b"oncology" not in content
            assert b"patients-2026" not in content
            assert str(patients).encode() not in content


def test_no_file_holds_a_seed_or_a_duration(published):
    for release in published.values():
        said = release.certificate
        assert said["noise"]["seed"] is None
        assert not re.search(rb"seed[\"']?[:=] ?\d", b"".join(release.files.values()))
        assert not {"duration", "seconds", "elapsed"} & set(said)


def test_files_of_a_release_and_no_others_are_for_publication(published):
    """A ledger has paid for them, so none carries the status that every other file has."""
    for release in published.values():
        for content in release.files.values():
            assert b"not for publication" not in content
            assert b"for your eyes only" not in content


def test_under_add_remove_no_certificate_of_a_built_in_set_tells_its_number_of_rows(published):
    for name, rows in (("trips", 50_000), ("auto", 150)):
        said = dict(published[name].certificate)
        assert [each["why"] for each in said["answers"]].count("number of rows") == 1
        del said["answers"]  # noisy, and so the number itself once in a while
        files = {n: c for n, c in published[name].files.items() if n == "certificate.html"}
        files["certificate.json"] = json.dumps(said).encode()
        assert float(rows) not in numbers(files)
