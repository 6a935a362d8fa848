"""Work that was done beforehand is not done again, and trouble with it troubles nobody else."""

from __future__ import annotations

import asyncio
import threading

import pytest

from leadline.foreseen import Foreseen


def test_who_asks_the_same_takes_what_came_of_it_and_others_do_not() -> None:
    async def scene() -> tuple[list[int], int]:
        foreseen, done = Foreseen[int](), 0

        async def work() -> int:
            nonlocal done
            done += 1
            return done

        return [await foreseen.of(key, work) for key in ("a", "a", "b", "a")], done

    assert asyncio.run(scene()) == ([1, 1, 2, 3], 3)


def test_who_comes_while_it_is_worked_on_in_another_thread_waits_for_it() -> None:
    foreseen, begun, go_on = Foreseen[str](), threading.Event(), threading.Event()

    async def slow() -> str:
        begun.set()
        go_on.wait(30)
        return "from the thread"

    async def second() -> str:
        pytest.fail("done twice")

    async def scene() -> str:
        asking = asyncio.ensure_future(foreseen.of((1, "x"), second))
        await asyncio.sleep(0)
        go_on.set()
        return await asking

    thread = threading.Thread(target=lambda: asyncio.run(foreseen.of((1, "x"), slow)))
    thread.start()
    assert begun.wait(30)
    assert asyncio.run(scene()) == "from the thread"
    thread.join()


def test_work_that_fails_is_done_again_by_who_waited_and_by_who_comes_later() -> None:
    foreseen, begun, go_on = Foreseen[str](), threading.Event(), threading.Event()

    async def failing() -> str:
        begun.set()
        go_on.wait(30)
        raise ValueError("in the thread")

    async def fine() -> str:
        return "fine"

    async def scene() -> list[str]:
        asking = asyncio.ensure_future(foreseen.of("key", fine))
        await asyncio.sleep(0)
        go_on.set()
        return [await asking, await foreseen.of("key", fine)]

    def elsewhere() -> None:
        with pytest.raises(ValueError, match="in the thread"):
            asyncio.run(foreseen.of("key", failing))

    thread = threading.Thread(target=elsewhere)
    thread.start()
    assert begun.wait(30)
    assert asyncio.run(scene()) == ["fine", "fine"]
    thread.join()


def test_who_gives_up_waiting_leaves_the_work_to_its_end() -> None:
    foreseen, begun, go_on = Foreseen[str](), threading.Event(), threading.Event()

    async def slow() -> str:
        begun.set()
        go_on.wait(30)
        return "done"

    async def again() -> str:
        return "again"

    async def scene() -> str:
        asking = asyncio.ensure_future(foreseen.of("key", again))
        await asyncio.sleep(0)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        go_on.set()
        return await foreseen.of("key", again)

    thread = threading.Thread(target=lambda: asyncio.run(foreseen.of("key", slow)))
    thread.start()
    assert begun.wait(30)
    assert asyncio.run(scene()) == "done"
    thread.join()
