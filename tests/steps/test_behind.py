"""Merging gives way to the next searches, and to nothing else."""

from __future__ import annotations

import asyncio

from leadline.steps.behind import Behind


def test_what_is_held_goes_on_when_searches_are_under_way_or_there_are_none() -> None:
    async def scene() -> None:
        behind = Behind(holds=True)
        first = behind.held()
        assert not first.is_set()
        behind.searching()
        assert not first.is_set()  # the requests go out first
        await asyncio.wait_for(first.wait(), 10)
        last = behind.held()
        assert not last.is_set()
        behind.release()
        assert last.is_set()

    asyncio.run(scene())


def test_what_asks_a_model_is_never_held() -> None:
    async def scene() -> bool:
        return Behind(holds=False).held().is_set()

    assert asyncio.run(scene())
