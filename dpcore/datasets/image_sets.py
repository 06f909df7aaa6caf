"""MNIST and CIFAR-10, read from a folder in the formats in which they are given out."""

from __future__ import annotations

import gzip
import io
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from dpcore.datasets.base import DataInfo
from dpcore.datasets.rows import RowsDataset
from dpcore.errors import BadInput
from dpcore.geometry.domain import Box

Bytes = npt.NDArray[np.uint8]

#: The first bytes of a file of images in the idx format: bytes, in three dimensions.
IDX_IMAGES = b"\x00\x00\x08\x03"
MNIST_FILES = ("train-images-idx3-ubyte", "t10k-images-idx3-ubyte")
CIFAR_BATCHES = (*(f"data_batch_{i}" for i in range(1, 6)), "test_batch")
#: Red, green and blue of 32 x 32 pixels; in the binary form a label comes before them.
CIFAR_BYTES, CIFAR_SIDE = 3072, 32
#: Pixels a side that are averaged into one.
POOLED = 4
#: What a batch of CIFAR's Python form consists of. Nothing else is ever called.
PICKLED = {
    ("numpy.core.multiarray", "_reconstruct"): "numpy._core.multiarray",
    ("numpy._core.multiarray", "_reconstruct"): "numpy._core.multiarray",
    ("numpy", "ndarray"): "numpy",
    ("numpy", "dtype"): "numpy",
    ("_codecs", "encode"): "_codecs",
}


@dataclass(frozen=True)
class ImageSet:
    """A set of images that the user has as files."""

    key: str
    title: str
    #: The first of its files.
    file: str
    box: Box
    images: Callable[[Path], Bytes]

    def read(self, folder: Path) -> RowsDataset:
        """A row for each image; a missing file is said by name."""
        try:
            pixels = self.images(folder)
        except FileNotFoundError as missing:
            raise FileNotFoundError(f"{self.title} is not there: {missing}") from missing
        about = DataInfo(self.key, self.title, unit="image", public=True)
        return RowsDataset.from_values(pixels, self.box, about)


def opened(folder: Path, name: str) -> bytes:
    """The bytes of a file, which may be compressed."""
    if (folder / name).is_file():
        return (folder / name).read_bytes()
    if (folder / f"{name}.gz").is_file():
        return gzip.decompress((folder / f"{name}.gz").read_bytes())
    raise FileNotFoundError(f"{name} in {folder}")


def idx_images(content: bytes) -> Bytes:
    """The images of an idx file, a row each."""
    if content[:4] != IDX_IMAGES:
        raise BadInput("An idx file of images begins with the bytes 0, 0, 8 and 3.")
    count, height, width = (int(n) for n in np.frombuffer(content, ">u4", 3, offset=4))
    pixels = np.frombuffer(content, np.uint8, offset=16)
    if len(pixels) != count * height * width:
        raise BadInput(
            f"The idx file should hold {count} images of {height} x {width} pixels, and holds "
            f"{len(pixels):,} pixels."
        )
    return pixels.reshape(count, height * width)


def mnist(folder: Path) -> Bytes:
    """Raw pixels of the training and the test images."""
    return np.vstack([idx_images(opened(folder, name)) for name in MNIST_FILES])


class _OnlyArrays(pickle.Unpickler):
    """Reads arrays of numbers, and refuses whatever would call anything else."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in PICKLED:
            raise pickle.UnpicklingError(f"A batch of CIFAR-10 does not hold {module}.{name}.")
        return super().find_class(PICKLED[module, name], name)


def python_batch(content: bytes) -> Bytes:
    """The pixels of a batch in CIFAR's Python form."""
    batch = _OnlyArrays(io.BytesIO(content), encoding="bytes").load()
    return np.asarray(batch[b"data"], dtype=np.uint8).reshape(-1, CIFAR_BYTES)


def binary_batch(content: bytes) -> Bytes:
    """The pixels of a batch in CIFAR's binary form."""
    if len(content) % (CIFAR_BYTES + 1):
        raise BadInput(f"A binary batch of CIFAR-10 has {CIFAR_BYTES + 1} bytes an image.")
    return np.frombuffer(content, np.uint8).reshape(-1, CIFAR_BYTES + 1)[:, 1:]


def cifar(folder: Path) -> Bytes:
    """Every image with blocks of 4 x 4 pixels averaged: 8 x 8 pixels in three colors."""
    for inner, suffix, read in (
        ("cifar-10-batches-py", "", python_batch),
        ("cifar-10-batches-bin", ".bin", binary_batch),
    ):
        for place in (folder / inner, folder):
            if (place / f"{CIFAR_BATCHES[0]}{suffix}").is_file():
                batches = [opened(place, f"{name}{suffix}") for name in CIFAR_BATCHES]
                return np.vstack([pooled(read(batch)) for batch in batches])
    raise FileNotFoundError(f"cifar-10-batches-py or cifar-10-batches-bin in {folder}")


def pooled(pixels: Bytes) -> Bytes:
    blocks = CIFAR_SIDE // POOLED
    parts = pixels.reshape(-1, 3, blocks, POOLED, blocks, POOLED)
    return parts.mean(axis=(3, 5)).astype(np.uint8).reshape(len(pixels), -1)


IMAGE_SETS = (
    ImageSet("mnist", "MNIST", MNIST_FILES[0], Box.cube(784, 0, 256), mnist),
    ImageSet(
        "cifar-10",
        "CIFAR-10",
        f"cifar-10-batches-py/{CIFAR_BATCHES[0]}",
        Box.cube(3 * (CIFAR_SIDE // POOLED) ** 2, 0, 256),
        cifar,
    ),
)
