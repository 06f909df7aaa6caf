"""`dpcore audit`: try to break the privacy claims."""

from __future__ import annotations

import argparse

from dpcore.algorithms import ALGORITHMS, get
from dpcore.audit.attack import AuditFinding
from dpcore.audit.campaign import RUNS, Findings, Walked, attacks, findings, today, walks
from dpcore.audit.cases import cases_of
from dpcore.audit.coverage import EXCUSED, covered
from dpcore.cli.arguments import output_path, read_saved, seed
from dpcore.cli.progress_meter import progress
from dpcore.errors import BadInput
from dpcore.privacy.accounting import Verdict
from dpcore.privacy.rounding import at_least

#: A claim that is said to hold was refuted.
BROKEN = 1


def add(command: argparse.ArgumentParser) -> None:
    command.description = (
        "Run algorithms many times on neighboring data sets, and compute a lower bound on epsilon "
        "from the outputs. A bound above the claim refutes the claim. A bound below it proves "
        "nothing."
    )
    command.add_argument("algorithms", nargs="*", help="keys from `dpcore list` (default: all)")
    command.add_argument(
        "--runs", type=int, default=RUNS, help="runs on each data set of a pair (%(default)s)"
    )
    command.add_argument("--seed", type=seed, default=0, help="seed of the runs (%(default)s)")
    command.add_argument("--workers", type=int, help="processes (default: one for each processor)")
    command.add_argument(
        "--save",
        type=output_path,
        metavar="FILE",
        help="save the findings in this file; if you name algorithms, only theirs are replaced",
    )
    command.add_argument(
        "--coverage",
        action="store_true",
        help="run every case once and list the branches of the algorithms that none enters",
    )
    command.add_argument(
        "--last", action="store_true", help="show the findings of the last full audit"
    )
    command.add_argument("--json", action="store_true", help="print JSON")
    command.set_defaults(do=do)


def do(arguments: argparse.Namespace) -> int:
    if arguments.coverage:
        return tell_coverage()
    if arguments.last:
        tell(findings())
        return 0
    if arguments.runs < 8:
        raise BadInput(f"--runs must be at least 8, not {arguments.runs}.")
    keys = dict.fromkeys(arguments.algorithms or ALGORITHMS)
    cases = [case for key in keys for case in cases_of(get(key))]
    partly = arguments.save and arguments.algorithms
    before = read_saved(arguments.save, Findings.from_json) if partly else None
    attack_findings = attacks(cases, arguments.runs, arguments.seed, arguments.workers)
    report = Findings(
        today(),
        arguments.runs,
        tuple(progress(attack_findings, len(cases), "audit")),
        () if arguments.algorithms else tuple(walks()),
    )
    if arguments.save:
        saved = before.updated(report) if before else report
        arguments.save.write_text(saved.to_json(), encoding="utf-8")
    if arguments.json:
        print(report.to_json(), end="")
    else:
        tell(report)
    return BROKEN if broken(report) else 0


def broken(report: Findings) -> list[AuditFinding | Walked]:
    """Claims said to hold that do not, with 95 % confidence in all of these together."""
    confidence = report.family_confidence
    refuted = [f for f in report.attacks if Verdict(f.verdict).holds and f.refutes(confidence)]
    return [*refuted, *(walk for walk in report.walks if not walk.holds)]


def tell(report: Findings) -> None:
    """The strongest attack on each algorithm, for a person."""
    print(f"{'algorithm':<26} {'verdict':<9} {'claim':>6} {'at least':>9} {'answers cost':>13}")
    keys = dict.fromkeys(finding.algorithm for finding in report.attacks)
    for f in filter(None, map(report.strongest, keys)):
        costs = [each.cost / each.epsilon for each in report.of(f.algorithm) if each.cost]
        cost = f"{max(costs) * f.epsilon:13.4g}" if costs else f"{'unknown':>13}"
        least = at_least(f.lower_bound, 3)
        print(f"{f.algorithm:<26} {f.verdict:<9} {f.epsilon:6g} {least:>9} {cost}  {f.pair}")
    for key in ALGORITHMS if report.walks else ():
        if key not in keys:
            print(f"{key:<26} {ALGORITHMS[key].verdict:<9} not audited yet")
    for walk in report.walks:
        print(f"{walk.mechanism}, {walk.neighbors}: exactly {walk.worst:.4f} of {walk.claim:g}")
    for broken_claim in broken(report):
        print(f"\nREFUTED: {broken_claim}")
    print(f"\n{report.runs} runs on each data set. A bound below the claim does not prove it.")


def tell_coverage() -> int:
    """Print the branches that the cases enter, module by module, and those that none enters."""
    coverage = covered()
    for name, branches in coverage.branches.items():
        print(f"{name:<40} {len(branches & coverage.entered):4} of {len(branches):4} branches")
    missing = coverage.missing()
    for branch in missing:
        print(f"not entered: {branch.file}:{branch.line}: {branch.words}")
    for words, reason in EXCUSED.items():
        print(f"excused: {words}: {reason}")
    return BROKEN if missing else 0
