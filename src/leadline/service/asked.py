"""Which settings a request may change, and how far: the machine's own stay with whoever runs it.

Numbers, switches and choices are open to a request; words and paths only where they are listed
here, so that a setting added later is closed until somebody has thought about it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from leadline.bounds import choices
from leadline.documents.files import is_shown
from leadline.errors import BadInput
from leadline.service.refusals import Refused
from leadline.service.uploads import upload_folder
from leadline.settings import Settings, changed
from leadline.types import content_id

MODEL_SHAPE = r"^([A-Za-z_]+:[A-Za-z0-9._:/-]+(\|[A-Za-z_]+:[A-Za-z0-9._:/-]+)*)?$"
_MODELS = ("model", "planner_model", "producer_model", "compressor_model", "evaluator_model")
# Words that name nothing on this machine or its network.
_WORDS = frozenset(
    {
        *_MODELS,
        "vision_model",
        "docs",
        "search_providers",
        "wikipedia_language",
        "allow_domains",
        "deny_domains",
        "prefer_domains",
        "since",
        "until",
    }
)
# Numbers and switches that are about the machine and not about one run, or that only another
# command may set.
_CLOSED = frozenset(
    {
        "log_level",
        "search_concurrency",
        "search_per_second",
        "fetch_robots",
        "fetch_max_mb",
        "fetch_timeout_s",
        "snapshot_max_mb",
        "index_max_file_mb",
        "image_max_mb",
        "image_max_megapixels",
        "frozen",
        "update",
        "memory_vectors",
    }
)
_CLOSED_PREFIXES = ("serve_", "queue_", "store_", "scan", "otel_")
# Where the service has a ceiling of its own, a request may lower it. 0 and None: it has none.
_CEILINGS = (
    "max_cost",
    "token_budget",
    "max_iters",
    "max_queries",
    "max_sources",
    "max_execution_time_s",
)
# What whoever runs the service has shut stays shut: no web, no memory, no model.
_SHUT = {"web": False, "memory": False, "no_model": True}


def open_settings() -> tuple[str, ...]:
    """The settings that a request may change, in the order of the reference."""
    return tuple(
        name
        for name, field in Settings.declared.items()
        if name not in _CLOSED
        and not name.startswith(_CLOSED_PREFIXES)
        and (name in _WORDS or choices(field) or field.kind in (bool, int, float))
    )


def settled(service: Settings, given: Mapping[str, Any]) -> Settings:
    """The settings of one request. Raises `BadInput`, or `Refused` for what it may not have."""
    asked = {name: value for name, value in given.items() if value is not None}
    closed = sorted(set(asked) - set(open_settings()))
    if closed:
        raise Refused(403, f"{', '.join(closed)}: set by whoever runs the service alone")
    _check_shut(asked, service)
    for name in (*_MODELS, "vision_model"):
        _check_model(name, asked.get(name), service)
    if "search_providers" in asked:
        _check_providers(asked["search_providers"], service)
    if "docs" in asked:
        asked["docs"] = tuple(_inside(Path(one), service) for one in asked["docs"])
    for name in _CEILINGS:
        _check_ceiling(name, asked.get(name), service)
    return changed(service, asked)


def of_owner(settings: Settings, owner: str) -> Settings:
    """An owner's settings: what one owner's runs remember no other's may see. The local user, "",
    has those of the machine."""
    if not owner:
        return settings
    return settings.but(memory_project=f"owner-{content_id(owner)}")


def _check_shut(asked: Mapping[str, Any], service: Settings) -> None:
    for name, shut in _SHUT.items():
        if getattr(service, name) is shut and asked.get(name, shut) is not shut:
            raise Refused(403, f"{name} is {str(shut).lower()} in this service, and stays so")
    named = [name for name in (*_MODELS, "vision_model") if asked.get(name)]
    if service.no_model and named:
        raise Refused(403, f"{named[0]}: this service uses no model")


def _check_model(name: str, wanted: str | None, service: Settings) -> None:
    """A model of a known provider; an address in its name would have our key sent there."""
    if not wanted or wanted in {getattr(service, one) for one in _MODELS}:
        return
    if "@" in wanted or "//" in wanted:
        raise Refused(403, f"{name}: a request may not say where a model is")
    if not re.fullmatch(MODEL_SHAPE, wanted):
        raise BadInput(f"{name} must be PROVIDER:NAME, such as ollama:qwen3")


def _check_providers(wanted: tuple[str, ...], service: Settings) -> None:
    """Known names: a dotted path would load code."""
    from leadline.search.registry import PROVIDERS

    known = (*PROVIDERS, *service.search_providers)
    for one in wanted:
        if one not in known:
            raise BadInput(
                f"no search provider is called {one[:60]!r}; there are {', '.join(PROVIDERS)}"
            )


def _inside(path: Path, service: Settings) -> Path:
    """The folder or file, links resolved, if it lies in one that requests may name. One answer to
    all others, so that nobody learns what is on this machine."""
    text = str(path)
    if uploaded := upload_folder(service, text):
        return uploaded
    allowed = [os.path.realpath(one) for one in (*service.serve_folders, *service.docs)]
    if "\0" not in text and path.is_absolute():
        real = Path(os.path.realpath(path))
        if str(real) in allowed and real.exists():
            return real
        if any(real.is_relative_to(one) and is_shown(real, Path(one)) for one in allowed):
            return real
    raise Refused(
        403,
        "docs: not a folder or file that requests may name; "
        "whoever runs the service allows folders",
    )


def _check_ceiling(name: str, wanted: float | None, service: Settings) -> None:
    ceiling = getattr(service, name)
    if ceiling and wanted is not None and (wanted > ceiling or wanted == 0):
        raise BadInput(f"{name} is at most {ceiling:g} in this service")
