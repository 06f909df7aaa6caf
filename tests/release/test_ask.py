"""What was published answers more questions, for free, and says how far noise may mislead."""

import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest
import shapely

import dpcore
from dpcore import Box, regions
from dpcore.cli import main
from dpcore.datasets.city_shapes import neighborhoods
from dpcore.geometry.domain import Grid, from_ticks
from dpcore.release import BuiltinData, Ledger, ReleasePlan, ask, opened, publish
from dpcore.release.ask_notebook import ask_notebook
from dpcore.results import polygons
from dpcore.results.rectangles import geometric_scale, geometric_variance
from dpcore.results.synopsis import Coreset, NoisyGrid
from dpcore.runs.request import Request
from tests.jupyter import executed
from tests.seeded_noise import seeded_noise

EPSILON = 0.5


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    """The folders of releases of the taxi trips, by method."""
    folder = tmp_path_factory.mktemp("asked")
    for method in ("adaptive", "eugkm", "dplloyd"):
        ledger = Ledger(folder / f"{method}-books")
        plan = ReleasePlan("trips", BuiltinData("nyc-taxi"), Request(method, 5, EPSILON))
        with seeded_noise():
            publish(plan, ledger).save(folder / method)
    return folder


def zipped(folder: Path, inside: str = "") -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(folder.iterdir()):
            archive.writestr(inside + file.name, file.read_bytes())
    return packed.getvalue()


@pytest.mark.parametrize("method", ["adaptive", "eugkm"])
def test_a_count_inside_an_area_is_as_near_to_the_truth_as_it_says(released, method):
    release, data = opened(released / method), dpcore.datasets.load("nyc-taxi")
    rows = data.box.from_unit(from_ticks(data.positions()[0]))
    inside = far_off = 0
    areas = [area for area in neighborhoods() if area.shape.intersects(shapely.box(*box_of(data)))]
    for each, area in zip(ask.counts(release, areas), areas, strict=True):
        truth = shapely.intersects_xy(area.shape, *rows.T).sum()
        inside += each.estimate.low <= truth <= each.estimate.high
        off = abs(each.estimate.value - truth)
        far_off += off > 5 * each.estimate.error + each.estimate.cut + 1
    assert inside >= 0.95 * len(areas)
    # The points of an adaptive release leave out a place that hardly differs from those around it.
    assert far_off <= (1 if method == "adaptive" else 0)


def box_of(data):
    return (*data.box.low, *data.box.high)


def test_the_published_noise_is_that_of_the_charges(released):
    for method in ("adaptive", "eugkm"):
        release = opened(released / method)
        charges = release.certificate["transcript"]["charges"]
        known = {geometric_variance(each["scale"]) for each in charges if each["scale"]}
        variances = release.synopsis.variances
        if method == "eugkm":
            assert variances.min() == pytest.approx(min(known))
        # A point that stands for several cells of the first stage has the noise of all of them.
        multiples = [
            min(abs(one / each - round(one / each)) + (round(one / each) == 0) for each in known)
            for one in np.unique(variances)
        ]
        assert max(multiples) == pytest.approx(0, abs=0.01)


def test_a_scale_of_noise_is_found_from_its_variance():
    for scale in (0.1, 0.3, 1.0, 40.0, 1e6):
        assert geometric_scale(geometric_variance(scale)) == pytest.approx(scale, rel=1e-6)
    assert geometric_scale(0.0) == geometric_scale(1e-300) == 0.0


def test_any_number_of_centers_costs_nothing_and_is_nearly_as_good_as_on_the_data(released):
    release, data = opened(released / "adaptive"), dpcore.datasets.load("nyc-taxi")
    best = dpcore.nicv(data, dpcore.baseline(data, 7, seed=0).centers)
    assert dpcore.nicv(data, ask.new_centers(release, 7)) < 1.03 * best
    told = ask.center_cost(release, ask.new_centers(release, 7))
    assert told.nicv == pytest.approx(best, rel=0.1)
    assert told.in_meters
    assert 500 < told.distance < 1200
    medians = ask.center_cost(release, ask.new_medians(release, 7))
    assert medians.distance <= told.distance
    assert medians.nicv >= told.nicv


@pytest.mark.parametrize("method", ["adaptive", "eugkm"])
def test_the_curve_of_costs_falls_and_bends_where_there_are_clusters(tmp_path, method):
    plan = ReleasePlan("five", BuiltinData("gaussians-k5-d2"), Request(method, 2, 1.0))
    with seeded_noise():
        publish(plan, Ledger(tmp_path / "books")).save(tmp_path / "out")
    curve = ask.cost_curve(opened(tmp_path / "out"), range(1, 11))
    costs = [cost for _, cost in curve.costs]
    assert costs == sorted(costs, reverse=True)
    assert curve.suggested == 5
    with pytest.raises(dpcore.BadInput, match="three numbers"):
        ask.cost_curve(opened(tmp_path / "out"), [2, 2, 3])


