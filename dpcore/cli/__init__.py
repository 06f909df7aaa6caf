"""The `dpcore` command."""

from __future__ import annotations

import argparse
import csv
import sqlite3
import sys
from collections.abc import Sequence

from dpcore.cli import (
    audit,
    catalog,
    dashboard,
    history,
    ledger,
    release,
    reproduce,
    run,
    sweep,
    verify,
)
from dpcore.errors import BadInput, DpcoreError, Refusal

#: Exit codes: those of the classes of errors, and that of a command that was stopped.
BAD_INPUT, REFUSED, INTERRUPTED = BadInput.exit_code, Refusal.exit_code, 130
TOO_MUCH = {
    MemoryError: "this takes more memory than there is. Give smaller data.",
    RecursionError: "the data are nested too deeply to be read.",
}

EPILOG = """\
examples:
  dpcore list
  dpcore run eugkm --data nyc-taxi -k 5 --epsilon 0.5
  dpcore run eugkm --data trips.csv.gz --columns lon lat --box -74.1 40.7 -73.9 40.9 \\
      -k 5 --epsilon 1 --format geojson
  dpcore sweep eugkm dplloyd --data nyc-month -k 5 --epsilons 0.05 0.1 0.5 1 --runs 20 --json
  dpcore reproduce 000-fig2 --quick
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
    commands_of = (catalog, run, sweep, audit, reproduce, release, verify, history, ledger)
    for module in (*commands_of, dashboard):
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
        return BAD_INPUT
    except DpcoreError as error:
        print(f"dpcore: {error}", file=sys.stderr)
        return error.exit_code
    except ValueError as error:
        print(f"dpcore: {error}", file=sys.stderr)
        return BAD_INPUT
    except sqlite3.Error as problem:
        print(f"dpcore: the ledger cannot be used: {problem}.", file=sys.stderr)
        return BAD_INPUT
    except OverflowError as problem:
        print(f"dpcore: a number is too large: {problem}.", file=sys.stderr)
        return BAD_INPUT
    except (MemoryError, RecursionError, csv.Error) as error:
        print(f"dpcore: {TOO_MUCH.get(type(error), error)}", file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt as stop:
        print("dpcore: stopped.", *getattr(stop, "__notes__", ()), file=sys.stderr)
        return INTERRUPTED
