"""Which providers a model's name may begin with, and where they are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from leadline.errors import BadInput

Speech = Literal["openai", "ollama", "anthropic", "google"]


@dataclass(frozen=True)
class Provider:
    """`key` is the setting that holds its key; a `local` one costs nothing and needs none."""

    name: str
    speech: Speech
    base_url: str
    key: str = ""
    limit_name: str = "max_tokens"

    @property
    def local(self) -> bool:
        return not self.key


PROVIDERS = {
    one.name: one
    for one in (
        Provider("ollama", "ollama", "http://localhost:11434"),
        Provider(
            "openai",
            "openai",
            "https://api.openai.com/v1",
            "openai_api_key",
            "max_completion_tokens",
        ),
        Provider("anthropic", "anthropic", "https://api.anthropic.com", "anthropic_api_key"),
        Provider("google", "google", "https://generativelanguage.googleapis.com", "google_api_key"),
        Provider("openrouter", "openai", "https://openrouter.ai/api/v1", "openrouter_api_key"),
        Provider("groq", "openai", "https://api.groq.com/openai/v1", "groq_api_key"),
        Provider("mistral", "openai", "https://api.mistral.ai/v1", "mistral_api_key"),
        Provider("deepseek", "openai", "https://api.deepseek.com/v1", "deepseek_api_key"),
        Provider("vllm", "openai", "http://localhost:8000/v1"),
        Provider("llamacpp", "openai", "http://localhost:8080/v1"),
        Provider("lmstudio", "openai", "http://localhost:1234/v1"),
        Provider("endpoint", "openai", ""),  # any other server that speaks OpenAI's language
    )
}


@dataclass(frozen=True)
class Named:
    """A model as the user named it, taken apart."""

    provider: Provider
    model: str
    base_url: str

    @property
    def label(self) -> str:
        return f"{self.provider.name}:{self.model}"


NO_HOMES: Mapping[str, str] = {}


def take_apart(
    text: str, base_url: str = "", homes: Mapping[str, str] = NO_HOMES
) -> tuple[Named, ...]:
    """`a|b` into its models, in the order in which they take over.

    `PROVIDER:NAME` or `PROVIDER:NAME@ADDRESS`; a name without a known provider needs an address.
    `base_url` is for the first model and for others of the same provider; `homes` are addresses
    that take the place of a provider's own.
    """
    parts = [part.strip() for part in text.split("|") if part.strip()]
    if not parts:
        raise BadInput("no model is named; for example ollama:qwen3 or openai:gpt-5-mini")
    first = _one(parts[0], base_url, homes)
    rest = [
        _one(part, base_url if _is_of(part, first.provider) else "", homes) for part in parts[1:]
    ]
    return (first, *rest)


def _one(part: str, base_url: str, homes: Mapping[str, str]) -> Named:
    name, _, address = part.partition("@http")
    url = f"http{address}" if address else base_url
    head, _, tail = name.partition(":")
    provider = PROVIDERS.get(head.lower()) if tail else None
    if provider is None:
        if head.lower() in PROVIDERS and name == f"{head}:":
            raise BadInput(f"the model {part!r} has no name; write it after the provider's")
        if not url:
            raise BadInput(_unknown(part))
        provider, tail = PROVIDERS["endpoint"], name
    url = url or homes.get(provider.name, "") or provider.base_url
    if not url:
        raise BadInput(f"the model {part!r} needs an address: set its base URL")
    if urlsplit(url).scheme not in ("http", "https") or not urlsplit(url).hostname:
        raise BadInput(f"the address of the model {name!r} must start with http:// or https://")
    return Named(provider, tail, url.rstrip("/"))


def _is_of(part: str, provider: Provider) -> bool:
    head, colon, _ = part.partition(":")
    return bool(colon) and head.lower() == provider.name


def _unknown(part: str) -> str:
    known = ", ".join(f"{name}:" for name in PROVIDERS if name != "endpoint")
    return (
        f"the model {part!r} names no provider; write one of {known} before it, "
        f"such as ollama:{part}, or set a base URL"
    )


Keys = Callable[[str], str]
"""The key that a setting holds, "" when it holds none."""


def key_of(named: Named, keys: Keys) -> str:
    """The key for a model. `BadInput` says which setting lacks one.

    A key is never sent to another host than its provider's unless the user gave that address.
    """
    provider = named.provider
    wanted = provider.key or "model_api_key"
    key = keys(wanted) or keys("model_api_key")
    if not key and provider.key and named.base_url == provider.base_url:
        variable = f"RESEARCH_{provider.key.upper()}"
        raise BadInput(f"the model {named.label} needs a key: set {variable}")
    return key
