"""Branch coverage: which branches of the algorithms the cases of the audit enter.

A fault in a branch that no case enters is found by nobody. So every run of a case can be watched:
wherever an expression decides which way to go (in an `if`, `while`, `and`, conditional expression
or comprehension), it has to have been true once and false once, every loop entered, every function
called. What no case can be expected to enter is listed with a reason.
"""

from __future__ import annotations

import dis
import inspect
import itertools
import linecache
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from types import CodeType, FrameType, ModuleType
from typing import Any

import numpy as np

from dpcore.algorithms import ALGORITHMS, Algorithm
from dpcore.audit.attack import attempt
from dpcore.audit.cases import Case, cases_of
from dpcore.audit.coupling import Coupling
from dpcore.audit.replay import Recorder
from dpcore.privacy.noise import SimulatedNoise

#: What algorithms are made of, besides their own modules.
PARTS: tuple[ModuleType, ...] = tuple(
    import_module(f"dpcore.{name}")
    for name in (
        "algorithms._coarse_grid",
        "algorithms._grown_tree",
        "algorithms._local_swap",
        "algorithms._offset_rounds",
        "algorithms._pooled_counts",
        "algorithms._private_partition",
        "algorithms._tree",
        "algorithms._tree_coreset",
        "geometry.row_maps",
        "queries.boxes",
        "queries.moments",
        "queries.picked_row",
        "queries.row_costs",
        "queries.scores",
        "queries.sparse_cells",
    )
)

#: Branches that no case enters, by the line they stand in and where they go, and why.
EXCUSED: Mapping[str, str] = {
    "(1 << bits * deeper).sum() > max(MAX_CELLS, len(deeper)) → true": "takes millions of rows",
    "r < radius → true": "half-widths end at half the grid",
    "if stages[-1].held_back: → true": "takes millions of rows, and adds a public sentence",
    "1 - SIZE_SHARE if neighbors.size_is_private else 1.0 → true": (
        "asked of sets whose size is public, before anything is spent"
    ),
    "rest == 1 → true": "too few rows under replace-one are refused before it is reached",
    "epsilons[-1] < MIN_EPSILON → true": "refused before anything is asked",
    "weights is None → is None": "images of rows come with the number of rows at each",
    "if not len(outside): → false": "there are always random candidates left",
    "if not (np.isfinite(places).all() and sound): → false": (
        "a guard: no center is infinite, no ball so small"
    ),
    "(sides**2).sum() <= max(MOST_CELLS, len(fill)) → false": "takes millions of rows",
    "work > MAX_WORK → true": "takes hundreds of thousands of rows, and is refused before",
    "chance > -36 → false": "takes the constants of the theorems and minutes",
    "log_rate < -36 → true": "takes the constants of the theorems and minutes",
    "@property → d called": "nobody asks how many coordinates an image has",
    "@property → reach_l1 called": "images of a projection are not added up",
    "count * k > MAX_COMPARED → true": "takes a population of thousands",
    "log_number > math.log(MAX_PHANTOMS) → true": "refused by public numbers alone",
    "float(weights.sum(dtype=np.float64)) * WHOLE >= EXACT → true": "takes 2^31 rows",
    "w > 0 → false": "of an algorithm that is for study only; no data have it",
    "if tree_pays(n, d, k, terms): → true": "for the page that tells what is chosen; runs ask lift",
    "def telling_rows(self, n: int, epsilon: float) -> int: → telling_rows called": (
        "asked by the classroom, of public numbers"
    ),
    "goal == k → false": "takes 1,500 rows in more than two dimensions",
}

#: Handlers of errors are jumped to from there; they are no decision.
_HANDLERS = ("WITH_EXCEPT_START", "CHECK_EXC_MATCH")


@dataclass(frozen=True, order=True)
class Branch:
    """A place in a file where a program goes one way or another, and one of the ways."""

    file: str
    line: int
    #: Columns of the expression, where it is on one line.
    start: int
    end: int
    #: "true", "false", "entered" of a loop, "called" of a function.
    way: str

    @property
    def words(self) -> str:
        line = linecache.getline(self.file, self.line)
        code = line.encode()[self.start : self.end].decode() if self.end > self.start else line
        return f"{code.strip()} → {self.way}"


#: By the offset of a conditional jump: the offset behind it, and the branches that going on there
#: and jumping are.
Jumps = dict[int, tuple[int, Branch | None, Branch | None]]


