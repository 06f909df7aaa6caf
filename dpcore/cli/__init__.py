"""The `dpcore` command."""

from __future__ import annotations

import argparse
import contextlib
import csv
import errno
import io
import os
import re
import sqlite3
import sys
import textwrap
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import NoReturn

from dpcore._suggestion import did_you_mean
from dpcore._version import __version__
from dpcore.cli import exit_codes
from dpcore.cli.exit_codes import BAD_INPUT, INTERRUPTED
from dpcore.cli.exit_codes import REFUSED as REFUSED
from dpcore.cli.plan_file import expanded
from dpcore.errors import DpcoreError

TOO_MUCH = {
    MemoryError: "this needs more memory than there is. Give smaller data.",
    RecursionError: "the data are nested too deeply to be read.",
}

#: Each command: the module in this package that does it, and one line of help. A module is
#: imported when its command is used, so that `dpcore --help` need not import the whole library.
COMMANDS = {
    "list": ("catalog", "list the algorithms with their verdicts, and the data sets"),
    "run": ("run", "run one algorithm once"),
    "recommend": ("recommend", "find the strictest level that is accurate enough"),
    "predict": ("predict", "predict the error from public numbers"),
    "guarantee": ("guarantee", "show what theorems promise of a method's results"),
    "sweep": ("sweep", "run algorithms many times across epsilon and tabulate NICV"),
    "audit": ("audit", "try to break the privacy claims"),
    "reproduce": ("reproduce", "measure the papers' findings again"),
    "cite": ("cite", "print BibTeX for a method or a paper"),
    "rows-of-each": ("rows_of_each", "ask privately how many rows each person has"),
    "release": ("release", "publish once: charge the ledger, write files and a certificate"),
    "ask": ("ask", "ask a release more questions, at no cost"),
    "verify": ("verify", "check a certificate and the files it came with"),
    "history": ("history", "list all releases, what they cost and what is left"),
    "key": ("key", "make the key that signs certificates, or show its public half"),
    "ledger": ("ledger", "back up, restore or check the ledger"),
    "dashboard": ("dashboard", "open the dashboard"),
    "completion": ("completion", "print a script that completes commands in a shell"),
}