def test_a_release_of_centers_alone_says_that_it_can_answer_nothing_else(released):
    release = opened(released / "dplloyd")
    assert release.centers.shape == (5, 2)
    with pytest.raises(dpcore.Infeasible, match="no points beside them"):
        ask.new_centers(release, 3)


@pytest.mark.parametrize(
    ("centers", "why"), [([[0.0]], "rows of 2 numbers"), ([[np.nan, 0.0]], "finite")]
)
def test_centers_that_cannot_be_costed_are_refused(released, centers, why):
    with pytest.raises(dpcore.BadInput, match=why):
        ask.center_cost(opened(released / "adaptive"), centers)


@pytest.mark.parametrize("k", [0, 101, 1.5, True])
def test_a_number_of_centers_out_of_range_is_refused(released, k):
    with pytest.raises(dpcore.BadInput, match="from 1 to 100"):
        ask.new_centers(opened(released / "adaptive"), k)


def test_a_density_adds_up_to_all_rows(released):
    for method in ("adaptive", "eugkm"):
        release = opened(released / method)
        found = ask.density(release, 16)
        assert found.counts.shape == (16, 16)
        assert found.counts.sum() == pytest.approx(release.synopsis.weights.sum())
        whole = ask.counts(release, [regions.rectangle("all", release.box.low, release.box.high)])
        assert found.square_kilometers.sum() == pytest.approx(whole[0].square_kilometers, rel=1e-4)


def test_the_size_of_an_area_is_that_of_the_land_register():
    manhattan = regions.place("Manhattan")
    assert ask.square_kilometers(manhattan.shape) == pytest.approx(59.1, rel=0.03)


def test_cells_of_a_grid_count_with_the_part_that_lies_inside():
    box = Box.cube(2)
    grid = NoisyGrid(Grid(box, 2), np.array([[4, 8], [12, 16]]), scale=1.0)
    half = grid.count_inside(shapely.box(-1, -1, -0.5, 1))
    assert (half.value, half.cut) == (6.0, 12.0)
    assert half.error == pytest.approx(np.sqrt(geometric_variance(1.0) * 0.5))
    triangle = grid.count_inside(shapely.Polygon([(-1, -1), (1, -1), (1, 1)]))
    assert triangle.value == pytest.approx(4 / 2 + 12 + 16 / 2)
    assert grid.count_inside(shapely.box(5, 5, 6, 6)).value == 0


def test_a_rectangle_is_counted_alike_as_a_rectangle_and_as_a_polygon():
    coins = np.random.default_rng(0)
    points = Coreset(
        coins.uniform(-1, 1, (300, 2)), coins.uniform(1, 9, 300), Box.cube(2), np.ones(300)
    )
    for low, high in (((-1, -1), (0, 0)), ((-0.3, -0.7), (0.6, 0.1)), ((-1, -1), (1, 1))):
        one, other = points.count(low, high), points.count_inside(shapely.box(*low, *high))
        assert (one.value, one.error) == (other.value, other.error)
        assert other.cut <= one.cut + 1e-9


def test_an_area_that_crosses_itself_is_refused():
    with pytest.raises(dpcore.BadInput, match="crosses itself"):
        polygons.in_unit(Box.cube(2), shapely.Polygon([(0, 0), (1, 1), (1, 0), (0, 1)]))
    with pytest.raises(dpcore.BadInput, match="2 coordinates"):
        polygons.in_unit(Box.cube(3), shapely.box(0, 0, 1, 1))


@pytest.mark.parametrize("inside", ["", "release-1/"])
def test_a_release_opens_from_its_folder_its_certificate_and_its_zip(released, tmp_path, inside):
    folder = released / "adaptive"
    packed = zipped(folder, inside)
    (tmp_path / "release.zip").write_bytes(packed)
    for source in (folder, folder / "certificate.json", tmp_path / "release.zip", packed):
        assert opened(source).centers.tolist() == opened(folder).centers.tolist()


def test_a_changed_file_is_not_asked(released, tmp_path):
    files = {file.name: file.read_bytes() for file in (released / "adaptive").iterdir()}
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "holiday.jpg").write_bytes(b"not part of the release")
    assert "holiday.jpg" not in opened(tmp_path).files
    (tmp_path / "points.csv").write_bytes(files["points.csv"] + b"-74,40.7,1000,1\n")
    with pytest.raises(dpcore.BadInput, match=r"points\.csv is not the file that was released"):
        opened(tmp_path)
    changed = files["certificate.json"].replace(b'"k": 5', b'"k": 6')
    (tmp_path / "certificate.json").write_bytes(changed)
    with pytest.raises(dpcore.BadInput, match="was changed"):
        opened(tmp_path)
    (tmp_path / "certificate.json").unlink()
    with pytest.raises(dpcore.BadInput, match=r"no certificate\.json"):
        opened(tmp_path)


