"""Settings of the web: which providers, what they need, what may be fetched and kept."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator, BaseModel, Field, SecretStr

from leadline.fields.addresses import Address

NO_KEY = SecretStr("")
_DAY = re.compile(r"(\d{4}(-\d{2}(-\d{2})?)?)?")


def _date(value: str) -> str:
    if not _DAY.fullmatch(value):
        raise ValueError("must be a date: YYYY, YYYY-MM or YYYY-MM-DD")
    return value


Date = Annotated[str, AfterValidator(_date)]


class WebFields(BaseModel, defer_build=True):
    """The open web: searching, filtering, fetching, keeping."""

    web: bool | None = Field(
        default=None, description="Search the web; unset, it is searched where no docs are given."
    )
    search_providers: tuple[str, ...] = Field(
        default=("ddgs",),
        min_length=1,
        description="Search providers in the order in which they take over from one another.",
    )
    search_concurrency: int = Field(
        default=0,
        ge=0,
        le=1000,
        description="Searches of one provider at once, over all runs of a process; 0: its own.",
    )
    search_per_second: float = Field(
        default=0.0,
        ge=0,
        le=10_000,
        allow_inf_nan=False,
        description="Searches of one provider a second, over all runs of a process; 0: its own.",
    )
    searxng_url: Address = Field(default="", description="Address of a SearXNG server.")
    brave_api_key: SecretStr = Field(default=NO_KEY, description="Key for Brave Search.")
    tavily_api_key: SecretStr = Field(default=NO_KEY, description="Key for Tavily.")
    exa_api_key: SecretStr = Field(default=NO_KEY, description="Key for Exa.")
    serper_api_key: SecretStr = Field(default=NO_KEY, description="Key for Serper.")
    semantic_scholar_api_key: SecretStr = Field(
        default=NO_KEY, description="Key for Semantic Scholar; works without, more slowly."
    )
    openalex_api_key: SecretStr = Field(
        default=NO_KEY, description="Key for OpenAlex; works without, within its daily limit."
    )
    pubmed_api_key: SecretStr = Field(
        default=NO_KEY, description="Key for PubMed; works without, more slowly."
    )
    wikipedia_language: str = Field(
        default="en", pattern="^[a-z-]{2,12}$", description="Which Wikipedia is searched."
    )
    opensearch_url: Address = Field(
        default="", description="Address of an OpenSearch or Elasticsearch server."
    )
    opensearch_index: str = Field(default="", description="Index that is searched there.")
    opensearch_api_key: SecretStr = Field(default=NO_KEY, description="Key for that server.")
    mcp_server: str = Field(
        default="", description="Command or address of an MCP server with a search tool."
    )
    mcp_tool: str = Field(default="", description="Name of that tool; unset, it is found.")
    search_timeout_s: float = Field(
        default=10.0, gt=0, le=120, allow_inf_nan=False, description="Seconds a provider may take."
    )
    search_quality_floor: int = Field(
        default=1800,
        ge=0,
        le=100_000,
        description="Characters of results below which a simpler query is tried too.",
    )
    search_cache_ttl_s: int = Field(
        default=86_400, ge=0, description="Seconds a search stays in the cache; 0 turns it off."
    )
    cache: bool = Field(default=True, description="Answer repeated searches from the cache.")
    refresh: bool = Field(default=False, description="Search anew and rewrite the cache.")
    frozen: bool = Field(
        default=False, description="Answer searches from the cache alone, for experiments."
    )
    allow_domains: tuple[str, ...] = Field(
        default=(), description="Only results from these domains and their subdomains."
    )
    deny_domains: tuple[str, ...] = Field(
        default=(), description="No results from these domains; wins over allow_domains."
    )
    prefer_domains: tuple[str, ...] = Field(
        default=(), description="Results from these domains come first."
    )
    since: Date = Field(default="", description="No results from before this date, where known.")
    until: Date = Field(default="", description="No results from after this date, where known.")
    per_domain: int = Field(
        default=0, ge=0, le=100, description="Results of one site in a search; 0 sets no limit."
    )
    domain_quota: int = Field(
        default=0,
        ge=0,
        le=1000,
        description="Sources of one site in a whole run; 0 sets no limit.",
    )
    fetch_allow_hosts: tuple[str, ...] = Field(
        default=(), description="Private hosts that may be fetched, by name or name:port."
    )
    fetch_robots: bool = Field(default=True, description="Do what a site's robots.txt asks.")
    fetch_contact: str = Field(
        default="", description="Address or page put into the user agent, for site owners."
    )
    fetch_timeout_s: float = Field(
        default=30.0, gt=0, le=600, allow_inf_nan=False, description="Seconds one page may take."
    )
    fetch_max_mb: float = Field(
        default=10.0,
        gt=0,
        le=1000,
        allow_inf_nan=False,
        description="Megabytes of a page; three times as much for PDF and office files.",
    )
    fetch_max_age_h: float = Field(
        default=24.0,
        ge=0,
        allow_inf_nan=False,
        description="Hours a kept page is read back instead of fetched; 0 always fetches.",
    )
    snapshot_max_mb: float = Field(
        default=2000.0,
        gt=0,
        allow_inf_nan=False,
        description="Megabytes of kept pages; the oldest that no run cites go first.",
    )
