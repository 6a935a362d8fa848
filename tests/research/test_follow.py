"""Questions on a finished run: its pages first, a search for the rest, its report updated (W9)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest

from leadline.bundle.check import verify_file
from leadline.bundle.contents import written
from leadline.bundle.replay import replay
from leadline.errors import BadInput, RunNotFound
from leadline.kit import embedder
from leadline.session import Session, open_session
from leadline.settings import Settings
from leadline.types import AgentResponse

T = TypeVar("T")
QUESTION = "Who approves a refund above 500 euros?"
REFUNDS = (
    "# Refunds\n\nThe head of finance approves every refund above 500 euros.\n\n"
    "A refund is paid within fourteen days of its approval.\n\n"
    "Refunds of gift cards are paid as store credit and never in cash.\n"
)
HOLIDAYS = "# Holidays\n\nEvery employee has thirty days of paid holiday a year.\n"
PARKING = (
    "# Parking\n\nThe car park of the Selm office has forty spaces.\n\n"
    "Visitors of the Selm office park on level two.\n"
)


def a_handbook(folder: Path, **changes: Any) -> Settings:
    docs = folder / "handbook"
    docs.mkdir()
    (docs / "refunds.md").write_text(REFUNDS)
    (docs / "holidays.md").write_text(HOLIDAYS)
    (docs / "parking.md").write_text(PARKING)
    return Settings(docs=(docs,), data_dir=folder / "data", **changes)


def within(settings: Settings, do: Callable[[Session, str, AgentResponse], Awaitable[T]]) -> T:
    """`do` with a session, the id of a finished run, and what it found."""

    async def whole() -> T:
        async with open_session(settings) as session:
            session.prepare()
            run_id = await session.start(QUESTION)
            return await do(session, run_id, await session.response(run_id))

    return asyncio.run(whole())


async def names_of(session: Session, run_id: str) -> list[str]:
    return [row.name for row in await session.engine.rows(run_id)]


@pytest.mark.contract("W9", "D7")
def test_what_the_old_pages_hold_is_answered_without_a_search(tmp_path: Path) -> None:
    async def ask(session: Session, run_id: str, old: AgentResponse) -> None:
        new_id = await session.ask(run_id, "Within how many days is a refund paid?")
        new = await session.response(new_id)
        assert "fourteen days" in new.final_answer
        assert new.usage.searches == 0
        assert "search" not in await names_of(session, new_id)
        assert new.follows == run_id
        assert new.stop_reason == "sufficient"
        where = {source.location: source.id for source in old.sources}
        assert all(where[one.location] == one.id for one in new.sources if one.location in where)
        assert all(claim.quote for claim in new.claims)
        assert (await session.engine.info(new_id)).settings["follows"] == run_id

    within(a_handbook(tmp_path), ask)


@pytest.mark.contract("W9")
@pytest.mark.parametrize("question", ["What is Selm?", "what is parking"])
def test_a_short_question_about_something_new_is_searched_for(
    tmp_path: Path, question: str
) -> None:
    async def ask(session: Session, run_id: str, old: AgentResponse) -> None:
        new = await session.response(await session.ask(run_id, question))
        assert new.usage.searches > 0
        assert "head of finance" not in new.final_answer
        assert {one.location for one in new.sources} <= {"parking.md"}

    within(a_handbook(tmp_path), ask)


@pytest.mark.contract("W9")
def test_only_the_missing_part_of_a_question_is_searched_for(tmp_path: Path) -> None:
    async def ask(session: Session, run_id: str, old: AgentResponse) -> None:
        extra = session.settings.docs[0] / "kitchen.md"
        extra.write_text("# Kitchen\n\nThe Borg canteen opens its doors at seven in the morning.\n")
        session.prepare()
        question = (
            "Within how many days is a refund paid after its approval, "
            "and when does the Borg canteen open its doors?"
        )
        new = await session.response(await session.ask(run_id, question))
        queries = [verdict.query.lower() for verdict in new.verdicts]
        assert queries
        assert all("borg" in query or "canteen" in query for query in queries)
        assert "fourteen days" in new.final_answer
        assert "seven in the morning" in new.final_answer

    within(a_handbook(tmp_path), ask)


@pytest.mark.contract("W9", "W3")
def test_the_old_report_is_updated_and_stays_as_it_was(tmp_path: Path) -> None:
    async def ask(session: Session, run_id: str, old: AgentResponse) -> None:
        question = "Are refunds of gift cards paid in cash?"
        new = await session.response(await session.ask(run_id, question, update=True))
        assert new.task == QUESTION
        assert "head of finance" in new.final_answer
        assert "store credit" in new.final_answer
        assert all(claim.quote for claim in new.claims)
        assert {claim.text for claim in old.claims} <= {claim.text for claim in new.claims}
        assert await session.response(run_id) == old

    within(a_handbook(tmp_path), ask)


@pytest.mark.contract("W9", "W7", "R8")
@pytest.mark.parametrize("update", [False, True])
def test_a_follow_up_is_proven_by_its_file_alone(tmp_path: Path, update: bool) -> None:
    async def ask(session: Session, run_id: str, old: AgentResponse) -> None:
        new_id = await session.ask(run_id, "When is a refund paid?", update=update)
        await session.response(new_id)
        exported = await session.export(new_id)
        assert not exported.missing
        found = await verify_file(written(exported.content), "x.leadline", embedder())
        assert found.passed, (found.contradictions, [one.why for one in found.checks])
        assert (await replay(exported.content)).equal

    within(a_handbook(tmp_path), ask)


@pytest.mark.contract("W9")
def test_a_follow_up_can_be_followed(tmp_path: Path) -> None:
    async def ask(session: Session, run_id: str, old: AgentResponse) -> None:
        second = await session.ask(run_id, "Within how many days is a refund paid?")
        await session.response(second)
        third = await session.response(await session.ask(second, QUESTION))
        assert "head of finance" in third.final_answer
        assert third.usage.searches == 0

    within(a_handbook(tmp_path), ask)


@pytest.mark.contract("W9")
def test_a_run_that_is_unknown_or_unfinished_is_refused_with_what_to_do(tmp_path: Path) -> None:
    async def ask(session: Session, run_id: str, old: AgentResponse) -> None:
        with pytest.raises(RunNotFound):
            await session.ask("240101-000000-abcdef", "Why?")
        with pytest.raises(BadInput, match="the question is empty"):
            await session.ask(run_id, "  ")
        other = await session.start("How many spaces has the car park?")
        await session.engine.cancel(other)
        with pytest.raises(BadInput, match=f"leadline runs resume {other}"):
            await session.ask(other, "Why?")

    within(a_handbook(tmp_path), ask)


@pytest.mark.contract("W9", "R9")
def test_a_follow_up_that_was_interrupted_goes_on_where_it_was(tmp_path: Path) -> None:
    settings = a_handbook(tmp_path)

    async def begin() -> tuple[str, str]:
        async with open_session(settings) as session:
            session.prepare()
            run_id = await session.start(QUESTION)
            await session.response(run_id)
            new_id = await session.ask(run_id, "Within how many days is a refund paid?")
            async for row in session.engine.follow(new_id):
                if row.name == "follow":
                    break
            return run_id, new_id

    async def go_on(new_id: str) -> tuple[AgentResponse, list[str]]:
        async with open_session(settings) as session:
            await session.engine.resume(new_id)
            return await session.response(new_id), await names_of(session, new_id)

    run_id, new_id = asyncio.run(begin())
    response, names = asyncio.run(go_on(new_id))
    assert "fourteen days" in response.final_answer
    assert response.follows == run_id
    assert names.count("follow") == 1
