"""How much a model can really hold, asked of its server or looked up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import httpx2

from leadline.models.prices import listed
from leadline.models.providers import Named

OLLAMA_WINDOW = 16_384  # more is asked for by setting it: memory grows with the window
CLOUD_WINDOW = 128_000  # more than any prompt of ours needs
UNKNOWN_WINDOW = 8192
UNKNOWN_CLOUD_WINDOW = 32_768  # no provider sells less today
LEAST_WINDOW = 1024
TIMEOUT_S = 5.0


async def find_window(named: Named, client: httpx2.AsyncClient, key: str = "") -> int:
    """Tokens of prompt and answer together; a careful guess where nobody says."""
    if named.provider.speech == "ollama":
        body = await _ask(client, "POST", f"{named.base_url}/api/show", key, {"name": named.model})
        return _held(min(_ollama_window(body) or UNKNOWN_WINDOW, OLLAMA_WINDOW))
    if named.base_url == named.provider.base_url and not named.provider.local:
        return _held(_cloud_window(named) or UNKNOWN_CLOUD_WINDOW)
    served = await _served_window(named, client, key)
    return _held(min(served, CLOUD_WINDOW) or _cloud_window(named) or UNKNOWN_WINDOW)


def _held(window: int) -> int:
    return max(LEAST_WINDOW, window)


def _cloud_window(named: Named) -> int:
    """What the table says, 0 where it says nothing."""
    known = listed(named)
    # Beyond a tier of prices the same tokens cost more than was put aside for them.
    return min(known.window, known.tier or known.window, CLOUD_WINDOW)


async def _served_window(named: Named, client: httpx2.AsyncClient, key: str) -> int:
    """llama.cpp says it under /props, LM Studio under its own API, vLLM and others in the list."""
    root = named.base_url.removesuffix("/v1")
    props = await _ask(client, "GET", f"{root}/props", key)
    if window := _number(props, "default_generation_settings", "n_ctx") or _number(props, "n_ctx"):
        return window
    models = await _ask(client, "GET", f"{named.base_url}/models", key)
    if window := _listed_window(models, named.model):
        return window
    studio = await _ask(client, "GET", f"{root}/api/v0/models/{quote(named.model, safe='')}", key)
    return _number(studio, "loaded_context_length")


def _listed_window(models: Any, model: str) -> int:
    entries = models.get("data") if isinstance(models, dict) else None
    entries = [one for one in entries or [] if isinstance(one, dict)]
    chosen = [one for one in entries if one.get("id") == model] or entries[:1]
    for one in chosen:
        for name in ("max_model_len", "context_length", "context_window", "max_context_length"):
            if window := _number(one, name):
                return window
        if window := _number(one, "meta", "n_ctx"):
            return window
    return 0


def _ollama_window(body: Any) -> int:
    info = body.get("model_info") if isinstance(body, dict) else None
    info = info if isinstance(info, dict) else {}
    return max(
        (_number(info, name) for name in info if name.endswith(".context_length")), default=0
    )


def _number(body: Any, *path: str) -> int:
    for name in path:
        body = body.get(name) if isinstance(body, dict) else None
    return body if isinstance(body, int) and body > 0 else 0


async def _ask(
    client: httpx2.AsyncClient,
    method: str,
    url: str,
    key: str,
    json: Mapping[str, Any] | None = None,
) -> Any:
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    try:
        response = await client.request(method, url, headers=headers, json=json, timeout=TIMEOUT_S)
        return response.json() if response.status_code == 200 else {}
    except (httpx2.HTTPError, ValueError):
        return {}  # the guess stands; the first call will say what is wrong
