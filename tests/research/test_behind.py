"""What can wait is begun when the next searches are under way, or over."""

from __future__ import annotations

import asyncio

import pytest

from leadline.research.prefetch_order import ahead_of


def test_what_can_wait_is_begun_while_the_work_is_under_way() -> None:
    async def scene() -> None:
        begun = asyncio.Event()

        async def work() -> str:
            assert not begun.is_set()  # the requests go out first
            await begun.wait()
            return "found"

        assert await asyncio.wait_for(ahead_of(begun.set, work()), 10) == "found"

    asyncio.run(scene())


def test_what_can_wait_is_begun_also_where_the_work_is_over_at_once() -> None:
    async def scene() -> list[str]:
        seen: list[str] = []

        async def work() -> str:
            seen.append("work")
            return "found"

        seen.append(await ahead_of(lambda: seen.append("begun"), work()))
        return seen

    assert asyncio.run(scene()) == ["work", "begun", "found"]


def test_work_that_fails_is_told_after_what_can_wait_was_begun() -> None:
    async def scene() -> None:
        seen: list[str] = []

        async def work() -> None:
            raise ValueError("no")

        with pytest.raises(ValueError, match="no"):
            await ahead_of(lambda: seen.append("begun"), work())
        assert seen == ["begun"]

    asyncio.run(scene())


@pytest.mark.contract("R7")
def test_who_gives_up_ends_the_work_too() -> None:
    async def scene() -> bool:
        ended = asyncio.Event()

        async def work() -> None:
            try:
                await asyncio.Event().wait()
            finally:
                await asyncio.sleep(0)  # it has something to put away
                ended.set()

        waiting = asyncio.ensure_future(ahead_of(lambda: None, work()))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.wait({waiting})
        assert ended.is_set()
        return waiting.cancelled()

    assert asyncio.run(scene())
