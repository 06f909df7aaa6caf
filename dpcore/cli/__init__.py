"""The `dpcore` command."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from dpcore.cli import audit, catalog, history, release, reproduce, run, sweep, verify
from dpcore.privacy.accounting import Infeasible

#: What went wrong, as an exit code.
BAD_INPUT, REFUSED, INTERRUPTED = 2, 3, 130

EPILOG = """\
examples:
  dpcore list
  dpcore run eugkm --data nyc-taxi -k 5 --epsilon 0.5
  dpcore run eugkm --data trips.csv.gz --columns lon lat --box -74.1 40.7 -73.9 40.9 \\
      -k 5 --epsilon 1 --format geojson
  dpcore sweep eugkm dplloyd --data nyc-month -k 5 --epsilons 0.05 0.1 0.5 1 --runs 20 --json
  dpcore reproduce su2016-fig2 --quick
  dpcore release adaptive --data nyc-taxi -k 5 --epsilon 0.5 --allowed 2 --output released
  dpcore verify released/certificate.json

exit codes: 0 done, 2 the question or the data are not right, 3 refused (no answer at this
epsilon, or the result is not private and may not leave)
"""


def parser() -> argparse.ArgumentParser:
    whole = argparse.ArgumentParser(
        "dpcore",
        description="Differentially private k-means: see what privacy costs, and choose.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = whole.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for module in (catalog, run, sweep, audit, reproduce, release, verify, history):
        module.add(commands)
    return whole


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; errors are one line for people, and an exit code for scripts."""
    arguments = parser().parse_args(argv)
    try:
        code: int | None = arguments.do(arguments)
        return code or 0
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    except OSError as problem:
        words = f"{problem.filename}: {problem.strerror}." if problem.filename else problem
        print(f"dpcore: {words}", file=sys.stderr)
        # What the system forbids has a number; what we refuse has none.
        refused = isinstance(problem, PermissionError) and problem.errno is None
        return REFUSED if refused else BAD_INPUT
    except Infeasible as refusal:
        print(f"dpcore: {refusal}", file=sys.stderr)
        return REFUSED
    except ValueError as error:
        print(f"dpcore: {error}", file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt:
        print("dpcore: stopped", file=sys.stderr)
        return INTERRUPTED
