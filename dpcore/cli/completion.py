"""`dpcore completion`: a script that completes commands and options in a shell."""

from __future__ import annotations

import argparse

SHELLS = ("bash", "zsh", "tcsh")


def add(command: argparse.ArgumentParser) -> None:
    command.description = (
        "Print a script that completes the names of commands and options. For bash: "
        "dpcore completion bash > ~/.local/share/bash-completion/completions/dpcore"
    )
    command.add_argument("shell", choices=SHELLS)
    command.set_defaults(do=do)


def do(arguments: argparse.Namespace) -> None:
    import shtab

    print(shtab.complete(arguments.whole_parser(), arguments.shell))
