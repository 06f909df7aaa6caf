"""The public boxes of the small sets that scikit-learn carries.

They are constants in round numbers, fixed once: a box computed from the data would tell its
extreme rows.
"""

from __future__ import annotations

from dpcore.geometry.domain import Box


def _box(ranges: dict[str, tuple[float, float]]) -> Box:
    low, high = zip(*ranges.values(), strict=True)
    return Box(low, high, tuple(ranges))


IRIS = _box(
    {
        "sepal length (cm)": (4, 8),
        "sepal width (cm)": (2, 4.5),
        "petal length (cm)": (1, 7),
        "petal width (cm)": (0, 2.6),
    }
)

WINE = _box(
    {
        "alcohol": (11, 15),
        "malic acid": (0.5, 6),
        "ash": (1.3, 3.3),
        "alcalinity of ash": (10, 31),
        "magnesium": (70, 165),
        "total phenols": (0.9, 4),
        "flavanoids": (0.3, 5.2),
        "nonflavanoid phenols": (0.1, 0.7),
        "proanthocyanins": (0.4, 3.6),
        "color intensity": (1, 13.5),
        "hue": (0.4, 1.8),
        "od280/od315 of diluted wines": (1.2, 4.1),
        "proline": (250, 1700),
    }
)

BREAST_CANCER = _box(
    {
        "mean radius": (6, 30),
        "mean texture": (9, 40),
        "mean perimeter": (40, 190),
        "mean area": (100, 2600),
        "mean smoothness": (0.05, 0.17),
        "mean compactness": (0, 0.35),
        "mean concavity": (0, 0.45),
        "mean concave points": (0, 0.21),
        "mean symmetry": (0.1, 0.31),
        "mean fractal dimension": (0.04, 0.1),
        "radius error": (0, 3),
        "texture error": (0, 5),
        "perimeter error": (0, 22),
        "area error": (0, 550),
        "smoothness error": (0, 0.035),
        "compactness error": (0, 0.14),
        "concavity error": (0, 0.4),
        "concave points error": (0, 0.06),
        "symmetry error": (0, 0.08),
        "fractal dimension error": (0, 0.03),
        "worst radius": (7, 37),
        "worst texture": (10, 50),
        "worst perimeter": (50, 255),
        "worst area": (100, 4300),
        "worst smoothness": (0.07, 0.23),
        "worst compactness": (0, 1.1),
        "worst concavity": (0, 1.3),
        "worst concave points": (0, 0.3),
        "worst symmetry": (0.1, 0.7),
        "worst fractal dimension": (0.05, 0.21),
    }
)

#: 8 × 8 pixels of 17 gray levels, from 0 to 16.
DIGITS = _box({f"pixel {row},{column}": (0, 17) for row in range(8) for column in range(8)})
