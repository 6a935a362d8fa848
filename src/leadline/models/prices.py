"""What a million tokens cost, and how much a model of a cloud provider can hold.

The figures are those of the `genai-prices` package; the user's own win over them. A model that
nobody knows the price of costs nothing in our books, and the run says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from leadline.errors import BadInput
from leadline.models.providers import Named
from leadline.purse import FREE, UNKNOWN, Price
from leadline.text.urls import is_loopback


@dataclass(frozen=True)
class Listed:
    """A model in the table. Above `tier` tokens of prompt another price would hold."""

    price: Price
    window: int = 0
    tier: int = 0


def price_of(named: Named, own: Mapping[str, Price]) -> Price:
    """The user's price, else nothing for a local model, else the table's.

    A server on this machine that nobody knows the prices of is taken to be local too.
    """
    for name in (named.label, named.model):
        if name in own:
            return own[name]
    if named.provider.local:
        return FREE
    price = listed(named).price
    return price if price.known or not _at_home(named.base_url) else FREE


def listed(named: Named) -> Listed:
    """What the table has on a model; an unknown price and no window when it has nothing."""
    try:
        from genai_prices import Usage, calc_price
    except ImportError:
        return Listed(UNKNOWN)
    thousand = Usage(input_tokens=1000, output_tokens=1000)
    try:
        found = calc_price(thousand, named.model, provider_id=named.provider.name)
    except LookupError:
        return Listed(UNKNOWN)
    window = found.model.context_window or 0
    parts = (found.model_price.input_mtok, found.model_price.output_mtok)
    if None in parts:
        return Listed(UNKNOWN, window)
    tiers = [tier.start for part in parts for tier in getattr(part, "tiers", ())]
    price = Price(float(found.input_price) * 1000, float(found.output_price) * 1000)
    return Listed(price, window, min(tiers, default=0))


def own_prices(given: Sequence[str]) -> dict[str, Price]:
    """`MODEL=PROMPT/ANSWER`, money for a million tokens of each."""
    prices: dict[str, Price] = {}
    for text in given:
        name, equals, figures = text.rpartition("=")
        prompt, slash, answer = figures.partition("/")
        try:
            if not (equals and slash and name.strip()):
                raise ValueError(text)
            price = Price(float(prompt), float(answer))
            if not (0 <= price.prompt < 1e6 and 0 <= price.completion < 1e6):
                raise ValueError(text)
        except ValueError:
            raise BadInput(
                f"a price must be MODEL=PROMPT/ANSWER for a million tokens, such as "
                f"openai:gpt-5-mini=0.25/2; got {text!r}"
            ) from None
        prices[name.strip()] = price
    return prices


def check_prices(prices: Mapping[str, Price], max_cost: float) -> None:
    """A ceiling on money needs prices: `BadInput` for a model without one."""
    unknown = sorted(name for name, price in prices.items() if not price.known)
    if max_cost and unknown:
        raise BadInput(
            f"max_cost cannot be kept: the price of {', '.join(unknown)} is not known; "
            f'set it, such as prices = ["{unknown[0]}=1.0/5.0"]'
        )


def _at_home(url: str) -> bool:
    return is_loopback(urlsplit(url).hostname or "")