@dataclass
class Coverage:
    """The branches of some modules, and which of them were entered."""

    modules: Sequence[ModuleType]
    branches: dict[str, set[Branch]] = field(default_factory=dict)
    entered: set[Branch] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._jumps: dict[CodeType, Jumps] = {}
        self._files: dict[str, str] = {}
        for module in self.modules:
            _forget_answers(module)
            file = inspect.getfile(module)
            self._files[file] = module.__name__
            branches: set[Branch] = set()
            for code in _functions(compile(inspect.getsource(module), file, "exec")):
                jumps = _jumps(code)
                self._jumps[code] = jumps
                if not _is_stub(code):
                    branches.add(_called(code))
                branches.update(way for _, *ways in jumps.values() for way in ways if way)
            self.branches[module.__name__] = branches

    def watch(self, act: Callable[[], Any]) -> Any:
        """Do something, and see which branches it enters."""
        before = sys.gettrace()
        sys.settrace(self._call)
        try:
            return act()
        finally:
            sys.settrace(before)

    def missing(self) -> list[Branch]:
        """Branches that were not entered, without those that are excused."""
        return sorted(
            branch
            for branches in self.branches.values()
            for branch in branches - self.entered
            if branch.words not in EXCUSED
        )

    def stale(self) -> list[str]:
        """Excuses that are out of date: for branches that are entered, or that do not exist."""
        open_branches = {
            branch.words
            for branches in self.branches.values()
            for branch in branches - self.entered
        }
        return sorted(set(EXCUSED) - open_branches)

    def _call(self, frame: FrameType, event: str, argument: Any) -> Any:
        code = frame.f_code
        if code.co_filename not in self._files:
            return None
        jumps = self._jumps.get(code)
        if jumps is None:
            return None
        self.entered.add(_called(code))
        if not jumps:
            return None
        frame.f_trace_opcodes = True
        frame.f_trace_lines = False
        return self._local(jumps)

    def _local(self, jumps: Jumps) -> Callable[[FrameType, str, Any], Any]:
        came: list[int] = [-1]
        entered = self.entered

        def step(frame: FrameType, event: str, argument: Any) -> Any:
            if event == "opcode":
                if came[0] in jumps:
                    behind, on, aside = jumps[came[0]]
                    way = on if frame.f_lasti == behind else aside
                    if way:
                        entered.add(way)
                came[0] = frame.f_lasti
            return step

        return step


def _forget_answers(module: ModuleType) -> None:
    """Empty the caches of functions: what was called before would not be called again."""
    for value in vars(module).values():
        if callable(forget := getattr(value, "cache_clear", None)):
            forget()


def _functions(code: CodeType) -> Iterator[CodeType]:
    """The functions in a module, those inside of others too; not the bodies of classes."""
    for part in code.co_consts:
        if isinstance(part, CodeType):
            if part.co_flags & inspect.CO_OPTIMIZED:
                yield part
            yield from _functions(part)


def _called(code: CodeType) -> Branch:
    return Branch(code.co_filename, code.co_firstlineno, 0, 0, f"{code.co_name} called")


def _is_stub(code: CodeType) -> bool:
    """Whether it is a method of a protocol: a docstring, or three dots."""
    return not code.co_names and all(
        part is None or isinstance(part, str) for part in code.co_consts
    )


def _jumps(code: CodeType) -> Jumps:
    """The decisions in a function. A test that is compiled twice, as those of loops are, is one."""
    jumps_by_offset: Jumps = {}
    before, prefix = "", None
    for instruction, behind in itertools.pairwise(dis.get_instructions(code)):
        name, place = instruction.opname, instruction.positions
        if name == "EXTENDED_ARG":
            prefix = instruction.offset if prefix is None else prefix
            continue
        if place is not None and place.lineno is not None and before not in _HANDLERS:
            on_one_line = place.lineno == place.end_lineno
            columns = (place.col_offset or 0, place.end_col_offset or 0) if on_one_line else (0, 0)
            where = code.co_filename, place.lineno, *columns
            ways: tuple[Branch | None, Branch | None] | None = None
            if name == "FOR_ITER":
                ways = Branch(*where, "entered"), None
            elif "JUMP" in name and "IF" in name:
                if "NONE" in name:
                    jumps, stays = "is None", "is not None"
                else:
                    jumps, stays = "true", "false"
                if "NOT_NONE" in name or "FALSE" in name:
                    jumps, stays = stays, jumps
                ways = Branch(*where, stays), Branch(*where, jumps)
            if ways:
                # With a prefix, this is where the interpreter says it is.
                for offset in {instruction.offset, prefix}:
                    if offset is not None:
                        jumps_by_offset[offset] = behind.offset, *ways
        before, prefix = name, None
    return jumps_by_offset


def watched_modules() -> list[ModuleType]:
    """The modules of the algorithms whose claim holds, and of their parts."""
    own = {type(a).__module__: None for a in ALGORITHMS.values() if a.verdict.holds}
    return [*(sys.modules[name] for name in own), *PARTS]


def covered(runs: int = 1) -> Coverage:
    """The branches that all cases enter in a number of runs on each data set of their pair."""
    coverage = Coverage(watched_modules())
    for algorithm in ALGORITHMS.values():
        coverage.watch(partial(_obstacles, algorithm))
        for number, case in enumerate(cases_of(algorithm)):
            coverage.watch(partial(_run, case, number, runs))
    return coverage


def _obstacles(algorithm: Algorithm) -> list[str | None]:
    """The obstacles for data of any dimension, which are asked for before there are data."""
    return [algorithm.obstacle(d, None, k) for d in (1, 2, 3, 4, 5, 30, 5000) for k in (1, 2)]


def _run(case: Case, number: int, runs: int) -> None:
    noise = SimulatedNoise(np.random.SeedSequence(number))
    for seed in range(runs):
        for side in (0, 1):
            attempt(
                case, case.pair.data[side], seed, Recorder(noise), Coupling(seed, writes_out=False)
            )
