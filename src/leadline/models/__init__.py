"""Language models over HTTP: four dialects, one client, and what is wrapped round them."""

from __future__ import annotations

from leadline.models.keys import read_keys
from leadline.models.opening import Till, Wanted, open_client, open_model
from leadline.models.prices import check_prices, own_prices, price_of
from leadline.models.providers import PROVIDERS, take_apart

__all__ = [
    "PROVIDERS",
    "Till",
    "Wanted",
    "check_prices",
    "open_client",
    "open_model",
    "own_prices",
    "price_of",
    "read_keys",
    "take_apart",
]
