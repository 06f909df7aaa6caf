"""MNIST and CIFAR-10 are read as they are given out, and nothing in a batch is called."""

from __future__ import annotations

import gzip
import pickle
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from dpcore.datasets.image_sets import CIFAR_BATCHES, MNIST_FILES
from dpcore.datasets.paper_sets import EXTRA
from dpcore.geometry.domain import from_ticks


def idx(images: np.ndarray) -> bytes:
    """An idx file of images: magic number, sizes, pixels."""
    sizes = np.array(images.shape, dtype=">u4").tobytes()
    return b"\x00\x00\x08\x03" + sizes + images.tobytes()


@pytest.fixture
def pixels() -> np.ndarray:
    return np.random.default_rng(0).integers(0, 256, (3, 28, 28), dtype=np.uint8)


def values(key: str, folder: Path) -> np.ndarray:
    data = EXTRA[key].read(folder)
    return data.box.from_unit(from_ticks(data.positions()[0]))


@pytest.mark.parametrize("packed", [False, True])
def test_mnist_is_its_training_and_test_images(packed: bool, pixels, tmp_path: Path) -> None:
    for name in MNIST_FILES:
        if packed:
            (tmp_path / f"{name}.gz").write_bytes(gzip.compress(idx(pixels)))
        else:
            (tmp_path / name).write_bytes(idx(pixels))
    rows = values("mnist", tmp_path)
    assert rows.shape == (6, 784)
    assert np.allclose(rows[:3], pixels.reshape(3, 784), atol=1e-3)


def test_an_idx_file_that_is_cut_short_is_refused(pixels, tmp_path: Path) -> None:
    for name in MNIST_FILES:
        (tmp_path / name).write_bytes(idx(pixels)[:-1])
    with pytest.raises(ValueError, match="should hold 3 images"):
        EXTRA["mnist"].read(tmp_path)


def test_a_file_that_is_no_idx_file_is_refused(tmp_path: Path) -> None:
    for name in MNIST_FILES:
        (tmp_path / name).write_bytes(b"<html>")
    with pytest.raises(ValueError, match="begins with the bytes"):
        EXTRA["mnist"].read(tmp_path)


@pytest.mark.parametrize("key", ["mnist", "cifar-10"])
def test_a_missing_file_is_said_by_name(key: str, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=f"{EXTRA[key].title} is not there: .* in "):
        EXTRA[key].read(tmp_path)


def batch() -> np.ndarray:
    """Two images: one all gray 10, 20, 30; one with a single bright block of red."""
    images = np.zeros((2, 3, 32, 32), dtype=np.uint8)
    images[0] = np.array([10, 20, 30], dtype=np.uint8)[:, None, None]
    images[1, 0, :4, :4] = 200
    return images.reshape(2, 3072)


def write_python(folder: Path, old: bool = True) -> None:
    """Batches in Python's form; the ones given out name a module of an older NumPy."""
    (folder / "cifar-10-batches-py").mkdir()
    told = {b"batch_label": b"one", b"labels": [0, 1], b"data": batch()}
    content = pickle.dumps(told, protocol=2)
    if old:
        content = content.replace(b"numpy._core.multiarray", b"numpy.core.multiarray")
    for name in CIFAR_BATCHES:
        (folder / "cifar-10-batches-py" / name).write_bytes(content)


def write_binary(folder: Path) -> None:
    (folder / "cifar-10-batches-bin").mkdir()
    content = np.hstack([np.array([[0], [1]], dtype=np.uint8), batch()]).tobytes()
    for name in CIFAR_BATCHES:
        (folder / "cifar-10-batches-bin" / f"{name}.bin").write_bytes(content)


@pytest.mark.parametrize("write", [write_python, partial(write_python, old=False), write_binary])
def test_cifar_is_read_from_either_form_and_averaged_in_blocks(write, tmp_path: Path) -> None:
    write(tmp_path)
    rows = values("cifar-10", tmp_path)
    assert rows.shape == (12, 192)
    assert np.allclose(rows[0], np.repeat([10, 20, 30], 64), atol=1e-3)
    assert np.allclose(rows[1], [200] + [0] * 191, atol=1e-3)


class Shout:
    def __reduce__(self):
        return print, ("called",)


def test_a_batch_that_would_call_something_is_refused(tmp_path: Path, capsys) -> None:
    write_python(tmp_path)
    bad = pickle.dumps({b"data": Shout()}, protocol=2)
    (tmp_path / "cifar-10-batches-py" / CIFAR_BATCHES[0]).write_bytes(bad)
    with pytest.raises(pickle.UnpicklingError, match="does not hold"):
        EXTRA["cifar-10"].read(tmp_path)
    assert "called" not in capsys.readouterr().out