QUIET = "write nothing to standard error but errors"
EPILOG = """\
examples:
  dpcore list
  dpcore run eugkm --data nyc-taxi -k 5 --epsilon 0.5
  dpcore run eugkm --data trips.csv.gz --columns lon lat --box -74.1 40.7 -73.9 40.9 \\
      -k 5 --epsilon 1 --format geojson
  dpcore sweep eugkm dplloyd --data nyc-month -k 5 --epsilons 0.05 0.1 0.5 1 --runs 20 --json
  dpcore reproduce su2016 --quick
  dpcore recommend "centers within 200 m, 9 times in 10" --data nyc-taxi -k 5
  dpcore predict -n 100000 -d 2 -k 5
  dpcore cite eugkm
  dpcore release adaptive --data nyc-taxi -k 5 --epsilon 0.5 --allowed 2 --output released
  dpcore release plan.toml --yes
  dpcore ask released -k 7
  dpcore verify released/certificate.json
  dpcore key

`dpcore help COMMAND` describes the options of one command.

exit codes: {codes}
"""


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are two lines, with the nearest command, option or choice."""

    def error(self, message: str) -> NoReturn:
        if choice := re.search(r"invalid choice: '(.*?)' \(choose from (.*)\)", message):
            message += "." + did_you_mean(choice[1], re.findall(r"[\w-]+", choice[2]))
        elif unknown := re.search(r"unrecognized arguments: (--[\w-]+)", message):
            message += "." + did_you_mean(unknown[1], self._option_string_actions)
        elif message.endswith("are required: COMMAND"):
            message = "name a command, such as list, run or release"
        end = "" if message.endswith((".", "?")) else "."
        self.exit(
            BAD_INPUT, f"{self.prog}: {message}{end}\n`{self.prog} --help` describes the options.\n"
        )


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
    return _parser_of([name for name in COMMANDS if name == _command(words)])[0]


def _command(words: Sequence[str]) -> str | None:
    """The command: no option before it takes a value, so it is the first other word."""
    return next((word for word in words if not word.startswith("-")), None)


def whole_parser() -> argparse.ArgumentParser:
    """The parser with the options of every command."""
    return _parser_of(COMMANDS)[0]


def _parser_of(
    names: Iterable[str],
) -> tuple[argparse.ArgumentParser, dict[str, argparse.ArgumentParser]]:
    """The parser with the options of some commands, and the parser of each."""
    whole = _Parser(
        "dpcore",
        description="Differentially private k-means: see what privacy costs, and choose.",
        epilog=EPILOG.replace("{codes}", textwrap.fill(exit_codes.as_text(), 88)),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    whole.add_argument("-V", "--version", action="version", version=f"dpcore {__version__}")
    whole.add_argument("-q", "--quiet", action="store_true", help=QUIET)
    commands = whole.add_subparsers(dest="command", required=True, metavar="COMMAND")
    every: dict[str, argparse.ArgumentParser] = {
        name: commands.add_parser(name, help=line) for name, (_, line) in COMMANDS.items()
    }
    topic = commands.add_parser("help", help="describe all commands, or the options of one")
    topic.add_argument("topic", nargs="?", choices=list(COMMANDS), metavar="COMMAND")
    for name in names:
        import_module(f"{__name__}.{COMMANDS[name][0]}").add(every[name])
        every[name].add_argument(
            "-q", "--quiet", action="store_true", default=argparse.SUPPRESS, help=QUIET
        )
        for action in every[name]._actions:
            action.type = NUMBERS.get(action.type, action.type)  # type: ignore[call-overload]
    return whole, every


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        point = f" Write a decimal point: {text.replace(',', '.')}." if "," in text else ""
        raise argparse.ArgumentTypeError(f"{text!r} is not a number.{point}") from None


def _whole_number(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number.") from None


#: Types that say in words what is wrong, for those of Python.
NUMBERS = {float: _number, int: _whole_number}


def arguments_of(words: Sequence[str]) -> argparse.Namespace:
    """The arguments of a command line, those from a plan file among them.

    `dpcore help COMMAND` is another way to write `dpcore COMMAND --help`.
    """
    if _command(words) == "help":
        at = words.index("help")
        words = [*words[:at], *words[at + 1 :], "--help"]
    if _command(words) == "release":
        at = words.index("release")
        _, every = _parser_of(["release"])
        words = [*words[: at + 1], *expanded(words[at + 1 :], every["release"])]
    whole, every = _parser_of([name for name in COMMANDS if name == _command(words)])
    arguments, unknown = whole.parse_known_args(words)
    if unknown:
        every[arguments.command].error(f"unrecognized arguments: {' '.join(unknown)}")
    return arguments


def _speak_utf8() -> None:
    """Write UTF-8 where no terminal and no setting wants anything else; never fail at a letter."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            free = not (stream.isatty() or os.environ.get("PYTHONIOENCODING"))
            encoding = "utf-8" if free else stream.encoding
            stream.reconfigure(encoding=encoding, errors="backslashreplace")


def _give_up_output(problem: BaseException | None) -> None:
    """After a disk is full, let Python not try again to write what it holds as it ends."""
    if isinstance(problem, OSError) and problem.errno == errno.ENOSPC:
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _reader_left(problem: OSError) -> bool:
    """Whether Windows says so that nobody reads the output any more, as after `| more`."""
    return (sys.platform, problem.errno, problem.filename) == ("win32", errno.EINVAL, None)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; errors are one line for people, and an exit code for scripts."""
    _speak_utf8()
    words = sys.argv[1:] if argv is None else argv
    try:
        arguments = arguments_of(words)
        arguments.whole_parser = whole_parser
        with contextlib.ExitStack() as stack:
            if arguments.quiet:
                silence = stack.enter_context(open(os.devnull, "w", encoding="utf-8"))
                stack.enter_context(contextlib.redirect_stderr(silence))
            code: int | None = arguments.do(arguments)
        sys.stdout.flush()
        return code or 0
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    except OSError as problem:
        if _reader_left(problem):
            return 0
        _give_up_output(problem)
        message = f"{problem.filename}: {problem.strerror}." if problem.filename else problem
        print(f"dpcore: {message}", file=sys.stderr)
        return BAD_INPUT
    except DpcoreError as error:
        _give_up_output(error.__cause__)
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
