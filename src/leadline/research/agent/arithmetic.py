"""Works out an arithmetic expression: numbers, operators, a few functions; no names, no code.

Whole numbers stay exact. What would take long or fill the memory is refused before it is done.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Mapping
from typing import Final

MAX_CHARS = 400
MAX_PARTS = 200
MAX_BITS = 4096  # of a whole number on the way
MAX_SHOWN = 60  # digits
Number = int | float

_THOUSANDS = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d,])")
_SIGNS = str.maketrans({"×": "*", "·": "*", "÷": "/", "−": "-", "–": "-"})


class Wrong(ValueError):
    """The expression cannot be worked out; says why in words that a model understands."""


def calculate(expression: str) -> str:
    """The value of `expression` as text. Raises `Wrong`."""
    text = expression.strip().rstrip("=").strip().translate(_SIGNS).replace("^", "**")
    if len(text) > MAX_CHARS:
        raise Wrong(f"the expression has {len(text)} characters, at most {MAX_CHARS} are taken")
    text = _thousands(text)
    try:
        tree = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise Wrong(f"{text!r} is no arithmetic expression") from error
    if sum(1 for _ in ast.walk(tree)) > MAX_PARTS:
        raise Wrong("the expression has too many parts")
    try:
        return _shown(_value(tree.body))
    except ZeroDivisionError as error:
        raise Wrong("it divides by zero") from error
    except OverflowError as error:
        raise Wrong("the result is too large") from error


def _thousands(text: str) -> str:
    """`1,234` as 1234, unless a function is called, where a comma parts its arguments."""
    return text if "(" in text and re.search(r"[a-z]\s*\(", text) else _THOUSANDS.sub(_joined, text)


def _joined(match: re.Match[str]) -> str:
    return match.group().replace(",", "")


def _value(node: ast.expr) -> Number:
    if isinstance(node, ast.Constant):
        if isinstance(node.value, int | float) and not isinstance(node.value, bool):
            return _held(node.value)
        raise Wrong(f"{node.value!r} is no number; {ALLOWED}")
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.UAdd | ast.USub):
        inner = _value(node.operand)
        return -inner if isinstance(node.op, ast.USub) else inner
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return _held(_OPERATORS[type(node.op)](_value(node.left), _value(node.right)))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        return _held(_called(node.func.id, node.args))
    raise Wrong(f"{_said(node)} is not allowed; {ALLOWED}")


def _called(name: str, nodes: list[ast.expr]) -> Number:
    if name not in _FUNCTIONS:
        raise Wrong(f"there is no function {name!r}; {ALLOWED}")
    low, high, function = _FUNCTIONS[name]
    given = [_value(one) for one in nodes]
    if not low <= len(given) <= high:
        raise Wrong(f"{name} takes {low} to {high} numbers, got {len(given)}")
    try:
        return function(*given)
    except (ValueError, TypeError) as error:
        raise Wrong(f"{name} cannot be taken of {', '.join(map(str, given))}") from error


def _power(base: Number, exponent: Number) -> Number:
    if isinstance(base, int) and isinstance(exponent, int) and exponent >= 0:
        if base.bit_length() * exponent > MAX_BITS:
            raise Wrong("the power is too large")
        return int(base**exponent)
    try:
        result = base**exponent
    except OverflowError as error:
        raise Wrong("the power is too large") from error
    if isinstance(result, complex):
        raise Wrong("the root of a negative number is no real number")
    return float(result)


def _rounded(number: Number, places: Number = 0) -> Number:
    if not isinstance(places, int) or abs(places) > 30:
        raise Wrong("round takes a whole number of places, 30 at most")
    return round(number, places) if places else round(number)


def _log(number: Number, base: Number = math.e) -> float:
    return math.log(number) if base == math.e else math.log(number) / math.log(base)


_OPERATORS: Final[Mapping[type[ast.operator], Callable[[Number, Number], Number]]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
    ast.FloorDiv: lambda a, b: a // b,
    ast.Mod: lambda a, b: a % b,
    ast.Pow: _power,
}
_FUNCTIONS: Final[Mapping[str, tuple[int, int, Callable[..., Number]]]] = {
    "min": (2, 50, min),
    "max": (2, 50, max),
    "round": (1, 2, _rounded),
    "abs": (1, 1, abs),
    "sqrt": (1, 1, math.sqrt),
    "log": (1, 2, _log),
}
ALLOWED = "only numbers, + - * / // % **, parentheses, " + ", ".join(_FUNCTIONS)


def _held(number: Number) -> Number:
    """Within bounds, so that nothing built on it can grow past them unseen."""
    if isinstance(number, int):
        if number.bit_length() > MAX_BITS:
            raise Wrong("a number on the way is too large")
    elif not math.isfinite(number):
        raise Wrong("the result is too large")
    return number


def _shown(number: Number) -> str:
    if isinstance(number, float):
        return f"{number:.12g}"
    sign, digits = "-" * (number < 0), str(abs(number))
    if len(digits) > MAX_SHOWN:
        return f"{sign}{digits[0]}.{digits[1:13]}e+{len(digits) - 1}"
    return sign + digits


def _said(node: ast.expr) -> str:
    return repr(node.id) if isinstance(node, ast.Name) else type(node).__name__.lower()
