"""The exit codes of the `dpcore` command and their meanings, in one place."""

from __future__ import annotations

from dpcore.errors import BadInput, Refusal

DONE, CHECK_FAILED = 0, 1
BAD_INPUT, REFUSED = BadInput.exit_code, Refusal.exit_code
UNTOLD, INTERRUPTED = 4, 130

EXIT_CODES = {
    DONE: "success",
    CHECK_FAILED: "a check failed (audit, verify, ledger check)",
    BAD_INPUT: "the arguments or the data are not valid, or a file cannot be read or written",
    REFUSED: "refused: there is no answer at this epsilon, or the result may not be published",
    UNTOLD: "a release was made and charged, but its files or its message could not be written; "
    "`dpcore history NUMBER --output FOLDER` writes the files again at no cost",
    INTERRUPTED: "stopped",
}


def as_text() -> str:
    """All codes, for the help."""
    return "; ".join(f"{code} {meaning}" for code, meaning in EXIT_CODES.items())
