"""The data sets of Balcan et al., and what stands in for the pictures where there is no folder.

The paper's objective is a sum of squares in the units of the data, so boxes are cubes here.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from dpcore.datasets import Dataset, RowsDataset
from dpcore.datasets.base import DataInfo
from dpcore.geometry.domain import Box
from dpcore.papers.inputs import REAL, STAND_IN, Effort, Shelf

ROWS, FEW_ROWS = 100_000, 10_000
#: The most numbers in memory at once: in 5,000 dimensions, those of 10,000 rows.
MOST_NUMBERS = 50_000_000
#: Means of the Gaussians lie in [0, 100]; at five standard deviations beyond hardly a row is.
SIDE, MARGIN = 100.0, 5.0
#: In table 1 one center in the middle of the means costs 3 + 3 SIDE^2 / 12 a row on average: 28 for
#: a side of 10, which is what the table prints for sample and aggregate.
TABLE_SIDE = 10.0
#: Pixels of scikit-learn's digits go to 16, those of MNIST to 255.
DIGIT_TONES, TONES = 16, 256
MNIST_ROWS = 70_000
PATCH = 12


def mixture(clusters: int, d: int, effort: Effort, draw: int = 0, side: float = SIDE) -> Dataset:
    """Rows of an equal mixture of Gaussians with unit covariance, their means uniform in a cube
    of side 100 (section 6.1)."""
    rng = np.random.default_rng((draw, clusters, d))
    n = min(FEW_ROWS if effort.quick else ROWS, MOST_NUMBERS // d)
    means = rng.uniform(0, side, (clusters, d))
    rows = rng.standard_normal((n, d))
    rows += means[rng.integers(clusters, size=n)]
    about = DataInfo(f"gaussians-{clusters}", f"{clusters} Gaussian clusters", simulated=True)
    return RowsDataset.from_values(rows, Box.cube(d, -MARGIN, side + MARGIN), about, "clip")


def mnist(shelf: Shelf, effort: Effort) -> tuple[Dataset, str]:
    """MNIST from the folder, or digits of scikit-learn."""
    try:
        return shelf.data("mnist"), REAL
    except FileNotFoundError:
        return digits(FEW_ROWS if effort.quick else MNIST_ROWS), STAND_IN


def cifar(shelf: Shelf, effort: Effort) -> tuple[Dataset, str]:
    """CIFAR-10 from the folder, or pieces of two photographs."""
    try:
        return shelf.data("cifar-10"), REAL
    except FileNotFoundError:
        return patches(FEW_ROWS if effort.quick else ROWS), STAND_IN


@cache
def digits(n: int) -> Dataset:
    """Pictures of 8 x 8 pixels: digits of scikit-learn, each moved by up to a pixel and blurred
    by noise, so that there are as many as MNIST has."""
    from sklearn.datasets import load_digits

    rng = np.random.default_rng(0)
    images = load_digits().images
    sample = images[rng.integers(len(images), size=n)]
    moves = rng.integers(-1, 2, (n, 2))
    for down in (-1, 0, 1):
        for right in (-1, 0, 1):
            same = (moves == (down, right)).all(axis=1)
            sample[same] = np.roll(sample[same], (down, right), axis=(1, 2))
    tones = np.clip(sample + rng.standard_normal(sample.shape), 0, DIGIT_TONES - 0.01)
    pixels = tones.reshape(n, -1) * (TONES / DIGIT_TONES)
    about = DataInfo("mnist", "Digits of scikit-learn, moved and blurred", public=True)
    return RowsDataset.from_values(pixels, Box.cube(pixels.shape[1], 0, TONES), about)


@cache
def patches(n: int) -> Dataset:
    """Squares of 12 x 12 pixels from the two sample photographs of scikit-learn, in gray."""
    from sklearn.datasets import load_sample_images

    rng = np.random.default_rng(0)
    photographs = [image.mean(axis=2) for image in load_sample_images().images]
    which = rng.integers(len(photographs), size=n)
    pixels = np.empty((n, PATCH * PATCH))
    for i, photograph in enumerate(photographs):
        squares = np.lib.stride_tricks.sliding_window_view(photograph, (PATCH, PATCH))
        here = np.flatnonzero(which == i)
        top, left = (rng.integers(size, size=len(here)) for size in squares.shape[:2])
        pixels[here] = squares[top, left].reshape(len(here), -1)
    about = DataInfo("cifar-10", "Pieces of two photographs", public=True)
    return RowsDataset.from_values(pixels, Box.cube(PATCH * PATCH, 0, TONES), about)
