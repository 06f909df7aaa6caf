"""Formulas of plain text, such as `exp(epsilon_i^2/8)`, written for KaTeX in Streamlit's Markdown.

Specifications are plain text, since the command line prints them too. A span is taken for a formula
where it has a Greek letter, a function, an index, a power, or an operator between two terms.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from pages.ui.wording import plain

GREEK = {"alpha", "beta", "gamma", "delta", "epsilon", "eta", "theta", "rho", "sigma", "tau", "pi"}
FUNCTIONS = {"exp", "log", "ln", "sqrt", "min", "max"}
OPERATORS = {"+": "+", "-": "-", "*": r"\cdot ", "/": "/", "=": "=", "<": "<", ">": ">"}
#: Letters that are words, and words that no formula holds.
WORDS, PROSE = {"a", "A", "I"}, {"or", "and", "when", "each"}
TOKEN = re.compile(r"\d[\d,]*\d(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+|[A-Za-z]+(?:'(?![a-z]))?|\s+|.", re.S)


def markdown(text: str) -> str:
    """The text as Markdown, with its formulas between dollars and names in the code as such."""
    parts = re.split(r"(`[^`]+`|\n\n)", text)
    whole = ("`", "\n")
    return "".join(part if part.startswith(whole) else _formulas(part) for part in parts)


def _formulas(text: str) -> str:
    tokens = TOKEN.findall(text)
    pieces, prose, at = [], "", 0
    while at < len(tokens):
        before = tokens[at - 1][-1:] if at else " "
        reader = Reader(tokens, at)
        formula = None if before.isalnum() or before in "-'" else reader.formula()
        if formula is None or not reader.is_formula:
            prose += tokens[at]
            at += 1
        else:
            pieces += [plain(prose), f"${_tight(formula)}$"]
            prose, at = "", reader.at
    return "".join([*pieces, plain(prose)])


def _tight(formula: str) -> str:
    """A formula without the space that brackets, bars and commas do not need."""
    for space, sign in ((r"\,(", "("), (r"\,|", "|"), (r"|\,", "|"), (r"\,,", ",")):
        formula = formula.replace(space, sign)
    return formula


@dataclass
class Reader:
    """A reader of formulas, from a place among tokens."""

    tokens: list[str]
    at: int
    is_formula: bool = False
    #: How many brackets are open: within them a formula may hold words.
    depth: int = 0

    def peek(self, ahead: int = 0) -> str:
        at = self.at + ahead
        return self.tokens[at] if at < len(self.tokens) else ""

    def formula(self) -> str | None:
        """Terms with operators between them; None where no term is."""
        sign = ""
        if self.peek() == "-" and not self.peek(1).isspace():
            sign, self.at = "-", self.at + 1
        latex = self.term()
        if latex is None:
            return None
        while (place := self._operator()) is not None:
            before, (sign_at, spaced) = self.at, place
            operator = self.tokens[sign_at]
            self.at = sign_at + 1 + spaced
            following = self.term()
            if following is None:
                self.at = before
                break
            # A hyphen between two names is none.
            self.is_formula |= spaced or operator not in "+-"
            latex += f" {OPERATORS[operator]} {following}"
        return sign + latex

    def _operator(self) -> tuple[int, bool] | None:
        """The place of the next operator, and whether spaces are around it."""
        spaced = self.peek().isspace()
        if self.peek(spaced) not in OPERATORS or not self.peek(spaced):
            return None
        return (self.at + spaced, spaced) if self.peek(spaced + 1).isspace() == spaced else None

    def term(self) -> str | None:
        """Factors side by side."""
        latex = self.factor()
        while latex is not None:
            before = self.at
            self.at += self.peek().isspace()
            following = self.factor()
            if following is None:
                self.at = before
                break
            latex += rf"\,{following}"
        return latex

    def factor(self) -> str | None:
        token = self.peek()
        name = token.rstrip("'")
        if token == "(":
            latex = self.bracket()
        elif name in FUNCTIONS:
            return self.function(name)
        elif token[:1].isdigit() or (token.startswith(".") and len(token) > 1):
            latex, self.at = token.replace(",", "{,}"), self.at + 1
        elif name in GREEK:
            greek = rf"\var{name}" if name == "epsilon" else rf"\{name}"
            latex, self.at, self.is_formula = greek + token[len(name) :], self.at + 1, True
        elif len(name) == 1 and name.isupper() and self.peek(1).isdigit():
            latex, self.at = f"{name}_{{{self.peek(1)}}}", self.at + 2
        elif len(name) == 1 and name.isalpha() and (name not in WORDS or self.depth):
            latex, self.at = token, self.at + 1
        elif self.depth and token in ("|", ",", "%"):
            latex, self.at = token.replace("%", r"\%"), self.at + 1
        elif self.depth and name.isalpha() and name not in PROSE:
            latex, self.at = rf"\text{{ {name} }}", self.at + 1
        else:
            return None
        return None if latex is None else latex + self.marks()

    def bracket(self) -> str | None:
        """The content of brackets, if that is a formula up to the closing one."""
        began = self.at
        self.at, self.depth = self.at + 1, self.depth + 1
        latex = self.formula()
        self.depth -= 1
        if latex is None or self.peek() != ")" or r"}\,\text{" in latex:
            self.at = began
            return None
        self.at += 1
        return f"({latex})"

    def marks(self) -> str:
        """Indices and powers."""
        latex = ""
        while (mark := self.peek()) in ("_", "^") and mark:
            began, self.at = self.at, self.at + 1
            word = len(self.peek()) > 1 and self.peek() not in GREEK | FUNCTIONS
            word = word and self.peek().isalpha()
            if word:
                inner: str | None = rf"\text{{{self.peek()}}}"
                self.at += 1
            else:
                inner = self.bracket() if self.peek() == "(" else self.simple()
            if inner is None:
                self.at = began
                break
            self.is_formula = True
            bare = inner[1:-1] if inner.startswith("(") and inner.endswith(")") else inner
            latex += f"{mark}{{{bare}}}"
        return latex

    def simple(self) -> str | None:
        """A number or a letter without marks of its own."""
        token = self.peek()
        if token[:1].isdigit() or (len(token) == 1 and token.isalpha()):
            self.at += 1
            return token
        if token in GREEK:
            self.at += 1
            return rf"\var{token}" if token == "epsilon" else rf"\{token}"
        return None

    def function(self, name: str) -> str | None:
        """A function and its argument."""
        began, self.at = self.at, self.at + 1
        power = self.marks()
        self.at += self.peek().isspace() and self.peek(1) != "("
        argument = self.bracket() if self.peek() == "(" else self.factor()
        if argument is None:
            self.at = began
            return None
        self.is_formula = True
        if name == "sqrt" and not power and argument.startswith("("):
            return rf"\sqrt{{{argument[1:-1]}}}"
        return rf"\{name}{power}\,{argument}"
