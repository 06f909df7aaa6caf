"""Hostile releases: their author may have written anything into the files that others open."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet as arrow

from dpcore.errors import BadInput
from dpcore.release import ask, opened
from dpcore.release.certificate import NAME
from dpcore.release.opening import MOST_CERTIFICATE, told_of
from dpcore.release.release_zip import zipped
from dpcore.results import parquet
from tests.release.tampering import at, copied, numbers, put, refingerprinted

#: What is in the files of centers, where no other file tells them.
TEXTS = {
    "no text": b"\xff\xfe",
    "a short line": b"center,longitude,latitude\n1,2\n",
    "other columns": b"a,b\n1,2\n",
    "a long field": b"center,longitude,latitude\n1," + b"9" * 200_000 + b",2\n",
    "no center": b"center,longitude,latitude\n",
}
SHAPES = {
    "a list": b"[]",
    "a deep list": b'{"features":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "a center without a place": b'{"features":[{"geometry":null,"properties":{}}]}',
}
NUMBERS = {
    "a center that is no number": numbers("centers", at((0, 0), lambda x: np.nan)),
    "a center without an end": numbers("centers", at((0, 0), lambda x: np.inf)),
    "no centers": numbers("centers", lambda table: table[:0]),
    "a point that is no number": numbers("points", at((0, 0), lambda x: np.nan)),
    "a point beyond the box": numbers("points", at((0, 0), lambda x: 1e300)),
    "a weight that is no number": numbers("points", at((0, 2), lambda x: np.nan)),
    "a weight without an end": numbers("points", at((0, 2), lambda x: np.inf)),
    "a weight beyond all counts": numbers("points", at((0, 2), lambda x: 1e308)),
    "noise below nothing": numbers("points", at((0, 3), lambda x: -1)),
    "noise that is no number": numbers("points", at((0, 3), lambda x: np.nan)),
    "a box beyond all bounds": put("box", "low", 0, to=-(10**400)),
    "a damaged file": lambda said, files: files.update({"points.parquet": b"PAR1xxxxPAR1"}),
}


def changed(release, *edits, only=None):
    """The ZIP of a release that somebody changed with care."""
    said, files = copied(release.files)
    if only is not None:
        for name in [name for name in files if name.startswith(("centers.", "points."))]:
            del files[name], said["files"][name]
        name, content = only
        files[name] = content
        said["files"][name] = {}
    for edit in edits:
        edit(said, files)
    return zipped(refingerprinted(said, files))


def refused(content):
    """What is wrong is said in words, wherever it is noticed."""
    with pytest.raises(BadInput):
        asked(content)


def asked(content):
    release = opened(content)
    ask.points_of(release)
    return ask.center_cost(release, release.centers)


def test_the_release_that_is_changed_answers(published):
    assert asked(changed(published["city"])).in_meters


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_that_no_release_has_are_refused_in_words(name, published):
    refused(changed(published["city"], NUMBERS[name]))


@pytest.mark.parametrize("name", TEXTS)
def test_a_table_that_is_none_is_refused_in_words(name, published):
    refused(changed(published["city"], only=("centers.csv", TEXTS[name])))


@pytest.mark.parametrize("name", SHAPES)
def test_a_map_that_is_none_is_refused_in_words(name, published):
    refused(changed(published["city"], only=("centers.geojson", SHAPES[name])))


def test_a_certificate_larger_than_any_is_not_read(published, monkeypatch):
    """As objects of Python, text takes many times its memory."""
    files = dict(published["city"].files)
    files[NAME] = b'{"files":{"rows.csv":0},"a":[' + b"0," * (MOST_CERTIFICATE // 2) + b"0]}"
    content = zipped(files)
    monkeypatch.setattr(json, "loads", lambda text: pytest.fail("it was read"))
    with pytest.raises(BadInput, match="no certificate is so large"):
        opened(content)
    assert "rows.csv" not in told_of(files)


def test_a_table_of_texts_is_not_read(monkeypatch):
    """A few bytes can say that a long text stands in each of millions of rows."""
    texts = pa.table({"x": pa.array(["a" * 1000] * 1000).dictionary_encode()})
    file = pa.BufferOutputStream()
    arrow.write_table(texts, file)
    content = file.getvalue().to_pybytes()
    monkeypatch.setattr(arrow.ParquetFile, "read", lambda *_, **__: pytest.fail("it was read"))
    with pytest.raises(ValueError, match="holds no numbers"):
        parquet.read(content, ["x"])
    assert not parquet.holds_only(content, ["x"], numbered=False)
