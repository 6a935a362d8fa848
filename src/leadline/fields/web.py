"""Settings of the web: which providers, what they need, what may be fetched and kept."""

from __future__ import annotations

import re
from typing import Annotated

from leadline.fields.addresses import Address, host_named
from leadline.fields.secret import NO_KEY, SecretText
from leadline.fields.setting import Bounds, Fields, setting

DAY = r"^([0-9]{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12][0-9]|3[01]))?)?)?$"
# A name, with what may stand round it in an address; no IPv6, which is nobody's domain.
DOMAIN = r"^(https?://)?[^\s/:?#@\[\]\\]+(:[0-9]{1,5})?(/\S*)?$"


def _date(value: str) -> str:
    if not re.fullmatch(DAY, value):
        raise ValueError("must be a date: YYYY, YYYY-MM or YYYY-MM-DD")
    return value


def _hosts(values: tuple[str, ...]) -> tuple[str, ...]:
    for one in values:
        host_named(one)
    return values


def _domains(values: tuple[str, ...]) -> tuple[str, ...]:
    for one in values:
        if not re.fullmatch(DOMAIN, one.strip()):
            raise ValueError(f"must be domains such as example.org, got {one!r:.80}")
    return values


def _providers(values: tuple[str, ...]) -> tuple[str, ...]:
    """Names in lower case, as all are; the path of a class is spelt as it is."""
    names = tuple(one.strip() for one in values)
    if not all(names):
        raise ValueError("must be names of search providers, not nothing")
    return tuple(one if ":" in one or "." in one else one.lower() for one in names)


def _searxng(value: str) -> str:
    """The base of a server, also where the address of its search was copied from a browser."""
    return re.sub(r"/search/?(\?.*)?$", "", value)


Providers = Annotated[tuple[str, ...], Bounds(min_length=1, check=_providers)]
Hosts = Annotated[tuple[str, ...], Bounds(check=_hosts)]
Domains = Annotated[tuple[str, ...], Bounds(check=_domains)]


Date = Annotated[str, Bounds(check=_date)]


class WebFields(Fields):
    """The open web: searching, filtering, fetching, keeping."""

    web: bool | None = setting(
        default=None, description="Search the web; unset, it is searched where no docs are given."
    )
    search_providers: Providers = setting(
        default=("ddgs",),
        needs_trust="yes",
        description="Search providers in the order in which they take over from one another.",
    )
    search_concurrency: int = setting(
        default=0,
        ge=0,
        le=1000,
        description="Searches of one provider at once, over all runs of a process; 0: its own.",
    )
    search_per_second: float = setting(
        default=0.0,
        ge=0,
        le=10_000,
        description="Searches of one provider a second, over all runs of a process; 0: its own.",
    )
    searxng_url: Annotated[Address, Bounds(check=_searxng)] = setting(
        default="", needs_trust="yes", description="Address of a SearXNG server."
    )
    brave_api_key: SecretText = setting(
        default=NO_KEY, needs_trust="yes", description="Key for Brave Search."
    )
    tavily_api_key: SecretText = setting(
        default=NO_KEY, needs_trust="yes", description="Key for Tavily."
    )
    exa_api_key: SecretText = setting(default=NO_KEY, needs_trust="yes", description="Key for Exa.")
    serper_api_key: SecretText = setting(
        default=NO_KEY, needs_trust="yes", description="Key for Serper."
    )
    semantic_scholar_api_key: SecretText = setting(
        default=NO_KEY,
        needs_trust="yes",
        description="Key for Semantic Scholar; works without, more slowly.",
    )
    openalex_api_key: SecretText = setting(
        default=NO_KEY,
        needs_trust="yes",
        description="Key for OpenAlex; works without, within its daily limit.",
    )
    pubmed_api_key: SecretText = setting(
        default=NO_KEY, needs_trust="yes", description="Key for PubMed; works without, more slowly."
    )
    wikipedia_language: str = setting(
        default="en",
        pattern="^[a-z-]{2,12}$",
        description="Which Wikipedia is searched, where no other script tells.",
    )
    opensearch_url: Address = setting(
        default="",
        needs_trust="yes",
        description="Address of an OpenSearch or Elasticsearch server.",
    )
    opensearch_index: str = setting(default="", description="Index that is searched there.")
    opensearch_api_key: SecretText = setting(
        default=NO_KEY, needs_trust="yes", description="Key for that server."
    )
    mcp_server: str = setting(
        default="",
        needs_trust="yes",
        description="Command or address of an MCP server with a search tool.",
    )
    mcp_tool: str = setting(
        default="", needs_trust="yes", description="Name of that tool; unset, it is found."
    )
    search_timeout_s: float = setting(
        default=10.0, gt=0, le=120, description="Seconds a provider may take."
    )
    search_quality_floor: int = setting(
        default=1800,
        ge=0,
        le=100_000,
        description="Characters of results below which a simpler query is tried too.",
    )
    search_cache_ttl_s: int = setting(
        default=86_400, ge=0, description="Seconds a search stays in the cache; 0 turns it off."
    )
    cache: bool = setting(default=True, description="Answer repeated searches from the cache.")
    refresh: bool = setting(default=False, description="Search anew and rewrite the cache.")
    frozen: bool = setting(
        default=False, description="Answer searches from the cache alone, for experiments."
    )
    allow_domains: Domains = setting(
        default=(), description="Only results from these domains and their subdomains."
    )
    deny_domains: Domains = setting(
        default=(), description="No results from these domains; wins over allow_domains."
    )
    prefer_domains: Domains = setting(
        default=(), description="Results from these domains come first."
    )
    since: Date = setting(default="", description="No results from before this date, where known.")
    until: Date = setting(default="", description="No results from after this date, where known.")
    per_domain: int = setting(
        default=0, ge=0, le=100, description="Results of one site in a search; 0 sets no limit."
    )
    domain_quota: int = setting(
        default=0,
        ge=0,
        le=1000,
        description="Sources of one site in a whole run; 0 sets no limit.",
    )
    fetch_allow_hosts: Hosts = setting(
        default=(),
        needs_trust="yes",
        description="Private hosts that may be fetched, by name or name:port.",
    )
    fetch_robots: bool = setting(default=True, description="Do what a site's robots.txt asks.")
    fetch_contact: str = setting(
        default="", description="Address or page put into the user agent, for site owners."
    )
    fetch_timeout_s: float = setting(
        default=30.0, gt=0, le=600, description="Seconds one page may take."
    )
    fetch_max_mb: float = setting(
        default=10.0,
        gt=0,
        le=1000,
        description="Megabytes of a page; three times as much for PDF and office files.",
    )
    fetch_max_age_h: float = setting(
        default=24.0,
        ge=0,
        description="Hours a kept page is read back instead of fetched; 0 always fetches.",
    )
    snapshot_max_mb: float = setting(
        default=2000.0,
        gt=0,
        description="Megabytes of kept pages; the oldest that no run cites go first.",
    )
