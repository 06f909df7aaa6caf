"""The charge for a run that ends without a result.

A run that asked nothing told nothing, and is free. Of one that had drawn noise:

**It ended by itself, outside the curator: what its transcript had booked.** An algorithm knows the
public facts, its public coins and the noisy answers, and nothing else. So an error that is raised
in its own code, such as "too few rows" after the noisy number of rows, is a function of the answers
so far and of coins that never saw the data: to end there is post-processing of them. The questions
of this run and of all others are then one sequence, each chosen by looking at the answers before
it. Each is (epsilon_i, delta_i)-private given those, and the account lets their sums grow to bounds
that were fixed at the start and no further; that whole sequence is private at these bounds however
the questions were chosen and whenever they ended (Rogers, Roth, Ullman and Vadhan 2016, filters for
basic composition). A question that was never asked has no answer in the sequence, and nothing to
pay for. Nor does it help to start again until a run succeeds: each attempt pays for its answers.

This needs charges that are (epsilon, delta)-private one by one. A run books them so: where it
counts in rho inside, the whole account was booked when it was set aside, and is charged whole. A
transcript that itself counted in rho would be worth its epsilon only at an end that was fixed
before, not at one that the answers chose; the whole price is charged for it.

**In any other way: the whole price.** An error inside the curator arose while the exact rows were
at hand (a file that ended, a number that was too large), so that the rows themselves, and not the
answers, may have chosen the moment. A want of memory may depend on how many rows there are. Who
presses Ctrl-C, or ends the program, watched how long it took. No charge makes a moment private that
the rows chose. The owner of the data sees it. Of such a run nothing is published but what a later
certificate of the account says: how many charges there were, and their sum. Whoever finds one
charge more there than there are releases knows that a run ended early, and not why: twins and other
tools are charges too. The whole price makes sure that nobody can try again for free.

A kill or a power cut leaves no time to charge anything. It is told apart from Ctrl-C only in that
nothing of the run was left to see.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from dpcore.privacy.accounting import Accounting
from dpcore.privacy.rounding import at_most
from dpcore.privacy.transcript import Transcript
from dpcore.queries import charged_questions, curator
from dpcore.release.amounts import NOTHING, Amount
from dpcore.release.unit import Unit

#: The modules of the curator: behind them are the exact rows.
ASKED = frozenset({charged_questions.__name__, curator.__name__})


def charge(error: BaseException, transcript: Transcript, unit: Unit, price: Amount) -> Amount:
    """The charge for a run that drew noise and ended with an error."""
    by_itself = isinstance(error, Exception) and not isinstance(error, MemoryError)
    if not by_itself or at_the_rows(error) or transcript.unprotected:
        return price
    return booked(transcript, unit, price)


def booked(transcript: Transcript, unit: Unit, price: Amount) -> Amount:
    """The cost of a transcript's questions to one unit; at most the price, and rounded up.

    m rows of one unit cost m times the epsilon of a row. A delta grows less than it would have with
    the whole epsilon, so the whole one covers it.
    """
    if transcript.budget.accounting is not Accounting.PURE:
        return price
    spent = sum((Fraction(charge.epsilon) for charge in transcript), NOTHING)
    of_unit = Fraction(at_most(spent * unit.rows))
    return Amount(min(of_unit, price.epsilon), price.delta if transcript.delta else Fraction(0))


def at_the_rows(error: BaseException) -> bool:
    """Whether an error, or one that led to it, was raised while the curator was asked."""
    return any(frame in ASKED for each in _behind(error) for frame in _modules(each))


def _behind(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    waiting = [error]
    while waiting:
        each = waiting.pop()
        if each is not None and id(each) not in seen:
            seen.add(id(each))
            yield each
            waiting += [each.__cause__, each.__context__]


def _modules(error: BaseException) -> Iterator[str]:
    """The modules through which an error came."""
    trace = error.__traceback__
    while trace is not None:
        yield str(trace.tb_frame.f_globals.get("__name__", ""))
        trace = trace.tb_next
