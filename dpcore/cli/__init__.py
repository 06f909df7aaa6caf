"""The `dpcore` command."""

from __future__ import annotations

import argparse
import csv
import sqlite3
import sys
from collections.abc import Sequence
from importlib import import_module

from dpcore._version import __version__
from dpcore.errors import BadInput, DpcoreError, Refusal

#: Exit codes: those of the classes of errors, and that of a command that was stopped.
BAD_INPUT, REFUSED, INTERRUPTED = BadInput.exit_code, Refusal.exit_code, 130
TOO_MUCH = {
    MemoryError: "this needs more memory than there is. Give smaller data.",
    RecursionError: "the data are nested too deeply to be read.",
}

#: Each command: the module in this package that does it, and one line of help. A module is
#: imported when its command is used, so that `dpcore --help` need not import the whole library.
COMMANDS = {
    "list": ("catalog", "list the algorithms with their verdicts, and the data sets"),
    "run": ("run", "run one algorithm once"),
    "predict": ("predict", "predict the error from public numbers"),
    "guarantee": ("guarantee", "show what theorems promise of a method's results"),
    "sweep": ("sweep", "run algorithms many times across epsilon and tabulate NICV"),
    "audit": ("audit", "try to break the privacy claims"),
    "reproduce": ("reproduce", "measure the papers' findings again"),
    "cite": ("cite", "print BibTeX for a method or a paper"),
    "release": ("release", "publish once: charge the ledger, write files and a certificate"),
    "verify": ("verify", "check a certificate and the files it came with"),
    "history": ("history", "list all releases, what they cost and what is left"),
    "key": ("key", "make the key that signs certificates, or show its public half"),
    "ledger": ("ledger", "back up, restore or check the ledger"),
    "dashboard": ("dashboard", "open the dashboard"),
}

EPILOG = """\
examples:
  dpcore list
  dpcore run eugkm --data nyc-taxi -k 5 --epsilon 0.5
  dpcore run eugkm --data trips.csv.gz --columns lon lat --box -74.1 40.7 -73.9 40.9 \\
      -k 5 --epsilon 1 --format geojson
  dpcore sweep eugkm dplloyd --data nyc-month -k 5 --epsilons 0.05 0.1 0.5 1 --runs 20 --json
  dpcore reproduce su2016 --quick
  dpcore predict -n 100000 -d 2 -k 5
  dpcore cite eugkm
  dpcore release adaptive --data nyc-taxi -k 5 --epsilon 0.5 --allowed 2 --output released
  dpcore verify released/certificate.json
  dpcore key

`dpcore COMMAND --help` describes the options of one command.

exit codes: 0 success; 1 a check failed (audit, verify, ledger check); 2 the arguments or the data
are not valid; 3 refused (there is no answer at this epsilon, or the result may not be published)
"""


def parser(words: Sequence[str] = ()) -> argparse.ArgumentParser:
    """The parser for a command line: it knows all commands, and the options of the one given.

    Parameters
    ----------
    words : sequence of str, default=()
        The arguments that will be parsed.

    Returns
    -------
    argparse.ArgumentParser
    """
    whole = argparse.ArgumentParser(
        "dpcore",
        description="Differentially private k-means: see what privacy costs, and choose.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    whole.add_argument("--version", action="version", version=f"dpcore {__version__}")
    commands = whole.add_subparsers(dest="command", required=True, metavar="COMMAND")
    # No option before the command takes a value, so the first other word is the command.
    given = next((word for word in words if not word.startswith("-")), None)
    for name, (module, line) in COMMANDS.items():
        command = commands.add_parser(name, help=line)
        if name == given:
            import_module(f"{__name__}.{module}").add(command)
    return whole


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; errors are one line for people, and an exit code for scripts."""
    words = sys.argv[1:] if argv is None else argv
    arguments = parser(words).parse_args(words)
    try:
        code: int | None = arguments.do(arguments)
        return code or 0
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    except OSError as problem:
        message = f"{problem.filename}: {problem.strerror}." if problem.filename else problem
        print(f"dpcore: {message}", file=sys.stderr)
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
