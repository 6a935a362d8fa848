"""Tail probabilities of the distributions that tests refer to: continued fractions and series."""

from __future__ import annotations

import math

_TINY = 1e-300
_ENOUGH = 1e-15
_STEPS = 10_000


def chi2_tail(value: float, freedom: float) -> float:
    """The probability that chi-squared with so many degrees of freedom exceeds `value`."""
    if value <= 0:
        return 1.0
    shape, x = freedom / 2, value / 2
    front = math.exp(shape * math.log(x) - x - math.lgamma(shape))
    if x < shape + 1:
        return max(0.0, 1 - front * _gamma_series(shape, x))
    return min(1.0, front * _gamma_fraction(shape, x))


def f_tail(value: float, above: float, below: float) -> float:
    """The probability that F with these degrees of freedom exceeds `value`."""
    if value <= 0:
        return 1.0
    if math.isinf(value):
        return 0.0
    return beta_share(below / (below + above * value), below / 2, above / 2)


def t_tails(value: float, freedom: float) -> float:
    """The probability that Student's t lies further from zero than `value`, on either side."""
    return f_tail(value * value, 1, freedom)


def beta_share(x: float, a: float, b: float) -> float:
    """The regularised incomplete beta function."""
    if x <= 0 or x >= 1:
        return 0.0 if x <= 0 else 1.0
    if x > (a + 1) / (a + b + 2):
        return 1 - beta_share(1 - x, b, a)
    log = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    front = math.exp(log + a * math.log(x) + b * math.log1p(-x))
    return min(1.0, front * _beta_fraction(x, a, b) / a)


def t_bound(share: float, freedom: float) -> float:
    """The value that Student's t stays within, on both sides, with this probability."""
    low, high = 0.0, 1.0
    while t_tails(high, freedom) > 1 - share and high < 1e9:
        high *= 2
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if t_tails(middle, freedom) > 1 - share else (low, middle)
    return (low + high) / 2


def _gamma_series(shape: float, x: float) -> float:
    term = total = 1 / shape
    for step in range(1, _STEPS):
        term *= x / (shape + step)
        total += term
        if term < total * _ENOUGH:
            break
    return total


def _gamma_fraction(shape: float, x: float) -> float:
    """Lentz's method for the upper incomplete gamma function."""
    b = x + 1 - shape
    c, d = 1 / _TINY, 1 / b
    found = d
    for step in range(1, _STEPS):
        a = -step * (step - shape)
        b += 2
        d = 1 / _not_zero(a * d + b)
        c = _not_zero(b + a / c)
        found *= c * d
        if abs(c * d - 1) < _ENOUGH:
            break
    return found


def _beta_fraction(x: float, a: float, b: float) -> float:
    c, d = 1.0, 1 / _not_zero(1 - (a + b) * x / (a + 1))
    found = d
    for m in range(1, _STEPS):
        for number in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / _not_zero(1 + number * d)
            c = _not_zero(1 + number / c)
            found *= c * d
        if abs(c * d - 1) < _ENOUGH:
            break
    return found


def _not_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY
