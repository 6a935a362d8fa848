"""Works out an arithmetic expression: numbers, operators, a few functions; no names, no code."""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

MAX_CHARS = 200
MAX_BITS = 4096  # of a whole number on the way: what takes long is refused before it is done
MAX_SHOWN = 60  # digits
_SIGNS = str.maketrans({"×": "*", "·": "*", "÷": "/", "−": "-", "–": "-"})
_THOUSANDS = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d,])")


class Wrong(ValueError):
    """The expression cannot be worked out; says why in words that a model understands."""


def calculate(expression: str) -> str:
    """The value of `expression` as text. Raises `Wrong`."""
    text = expression.strip().rstrip("=").strip().translate(_SIGNS).replace("^", "**")
    if not re.search(r"[a-z]\s*\(", text):  # where a comma would part the arguments of a function
        text = _THOUSANDS.sub(lambda found: found.group().replace(",", ""), text)
    if len(text) > MAX_CHARS:
        raise Wrong(f"the expression has {len(text)} characters, at most {MAX_CHARS} are taken")
    try:
        number: int | float = _value(ast.parse(text, mode="eval").body)
    except (SyntaxError, RecursionError, MemoryError) as error:
        raise Wrong(f"{text!r} is no arithmetic expression") from error
    except (ArithmeticError, ValueError, TypeError) as error:
        raise Wrong(str(error) or f"{text!r} cannot be worked out") from error
    if isinstance(number, float):
        return f"{number:.12g}"
    digits = str(abs(number))
    if len(digits) > MAX_SHOWN:
        digits = f"{digits[0]}.{digits[1:13]}e+{len(digits) - 1}"
    return "-" * (number < 0) + digits


def _value(node: ast.expr) -> Any:
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return _bounded(number)
        case ast.UnaryOp(op=ast.UAdd() | ast.USub() as sign, operand=inner):
            return -_value(inner) if isinstance(sign, ast.USub) else _value(inner)
        case ast.BinOp(left, op, right) if type(op) in _OPERATORS:
            return _bounded(_OPERATORS[type(op)](_value(left), _value(right)))
        case ast.Call(ast.Name(name), arguments, []) if name in _FUNCTIONS:
            return _bounded(_FUNCTIONS[name](*map(_value, arguments)))
    raise Wrong(f"{ast.unparse(node)[:60]!r} is not allowed; {ALLOWED}")


def _bounded(number: Any) -> Any:
    """A finite real number within bounds, so that nothing built on it can grow unseen."""
    if isinstance(number, complex):
        raise Wrong("the root of a negative number is no real number")
    if number.bit_length() > MAX_BITS if isinstance(number, int) else not math.isfinite(number):
        raise Wrong("a number on the way or the result is too large")
    return number


def _power(base: Any, exponent: Any) -> Any:
    integers = isinstance(base, int) and isinstance(exponent, int)
    if integers and base.bit_length() * exponent > MAX_BITS:
        raise Wrong("the power is too large")
    return base**exponent


def _rounded(number: Any, places: int = 0) -> Any:
    if abs(places) > 30:
        raise Wrong("round takes 30 places at most")
    return round(number, places) if places else round(number)


_OPERATORS: Final[Mapping[type[ast.operator], Callable[[Any, Any], Any]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: _power,
}
_FUNCTIONS: Final[Mapping[str, Callable[..., Any]]] = {
    "min": min,
    "max": max,
    "round": _rounded,
    "abs": abs,
    "sqrt": math.sqrt,
    "log": lambda number, base=math.e: math.log(number, base),
}
ALLOWED = "only numbers, + - * / // % **, parentheses, " + ", ".join(_FUNCTIONS)
