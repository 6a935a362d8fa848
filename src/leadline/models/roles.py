"""Which model plays which role, from the settings; and which one to take when none is set."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

import httpx2

from leadline.fields.models import ModelFields
from leadline.models.choice import NO_MODEL, Choice
from leadline.models.keys import read_keys
from leadline.models.providers import PROVIDERS, Keys, take_apart

if TYPE_CHECKING:  # a run without a model needs none of what opens one
    from leadline.models.opening import Wanted
    from leadline.models.profiles import Profile

Role = Literal["planner", "producer", "compressor", "evaluator", "vision"]
ROLES: tuple[Role, ...] = ("planner", "producer", "compressor", "evaluator", "vision")
LOOK_S = 1.0

# What a key alone stands for: a cheap model of each provider that keeps to a schema and, where
# there is one, spends no tokens on thoughts that nobody sees.
_BY_KEY = {
    "openai": "openai:gpt-4.1-mini",
    "anthropic": "anthropic:claude-haiku-4-5",
    "google": "google:gemini-2.5-flash",
    "openrouter": "openrouter:openai/gpt-4.1-mini",
    "groq": "groq:openai/gpt-oss-120b",
    "mistral": "mistral:mistral-medium-latest",
    "deepseek": "deepseek:deepseek-chat",
}


# Billions of parameters. One of 1.5 repeated the question in 5 of 9 plans, and none of its twenty
# reflections changed what was found for the better (docs/evidence.md).
SMALLEST_PLANNER = 4.0
_SIZE = re.compile(r"(?<![\d.])(\d{1,4}(?:\.\d+)?)b\b", re.IGNORECASE)


def wanted_for(
    settings: ModelFields,
    role: Role,
    model: str = "",
    profiles: Mapping[str, Profile] | None = None,
) -> Wanted | None:
    """What the settings say of a role's model; `model` stands in where none is set, and
    `profiles` tell what they leave open.

    None when there is no model for it. Compression and vision are played only by a model of
    their own: extraction compresses well for nothing, and few models can see.
    """
    from leadline.models.opening import Wanted
    from leadline.models.profiles import Profile

    own: str = getattr(settings, f"{role}_model")
    shared = "" if role in ("compressor", "vision") else settings.model or model
    name = own or shared
    if not name:
        return None
    base_url = _of(settings, role, "base_url") or ("" if own else settings.model_base_url)
    homes = homes_of(settings)
    known = (profiles or {}).get(take_apart(name, base_url, homes)[0].label, Profile())
    window = _of(settings, role, "window") or (0 if own else settings.model_window)
    return Wanted(
        model=name,
        base_url=base_url,
        timeout_s=_of(settings, role, "timeout_s") or settings.model_timeout_s,
        window=window or known.window,
        keep_alive=_of(settings, role, "keep_alive") or settings.model_keep_alive,
        chars_per_token=settings.chars_per_token or known.chars_per_token,
        homes=homes,
        schema=known.schema,
        tools=known.tools,
    )


def plans(settings: ModelFields, profiles: Mapping[str, Profile]) -> bool:
    """Whether a model adds to the rules' queries and reflects: the user's word, else the doctor's,
    else its size. One that was named as planner is meant to."""
    if settings.model_plans != "auto":
        return settings.model_plans == "always"
    wanted = wanted_for(settings, "planner")
    if wanted is None or settings.planner_model:
        return wanted is not None
    label = wanted.named[0].label
    profile = profiles.get(label)
    if profile is not None and profile.plans is not None:
        return profile.plans
    size = _SIZE.search(label)
    return size is None or float(size[1]) >= SMALLEST_PLANNER


def homes_of(settings: ModelFields) -> dict[str, str]:
    """Addresses that take the place of a provider's own, as the settings give them."""
    return {"openai": settings.openai_base_url} if settings.openai_base_url else {}


def any_set(settings: ModelFields) -> bool:
    """Whether the user named a model for any role."""
    return bool(settings.model or any(_of(settings, role, "model") for role in ROLES))


def temperature_of(settings: ModelFields, role: Role, default: float) -> float:
    """The user's temperature for a role, else what the step asks for."""
    own = _of(settings, role, "temperature")
    shared = settings.model_temperature if own is None else own
    return default if shared is None else float(shared)


def _of(settings: ModelFields, role: Role, what: str) -> Any:
    return getattr(settings, f"{role}_{what}")


def keys_from(settings: ModelFields) -> Keys:
    """Keys by the name of their setting: from the settings, then from the file of keys."""
    kept = read_keys(settings.keys_file) if settings.keys_file else {}

    def key(name: str) -> str:
        held = getattr(settings, name, None)
        return (held.get_secret_value() if held else "") or kept.get(name, "")

    return key


async def any_to_choose(keys: Keys) -> bool:
    """Is there a key, or does anyone listen where Ollama would? Costs far less than a client."""
    if by_key(keys):
        return True
    place = urlsplit(PROVIDERS["ollama"].base_url)
    try:
        async with asyncio.timeout(LOOK_S):
            _, to = await asyncio.open_connection(place.hostname, place.port)
    except (OSError, TimeoutError):
        return False
    to.close()
    return True


async def choose(settings: ModelFields, keys: Keys, client: httpx2.AsyncClient) -> Choice:
    """The model that is set; else one whose key is there; else what a local Ollama has."""
    if settings.model:
        return Choice(settings.model, "it is set")
    if model := by_key(keys):
        provider = model.partition(":")[0]
        return Choice(model, f"a key for {provider} is set; choose another with RESEARCH_MODEL")
    if name := await _ollama_has(client):
        return Choice(f"ollama:{name}", "Ollama runs here; choose another with RESEARCH_MODEL")
    return NO_MODEL


def by_key(keys: Keys) -> str:
    """The model that the first key at hand stands for, "" without one."""
    at_hand = (model for name, model in _BY_KEY.items() if keys(PROVIDERS[name].key))
    return next(at_hand, "")


async def _ollama_has(client: httpx2.AsyncClient) -> str:
    """The model that was used last: Ollama lists the most recently changed first."""
    try:
        answer = await client.get(f"{PROVIDERS['ollama'].base_url}/api/tags", timeout=LOOK_S)
        models = answer.json()["models"] if answer.status_code == 200 else []
        names = [str(one["name"]) for one in models]
    except (httpx2.HTTPError, ValueError, LookupError, TypeError):
        return ""
    return next((name for name in names if "embed" not in name), "")
