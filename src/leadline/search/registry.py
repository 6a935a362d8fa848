"""Which providers there are: a line each, and whatever the user adds.

A dotted path (`package.module:Class`) names a class of one's own. Its fields say which settings it
needs.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from importlib.util import find_spec
from typing import Any, cast

import httpx2

from leadline.errors import BadInput, SourceLost, with_extra
from leadline.fields.own import is_key, typed
from leadline.ports import Searcher
from leadline.search.foreign import ANYTHING, ForeignSearcher, error_line
from leadline.search.http import TIMEOUT_S, HttpSearcher
from leadline.search.provider import Secret
from leadline.types import Query

CONTACT = "fetch_contact"  # the setting that says whom the owner of a site can write to


@dataclass(frozen=True)
class Entry:
    """Where a provider is, and how fast it may be asked; `nameless` by whom it does not know."""

    path: str
    concurrency: int = 4
    per_second: float = 5.0
    nameless: float = 0.0  # a second, one at a time, where no contact is set; 0: as anybody


@dataclass(frozen=True)
class Ready:
    """Whether a provider can be used, and why not."""

    name: str
    ready: bool
    why: str


# The pace is what each service asks of its users without a paid plan.
PROVIDERS: dict[str, Entry] = {
    "ddgs": Entry("leadline.search.ddgs:Ddgs", 2, 1),
    "searxng": Entry("leadline.search.searxng:SearXNG", 4, 10),
    "brave": Entry("leadline.search.brave:Brave", 1, 1),
    "tavily": Entry("leadline.search.tavily:Tavily", 4, 1.6),
    "exa": Entry("leadline.search.exa:Exa"),
    "serper": Entry("leadline.search.serper:Serper"),
    "wikipedia": Entry("leadline.search.wikipedia:Wikipedia", 3, 3, 1 / 6),
    "arxiv": Entry("leadline.search.arxiv:Arxiv", 1, 1 / 3),
    "semantic_scholar": Entry("leadline.search.semantic_scholar:SemanticScholar", 1, 1),
    "openalex": Entry("leadline.search.openalex:OpenAlex"),
    "pubmed": Entry("leadline.search.pubmed:PubMed", 1, 1.4),  # two requests each
    "opensearch": Entry("leadline.search.opensearch:OpenSearch", 4, 20),
    "mcp": Entry("leadline.search.mcp:McpTool", 2, 5),
}


def make(name: str, options: Mapping[str, object], client: httpx2.AsyncClient) -> Searcher:
    """The searcher `name`, set up from the settings in `options`. Raises `BadInput`."""
    try:
        provider = _provider(name, options)
    except BadInput as error:
        raise BadInput(f"the search provider {name} cannot be used: {error}") from error
    timeout_s = cast(float, options.get("search_timeout_s", TIMEOUT_S))
    if not hasattr(provider, "search"):
        over_http = HttpSearcher(provider, client, timeout_s=timeout_s)
        return over_http if name in PROVIDERS else ForeignSearcher(over_http, provider, None)
    # What is ours keeps its time itself.
    return ForeignSearcher(provider, provider, None if name in PROVIDERS else timeout_s)


def entry(name: str) -> Entry:
    """The registry's line for `name`; for one of the user's own, its path and a default pace."""
    if name in PROVIDERS:
        return PROVIDERS[name]
    if ":" in name:
        return Entry(name)
    raise BadInput(f"no search provider is called {name!r}; {_nearest(name)}")


def _nearest(name: str) -> str:
    """What may have been meant."""
    import difflib

    module, dot, attribute = name.rpartition(".")
    if dot and attribute.isidentifier():
        return f"a class of your own is named {module}:{attribute}"
    near = difflib.get_close_matches(re.sub(r"[\W_]+", "_", name.lower()), PROVIDERS, 1)
    return f"did you mean {near[0]}?" if near else f"there are {', '.join(PROVIDERS)}"


def load(name: str) -> Any:
    """The class of a provider."""
    path = entry(name).path
    module, _, attribute = path.partition(":")
    try:
        return getattr(importlib.import_module(module), attribute)
    except ANYTHING as error:
        why = f"cannot load the search provider {path}: {error_line(error)}"
        if isinstance(error, ModuleNotFoundError) and error.name == module.partition(".")[0]:
            why += "; its folder must be on PYTHONPATH, or its package installed where leadline is"
        raise BadInput(why) from error


def _provider(name: str, options: Mapping[str, object]) -> Any:
    """The provider, with the settings that it takes. Raises `BadInput`; nothing is sent."""
    kind = load(name)
    package = getattr(kind, "package", "")
    if package and not _is_there(package):
        how = with_extra(package) if name in PROVIDERS else f"pip install {package}"
        raise BadInput(f"{package} is not installed; {how}")
    if not (hasattr(kind, "search") or (hasattr(kind, "request") and hasattr(kind, "parse"))):
        raise BadInput("it is no class with request and parse, or with search")
    texts = {field: _value(options, field) for field in _fields(kind)}
    missing = [field for field, needed in _fields(kind).items() if needed and not texts[field]]
    if missing:
        needed = " and ".join(f"{field} (RESEARCH_{field.upper()})" for field in missing)
        raise BadInput(f"needs {needed}")
    kinds = {field.name: field.type for field in fields(kind)} if texts else {}
    given = {field: typed(field, kinds[field], text) for field, text in texts.items() if text}
    try:
        provider = kind(**given)
    except ANYTHING as error:
        raise BadInput(f"it cannot be made ({error_line(error)})") from error
    if not isinstance(getattr(provider, "name", None), str) or not provider.name:
        raise BadInput('it has no name; give its class one: name: ClassVar[str] = "…"')
    return provider


def settings_of(name: str) -> dict[str, bool]:
    """The settings that a provider takes, and whether it cannot do without."""
    return _fields(load(name))


def own_settings(chosen: Iterable[str]) -> tuple[str, ...]:
    """The settings that providers of the user's own take, which are chosen by their paths. Raises
    `BadInput` where one cannot be loaded."""
    return tuple(
        dict.fromkeys(name for path in chosen if ":" in path for name in settings_of(path))
    )


def readiness(options: Mapping[str, object], also: Iterable[str] = ()) -> list[Ready]:
    """Every provider, ready or not; `also` names ones of the user's own."""
    return [ready(name, options) for name in dict.fromkeys((*PROVIDERS, *also))]


