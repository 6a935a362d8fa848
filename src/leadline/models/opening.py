"""Makes a model of its name: the right dialect, retried, metered, with its fallbacks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import httpx2

from leadline.models.anthropic import AnthropicDialect
from leadline.models.client import Endpoint, HttpModel
from leadline.models.fallback import FallbackModel
from leadline.models.google import GoogleDialect
from leadline.models.metered import CallLog, CallMeter, MeteredModel
from leadline.models.ollama import OllamaDialect
from leadline.models.openai import OpenAIDialect
from leadline.models.prices import price_of
from leadline.models.providers import Keys, Named, key_of, take_apart
from leadline.models.retried import RetriedModel
from leadline.models.window import find_window
from leadline.models.wire import Dialect, Feature, Secret
from leadline.ports import Model
from leadline.purse import Price, Purse
from leadline.text.tokens import PLAIN_CHARS_PER_TOKEN
from leadline.types import Limits
from leadline.web.http import trusted

CONNECT_S = 10.0


@dataclass(frozen=True)
class Wanted:
    """What the user says of one role's model. A `window` of 0 is asked of the server."""

    model: str
    base_url: str = ""
    timeout_s: float = 120.0
    window: int = 0
    keep_alive: str = "5m"
    chars_per_token: float = PLAIN_CHARS_PER_TOKEN
    homes: Mapping[str, str] = field(default_factory=dict)
    schema: bool = True  # False where the doctor found that it keeps to JSON better in words
    tools: bool = True  # False where it calls tools only when told of them in words

    @property
    def named(self) -> tuple[Named, ...]:
        """The models, in the order in which they take over."""
        return take_apart(self.model, self.base_url, self.homes)


@dataclass(frozen=True)
class Till:
    """Where calls are paid and written down; shared by all roles of a run."""

    purse: Purse = field(default_factory=lambda: Purse(Limits()))
    prices: Mapping[str, Price] = field(default_factory=dict)
    meter: CallMeter = field(default_factory=CallLog)


def open_client() -> httpx2.AsyncClient:
    """The client that all models of a run share. Close it with `aclose`.

    A key would travel with a redirect, so none is followed. How long an answer may take is for
    each model to say.
    """
    return httpx2.AsyncClient(
        timeout=httpx2.Timeout(None, connect=CONNECT_S), follow_redirects=False, verify=trusted()
    )


def no_keys(name: str) -> str:
    return ""


async def open_model(
    wanted: Wanted,
    client: httpx2.AsyncClient,
    *,
    role: str = "producer",
    keys: Keys = no_keys,
    till: Till | None = None,
) -> Model:
    """The model of one role. `BadInput` when its name, address or key cannot be right."""
    till = till or Till()
    models: list[Model] = []
    for named in wanted.named:
        bare = await open_one(named, wanted, client, keys)
        price = price_of(named, till.prices)
        retried = RetriedModel(bare)
        models.append(MeteredModel(retried, role, till.purse, price, till.meter))
    return models[0] if len(models) == 1 else FallbackModel(models)


async def open_one(
    named: Named, wanted: Wanted, client: httpx2.AsyncClient, keys: Keys = no_keys
) -> HttpModel:
    """One model with nothing wrapped round it."""
    key = Secret(key_of(named, keys))
    window = wanted.window or await find_window(named, client, key)
    endpoint = Endpoint(
        label=named.label,
        base_url=named.base_url,
        window=window,
        timeout_s=wanted.timeout_s,
        key=key,
        chars_per_token=wanted.chars_per_token,
    )
    worse: dict[Feature, bool] = {"schema": wanted.schema, "tools": wanted.tools}
    without = frozenset(feature for feature, good in worse.items() if not good)
    return HttpModel(endpoint, _dialect(named, window, wanted.keep_alive, key), client, without)


def _dialect(named: Named, window: int, keep_alive: str, key: Secret) -> Dialect:
    match named.provider.speech:
        case "ollama":
            return OllamaDialect(named.model, window, keep_alive, key)
        case "anthropic":
            return AnthropicDialect(named.model, key)
        case "google":
            return GoogleDialect(named.model, key)
        case "openai":
            return OpenAIDialect(named.model, key, named.provider.limit_name)
