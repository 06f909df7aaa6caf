"""A person's own track: read from three formats, refused in one sentence."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from dpcore import BadInput
from dpcore.datasets.tracks import MOST_POSITIONS, read_track

PLACES = [[-73.98, 40.75], [-73.97, 40.76], [-73.96, 40.77]]
GPX = (
    '<?xml version="1.0"?><gpx xmlns="http://www.topografix.com/GPX/1/1" version="1.1">'
    "<trk><trkseg>"
    + "".join(f'<trkpt lat="{lat}" lon="{lon}"><ele>3</ele></trkpt>' for lon, lat in PLACES)
    + "</trkseg></trk></gpx>"
)
LINE = {"type": "LineString", "coordinates": [[*place, 12.5] for place in PLACES]}
POINTS = {
    "type": "FeatureCollection",
    "features": [
        {"type": "Feature", "geometry": {"type": "Point", "coordinates": place}} for place in PLACES
    ],
}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("run.gpx", GPX),
        ("run.GPX", GPX.replace("<trkpt", "<x:trkpt").replace("</trkpt", "</x:trkpt").replace(
            "<gpx ", '<gpx xmlns:x="u" ')),
        ("run.geojson", json.dumps(LINE)),
        ("run.json", json.dumps({"type": "Feature", "properties": {}, "geometry": LINE})),
        ("run.geojson", json.dumps(POINTS)),
        ("run.csv", "time,Lat,Lon\n" + "".join(f"1,{lat},{lon}\n" for lon, lat in PLACES)),
        ("run.csv", "\ufefflongitude,latitude\r\n" + "".join(f"{a},{b}\r\n" for a, b in PLACES)),
    ],
)  # fmt: skip
def test_the_positions_of_each_format_are_read(name, text):
    track = read_track(name, text.encode())
    assert np.array_equal(track.positions, PLACES)
    assert repr(track) == "<a track of 3 positions>"


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("run.fit", b"", r"its name must end with \.gpx, \.geojson, \.json, \.csv"),
        ("run.gpx", b"<gpx></gpx>", "it has no position"),
        ("run.gpx", b"<gpx><trkpt lat='1'></gpx>", "None is no coordinate"),
        ("run.gpx", b"<gpx><trkpt lat='nan' lon='1'/></gpx>", "'nan' is no coordinate"),
        ("run.gpx", b"<gpx>", "it is not GPX"),
        ("run.gpx", b'<!DOCTYPE a [<!ENTITY b "c">]><gpx>&b;</gpx>', "declares a document type"),
        ("run.gpx", bytes(17 << 20), "larger than 16 MB"),
        ("run.csv", b"a,b\n1,2\n", "names no columns longitude and latitude"),
        ("run.csv", b"", "names no columns longitude and latitude"),
        ("run.csv", b"lon,lat\n1\n", "None is no coordinate"),
        ("run.csv", b"lon,lat\n500,2\n", "longitude 500 and latitude 2 are no degrees"),
        ("run.csv", b"\xff\xfe", "not text in UTF-8"),
        ("run.csv", b'lon,lat\n"' + b"x" * 200_000 + b'",1\n', "it is not CSV"),
        ("run.json", b"[" * 100_000, "nested too deeply|not GeoJSON"),
        ("run.json", b"[]", "not GeoJSON of points and lines"),
        ("run.json", b"{", "it is not GeoJSON"),
        ("run.json", json.dumps({"type": "Polygon"}).encode(), "points and lines"),
        ("run.json", b'{"type":"LineString","coordinates":[[1]]}', "only one coordinate"),
        ("run.json", b'{"type":"LineString","coordinates":[["a",1]]}', "'a' is no coordinate"),
        ("run.json", b'{"type":"LineString","coordinates":[[1e999,1]]}', "inf is no coordinate"),
        ("run.json", b'{"type":"LineString"}', "has no coordinates"),
    ],
)
def test_what_is_no_track_is_refused_in_one_sentence(name, content, complaint):
    with pytest.raises(BadInput, match=complaint) as refused:
        read_track(name, content)
    assert len(str(refused.value)) < 300
    assert "\n" not in str(refused.value)


def test_a_track_without_end_is_refused():
    line = b"1,2\n" * (MOST_POSITIONS + 1)
    with pytest.raises(BadInput, match="more than 200,000 positions"):
        read_track("run.csv", b"lon,lat\n" + line)


def test_no_file_is_opened_or_written(monkeypatch, tmp_path):
    def refuse(*_, **__):
        raise AssertionError("a file was opened")

    monkeypatch.setattr("builtins.open", refuse)
    monkeypatch.setattr(Path, "open", refuse)
    assert len(read_track("run.gpx", GPX.encode()).positions) == 3
