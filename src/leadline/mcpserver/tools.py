"""The six tools. Each returns text for a reader and the same as data for a program."""

from __future__ import annotations

import asyncio
from typing import Annotated, Literal

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.tools import Tool
from mcp.types import CallToolResult, ContentBlock, ResourceLink, TextContent, ToolAnnotations
from pydantic import BaseModel, Field

from leadline.errors import SourceLost
from leadline.kit import uses_web
from leadline.kit.memory import open_store, uses_memory
from leadline.mcpserver import guarding, results, shaping
from leadline.mcpserver.checking import MOST_CHARS, MOST_CLAIM_CHARS, RUNS, verify
from leadline.mcpserver.desk import Answer, Desk
from leadline.mcpserver.telling import told
from leadline.ports import Row
from leadline.search.documents import MOST, listed
from leadline.service.asked import of_owner
from leadline.settings import check_task
from leadline.text.lines import AFTER, BEFORE, numbered, window
from leadline.types import Note, Query

Question = Annotated[str, Field(description="A question in plain words, as to a person.")]
Keywords = Annotated[str, Field(description="A few plain keywords.")]
Lines = Annotated[int, Field(ge=0, le=400)]


class Tools:
    """The tools over one desk."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def research(
        self,
        question: Question,
        ctx: Context,
        tier: Annotated[
            Literal["simple", "standard", "deep"] | None,
            Field(description="How much to look; chosen by the question where it is left out."),
        ] = None,
        max_seconds: Annotated[
            float | None, Field(gt=0, description="When to stop searching and report.")
        ] = None,
    ) -> Annotated[CallToolResult, results.Researched]:
        """Research a question and report what the sources say, every sentence checked by passages.

        Takes from seconds to minutes and tells of its progress. A call that was cancelled or timed
        out has lost nothing: the same question again goes on from there.
        """
        steps = 0
        said = "Working"

        async def tell(row: Row | None) -> None:
            nonlocal steps, said
            steps += 1
            said = (told(row) if row else "") or said
            await ctx.report_progress(steps, None, self._desk.hidden.text(said))

        options = {"tier": tier, "max_execution_time_s": max_seconds}
        answer = await self._desk.research(question, options, tell)
        await ctx.notify_resources_changed()
        return _report(answer)

    async def search_web(
        self, query: Keywords, k: Annotated[int, Field(ge=1, le=20)] = 10
    ) -> Annotated[CallToolResult, results.Searched]:
        """Search the web once and list the results: title, address, snippet."""
        kit = await self._desk.web()
        batch = await kit.find(Query(check_task(query), origin="gap"), k)
        if batch.error:
            raise SourceLost(f"the search failed: {batch.error}")
        passed = guarding.batch_passed(batch)
        found = shaping.searched(batch, passed)
        shown = shaping.web_listing(batch)
        return _both(shaping.warned(shown, found, passed.held_back), found)

    async def search_docs(
        self, query: Keywords, k: Annotated[int, Field(ge=1, le=MOST)] = 5
    ) -> Annotated[CallToolResult, results.Searched]:
        """Search the user's own documents: doc#chunk, score and text of each hit."""
        docs = await self._desk.docs()
        hits = await docs.search(Query(check_task(query), origin="gap"), k)
        passed = await guarding.hits_passed(hits, self._desk.settings)
        found = shaping.listed_docs(query, docs.name, passed)
        shown = listed([hit for hit, _ in passed.hits])
        return _both(shaping.warned(shown, found, passed.held_back), found)

    async def read_doc(
        self,
        ref: Annotated[str, Field(description="doc#chunk, as search_docs lists it.")],
        before: Lines = BEFORE,
        after: Lines = AFTER,
    ) -> Annotated[CallToolResult, results.LinesRead]:
        """Read the lines of a document around a chunk that search_docs has listed."""
        page, start, end = await (await self._desk.docs()).locate(ref.strip())
        at = window(page.text, start, end, before, after)
        passed = await guarding.lines_passed(page, at, self._desk.settings)
        head = f"{page.url}, lines {at.first}–{at.last} of {at.count}"
        read = results.LinesRead(
            document=page.url,
            first=at.first,
            last=at.last,
            count=at.count,
            text=passed.text[at.start : at.end],
            warning=guarding.said(passed.found),
        )
        return _both(shaping.warned(f"{head}\n{numbered(passed.text, at)}", read), read)

    async def recall(
        self, question: Question, top_k: Annotated[int, Field(ge=1, le=20)] = 4
    ) -> Annotated[CallToolResult, results.Recalled]:
        """Look up what earlier runs proved about a question.

        What is remembered is a lead and may be out of date: check it before you cite it.
        """
        asked = check_task(question)
        settings = self._desk.settings
        on = uses_memory(settings, uses_web(settings))
        notes = await asyncio.to_thread(self._notes, asked, top_k) if on else ()
        passed, gone = await guarding.notes_passed(notes, settings)
        found = shaping.recalled(asked, passed, on, gone)
        return _both(shaping.memory_listing(found), found)

    def _notes(self, asked: str, top_k: int) -> tuple[Note, ...]:
        """Those of the caller's own memory, where callers are told apart."""
        store = open_store(of_owner(self._desk.settings, self._desk.access.owner))
        try:
            return tuple(store.get_context(asked, top_k))
        finally:
            store.close()

    async def verify_claim(
        self,
        claim: Annotated[
            str, Field(description=f"One sentence, at most {MOST_CLAIM_CHARS:,} characters.")
        ],
        text: Annotated[
            str, Field(max_length=MOST_CHARS, description="The text to check it against, or …")
        ] = "",
        source: Annotated[
            str,
            Field(
                description="… a document or doc#chunk, the address of a web page, "
                f"or {RUNS}ID for all sources of a finished run."
            ),
        ] = "",
    ) -> Annotated[CallToolResult, results.Verified]:
        """Check whether a text says what a claim says; give either text or source.

        The verdict is computed: quoted (its words stand there), sourced (its names and figures
        stand together; how they are related nobody judged), contradicted or not_found, with the
        words that come closest and where they stand.
        """
        proven, where = await verify(self._desk, claim, text, source)
        found = shaping.verified(proven, where)
        return _both(shaping.verdict_text(found), found)


