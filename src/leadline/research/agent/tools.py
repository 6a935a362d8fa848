"""The tools that a model may call: their arguments, what a call asks for, which source it means."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from typing import Annotated

from msgspec import Meta

from leadline.research.agent.arithmetic import Wrong, calculate
from leadline.research.stop import fresh
from leadline.text.lines import AFTER, BEFORE
from leadline.text.model_json import Unreadable, parse
from leadline.text.urls import canonical
from leadline.types import Figure, Hit, Query, SourceKind, State, Tool, ToolCall
from leadline.write.model_answers import clean

MOST_HITS = 10
MOST_LINES = 400
_NUMBER = re.compile(r"^\[?(\d{1,4})\]?$")


@dataclass(frozen=True)
class SearchDocs:
    query: Annotated[str, Meta(description="a few plain keywords")]
    k: Annotated[int, Meta(description="results wanted", ge=1, le=MOST_HITS)] = 5


@dataclass(frozen=True)
class ReadDoc:
    doc: Annotated[str, Meta(description="doc#chunk, or the number of a source")]
    before: Annotated[int, Meta(description="lines above", ge=0, le=MOST_LINES)] = BEFORE
    after: Annotated[int, Meta(description="lines below", ge=0, le=MOST_LINES)] = AFTER


@dataclass(frozen=True)
class WebSearch:
    query: Annotated[str, Meta(description="a few plain keywords")]
    k: Annotated[int, Meta(description="results wanted", ge=1, le=MOST_HITS)] = 5


@dataclass(frozen=True)
class FetchPage:
    page: Annotated[str, Meta(description="the number of a source, or its address")]
    about: Annotated[str, Meta(description="what to look for in it")] = ""


@dataclass(frozen=True)
class Calculate:
    expression: Annotated[str, Meta(description="such as (12.5 - 3) * 4")]


Wish = SearchDocs | ReadDoc | WebSearch | FetchPage | Calculate
_DOCS = (
    Tool(
        "search_docs", "Search the user's documents. Lists doc#chunk, score and text.", SearchDocs
    ),
    Tool("read_doc", "Read the lines around a chunk that a search has listed.", ReadDoc),
)
_WEB = (
    Tool("web_search", "Search the web. Lists titles, addresses and snippets.", WebSearch),
    Tool("fetch_page", "Read a page that a search has listed.", FetchPage),
)
_ALWAYS = (
    Tool(
        "calculate",
        "Work out numbers: + - * / // % ** ( ) min max round abs sqrt log.",
        Calculate,
    ),
)


def offered(*, docs: bool, web: bool) -> tuple[Tool, ...]:
    """The tools of a run; those of the web only where it may be used."""
    return (_DOCS if docs else ()) + (_WEB if web else ()) + _ALWAYS


def understood(call: ToolCall, tools: Sequence[Tool]) -> Wish | str:
    """What a call asks for, or what is wrong with it in words for the model."""
    tool = next((one for one in tools if one.name == call.name.strip()), None)
    if tool is None:
        names = ", ".join(one.name for one in tools)
        return f"there is no tool {call.name.strip()[:60]!r}; there are {names}"
    try:
        wish: Wish = parse(call.arguments, tool.takes)
    except Unreadable as problem:
        return f"the arguments of {tool.name} cannot be used: {problem}"
    if isinstance(wish, SearchDocs | WebSearch) and not wish.query.strip():
        return f"{tool.name} needs a query"
    return wish


def key_of(wish: Wish) -> tuple[object, ...]:
    """The same for calls that ask for the same, in whatever order of words."""
    given = " ".join(map(str, astuple(wish))).casefold().replace("[", " ").replace("]", " ")
    return (type(wish).__name__, frozenset(given.split()))


def query_for(wish: SearchDocs | WebSearch, state: State) -> Query | None:
    """The query as it may be sent: short, never the question itself, never asked before."""
    wanted = Query(clean(wish.query, state.task), "what the model asked for", "agent")
    planned = (*((wanted,) if wanted.text else ()), *state.plan_queries)
    echoed = not wanted.text or wanted.text != " ".join(wish.query.split())
    left = fresh(planned if echoed else planned[:1], state.asked)
    return left[0] if left else None


def hit_named(name: str, state: State, kind: SourceKind) -> Hit | None:
    """The hit that a model means by a number, a `doc#chunk`, a file or an address it was shown."""
    wanted = name.strip().strip("<>\"'`")
    hits = [hit for hit in state.search_results if hit.kind == kind]
    if number := _NUMBER.match(wanted):
        urls = [canonical(one.url) for one in state.sources if one.id == int(number[1])]
        return next((hit for hit in hits if canonical(hit.url) in urls), None)
    wanted = wanted.strip("[]")
    by_ref = next((hit for hit in hits if hit.ref == wanted), None)
    return by_ref or next((hit for hit in hits if canonical(hit.url) == canonical(wanted)), None)


async def work_out(expression: str) -> Figure:
    """The step that calculates."""
    try:
        return Figure(expression, calculate(expression))
    except Wrong as wrong:
        return Figure(expression, wrong=str(wrong))