def archive(*members: tuple[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members:
            file.writestr(name, content)
    return packed.getvalue()


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "no ZIP"),
        (b"PK\3\4 and then nothing", "no ZIP"),
        (archive(("a/x", b""), ("b/y", b"")), "in several"),
        (archive(*((f"{i}.csv", b"") for i in range(101))), "no release has more than 100"),
        (archive(("x.csv", b"1")), r"no certificate\.json"),
        (archive(("certificate.json", b"{}")), "not that of a dpcore release"),
        (archive(("certificate.json", b"[" * 10**5)), "cannot be read"),
    ],
    ids=["empty", "cut", "folders", "many", "other", "bare", "deep"],
)
def test_what_is_no_release_is_refused_in_words(content, why):
    with pytest.raises(dpcore.BadInput, match=why):
        opened(content)


def test_a_zip_that_unpacks_to_far_more_is_not_unpacked(monkeypatch):
    monkeypatch.setattr("dpcore.release.opening.MOST_BYTES", 10_000)
    with pytest.raises(dpcore.BadInput, match="no release is so large"):
        opened(archive(("bomb.csv", b"0" * 10**6)))


def test_links_in_a_folder_are_not_followed(released, tmp_path):
    for file in (released / "adaptive").iterdir():
        (tmp_path / file.name).symlink_to(file)
    with pytest.raises(dpcore.BadInput, match=r"no certificate\.json"):
        opened(tmp_path)


def test_the_command_answers_in_words_and_as_json(released, tmp_path, capsys):
    folder = str(released / "adaptive")
    assert main(["ask", folder]) == 0
    said = capsys.readouterr().out
    assert "centers fit these data best." in said
    assert ask.FREE in said
    area = tmp_path / "area.geojson"
    ring = [[-74.0, 40.74], [-73.96, 40.74], [-73.96, 40.78], [-74.0, 40.78], [-74.0, 40.74]]
    feature = {
        "type": "Feature",
        "properties": {"name": "midtown"},
        "geometry": {"type": "Polygon", "coordinates": [ring]},
    }
    area.write_text(json.dumps({"type": "FeatureCollection", "features": [feature]}))
    centers = str(released / "adaptive" / "centers.csv")
    questions = ["-k", "7", "--cost", centers, "--inside", str(area), "--neighborhoods"]
    assert main(["ask", folder, *questions, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["price"] == 0
    assert len(told["centers"]["centers"]) == 7
    assert told["areas"][0]["name"] == "midtown"
    assert told["areas"][0]["low"] < told["areas"][0]["rows"] < told["areas"][0]["high"]
    assert len(told["neighborhoods"]) > 50
    assert main(["ask", folder, *questions, "--median"]) == 0
    said = capsys.readouterr().out
    assert "midtown" in said
    assert "by noise" in said
    assert ask.FREE in said
    assert main(["ask", folder, "--density"]) == 2
    assert main(["ask", folder, "--density", "4", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out.splitlines()[-1])["density"]["cells"]) == 4


def test_the_command_says_which_column_of_centers_is_missing(released, tmp_path, capsys):
    (tmp_path / "c.csv").write_text("x,y\n1,2\n")
    assert main(["ask", str(released / "adaptive"), "--cost", str(tmp_path / "c.csv")]) == 2
    assert "no column 'longitude'" in capsys.readouterr().err


def test_the_notebook_runs_beside_the_files_and_gives_the_same_answers(released, tmp_path, capsys):
    folder = released / "adaptive"
    for file in folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    name = tmp_path / "asked.ipynb"
    assert main(["ask", str(folder), "--notebook", str(name)]) == 0
    assert "asks the same questions" in capsys.readouterr().out
    assert name.read_bytes() == ask_notebook(opened(folder).certificate)
    shown = executed(name.read_bytes(), tmp_path)
    suggested = ask.cost_curve(opened(folder)).suggested
    assert f"{suggested} centers fit these data best." in shown[1]
    assert "Midtown" in "".join(shown)


def test_the_cost_of_no_more_centers_than_a_visit_may_wait_for_is_told(released):
    """Each is compared with every published point."""
    release = opened(released / "adaptive")
    many = np.tile(release.centers.value[:1], (ask.MOST_CENTERS + 1, 1))
    assert ask.center_cost(release, many[1:]).in_meters
    with pytest.raises(dpcore.BadInput, match="at most 1,000 centers"):
        ask.center_cost(release, many)
