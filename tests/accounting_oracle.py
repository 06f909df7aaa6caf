"""What Google's dp-accounting says of some mechanisms, for `tests/accounting_oracle.json`.

It is no dependency: make an environment of its own with `pip install dp-accounting`, and run this
file in it when the table is to have other rows.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

TABLE = Path(__file__).with_suffix(".json")
RHOS = (1e-6, 1e-3, 0.02, 0.3, 2.0, 20.0)
DELTAS = (1e-3, 1e-6, 1e-10)


def rows() -> list[dict[str, Any]]:
    from dp_accounting import dp_event, gaussian_mechanism
    from dp_accounting.rdp import RdpAccountant

    def by_renyi(event: Any, rho: float, delta: float) -> float:
        best = 1 + math.sqrt(math.log(1 / delta) / rho)
        orders = [1 + (best - 1) * math.exp(i / 2000) for i in range(-3000, 3001)]
        return float(RdpAccountant(orders).compose(event).get_epsilon(delta))

    found = []
    for delta in DELTAS:
        for rho in RHOS:
            sigma = 1 / math.sqrt(2 * rho)
            exact = gaussian_mechanism.get_epsilon_gaussian(sigma, delta, tol=1e-13)
            found.append({"kind": "gaussian", "rho": rho, "delta": delta, "epsilon": exact})
            epsilon = by_renyi(dp_event.ZCDpEvent(rho), rho, delta)
            found.append({"kind": "zcdp", "rho": rho, "delta": delta, "epsilon": epsilon})
    return found


if __name__ == "__main__":
    TABLE.write_text(json.dumps(rows(), indent=1) + "\n")
