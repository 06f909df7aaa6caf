"""What the blocks of sample and aggregate found, dealt again as they were dealt in the run."""

from __future__ import annotations

import copy

import numpy as np

from dpcore.datasets.base import Dataset
from dpcore.domain import FloatArray
from dpcore.kmeans.blocks import block_centers
from dpcore.questions import BlockCenters

#: Centers drawn at most.
MOST = 1000


def some_block_centers(question: BlockCenters, data: Dataset) -> FloatArray:
    """Centers (m, 2) of as many blocks as a screen holds, moved into the range of the answers."""
    asked = copy.deepcopy(question)
    positions, weights = data.positions()
    dealt = asked.dealt(positions, weights)
    found, number = [], 0
    for centers in block_centers(positions, dealt, asked.k, data.resolution, asked.coins):
        found.append(centers.transpose(2, 1, 0).reshape(-1, data.d))
        number += len(found[-1])
        if number >= MOST:
            break
    return np.clip(np.concatenate(found)[:MOST], asked.low, asked.high)