def make_tools(desk: Desk) -> list[Tool]:
    """The tools as a server registers them. An argument that none of them has is refused."""
    tools = Tools(desk)
    looks = ToolAnnotations(read_only_hint=True, open_world_hint=False)
    outside = ToolAnnotations(read_only_hint=True, open_world_hint=True)
    works = ToolAnnotations(destructive_hint=False, open_world_hint=True)
    made = [
        Tool.from_function(tools.research, title="Research a question", annotations=works),
        Tool.from_function(tools.search_web, title="Search the web", annotations=outside),
        Tool.from_function(tools.search_docs, title="Search documents", annotations=looks),
        Tool.from_function(tools.read_doc, title="Read a document", annotations=looks),
        Tool.from_function(tools.recall, title="Recall earlier findings", annotations=looks),
        Tool.from_function(tools.verify_claim, title="Verify a claim", annotations=outside),
    ]
    for tool in made:
        tool.parameters["additionalProperties"] = False
    return made


def _report(answer: Answer) -> CallToolResult:
    """The whole report as text, and a link to it; nothing reached is a failure of the tool."""
    from leadline.render.markdown import markdown

    found = shaping.researched(answer)
    link = ResourceLink(
        type="resource_link",
        uri=found.report_uri,
        name=f"Report {found.run_id}",
        mime_type="text/markdown",
    )
    text = f"{markdown(answer.response)}\nRun {found.run_id}; report: {found.report_uri}\n"
    return _both(text, found, link, failed=not answer.response.reached)


def _both(text: str, found: BaseModel, *more: ContentBlock, failed: bool = False) -> CallToolResult:
    return CallToolResult(
        content=[TextContent(type="text", text=text), *more],
        structured_content=found.model_dump(mode="json"),
        is_error=failed,
    )
