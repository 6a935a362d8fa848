"""Many runs in one loop take turns, so that light work is not kept waiting behind all of them."""

from __future__ import annotations

import asyncio
from itertools import pairwise

import pytest

from leadline.turns import my_turn


@pytest.mark.contract("H1")
def test_light_work_comes_between_the_turns_of_many_runs() -> None:
    order: list[str] = []

    async def heavy(name: str) -> None:
        await my_turn()
        order.append(name)

    async def light() -> None:
        for _ in range(5):
            order.append("light")
            await asyncio.sleep(0)

    async def main() -> None:
        async with asyncio.TaskGroup() as group:
            for number in range(5):
                group.create_task(heavy(str(number)))
            group.create_task(light())

    asyncio.run(main())
    runs = [one for one in order if one != "light"]
    assert runs == ["0", "1", "2", "3", "4"], "in the order in which they asked"
    places = [order.index(name) for name in runs]
    between = [order[a + 1 : b].count("light") for a, b in pairwise(places[1:])]
    assert all(between), order


def test_one_run_alone_never_waits() -> None:
    async def main() -> int:
        passed = 0

        async def others() -> None:
            nonlocal passed
            passed += 1

        other = asyncio.ensure_future(others())
        await my_turn()
        seen = passed
        await other
        return seen

    assert asyncio.run(main()) == 0


def test_who_is_cancelled_gives_the_turn_to_the_next() -> None:
    async def main() -> str:
        await my_turn()
        first = asyncio.ensure_future(my_turn())
        second = asyncio.ensure_future(my_turn())
        await asyncio.sleep(0)
        first.cancel()
        await second
        return "done"

    assert asyncio.run(asyncio.wait_for(main(), 5)) == "done"