def ready(name: str, options: Mapping[str, object]) -> Ready:
    """Whether `name` has its package and its settings. Nothing is sent."""
    try:
        _provider(name, options)
    except BadInput as error:
        return Ready(name, False, str(error))
    used = [field for field in settings_of(name) if _value(options, field)]
    state = f"{', '.join(used)} set" if used else "needs no key"
    return Ready(name, True, state + _slowed(name, options))


def _is_there(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except (ImportError, ValueError):  # a part of a package that is not there
        return False


async def probe(name: str, options: Mapping[str, object], client: httpx2.AsyncClient) -> Ready:
    """Whether `name` answers: one small search is made."""
    state = ready(name, options)
    if not state.ready:
        return state
    try:
        hits = await make(name, options, client).search(Query("encyclopedia"), 3)
    except SourceLost as lost:
        return Ready(name, False, str(lost))
    return Ready(name, True, f"answered with {len(hits)} results{_slowed(name, options)}")


def _slowed(name: str, options: Mapping[str, object]) -> str:
    """What would make a provider that knows nobody behind the searches faster."""
    slow = entry(name).nameless
    if not slow or _value(options, CONTACT):
        return ""
    return f"; {60 * slow:.0f} searches a minute until {CONTACT} is set"


def _fields(kind: Any) -> dict[str, bool]:
    """The settings a provider takes, and whether it needs them."""
    if not is_dataclass(kind):
        return {}
    return {
        field.name: field.default is MISSING and field.default_factory is MISSING
        for field in fields(kind)
        if field.init
    }


def _value(options: Mapping[str, object], field: str) -> str:
    value = options.get(field)
    reveal = getattr(value, "get_secret_value", None)
    text = str(reveal() if reveal else value or "").strip()
    return Secret(text) if is_key(field) else text
