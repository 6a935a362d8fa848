"""One host gets a few requests at a time, with a pause between their starts."""

from __future__ import annotations

import asyncio

import pytest

from leadline.web.per_host import PerHost


class Time:
    """A clock that moves when someone sleeps."""

    def __init__(self) -> None:
        self.at = 100.0

    def now(self) -> float:
        return self.at

    async def sleep(self, seconds: float) -> None:
        self.at += seconds
        await asyncio.sleep(0)


@pytest.mark.contract("E4")
def test_starts_at_one_host_keep_their_distance() -> None:
    async def go() -> list[float]:
        time = Time()
        polite = PerHost(at_once=1, delay_s=0.5, now=time.now, sleep=time.sleep)
        starts = []
        for _ in range(3):
            async with polite.turn("a.example"):
                starts.append(time.at)
        async with polite.turn("b.example"):
            starts.append(time.at)
        return starts

    assert asyncio.run(go()) == [100.0, 100.5, 101.0, 101.0]


def test_a_site_that_asks_for_a_longer_pause_gets_it() -> None:
    async def go() -> float:
        time = Time()
        polite = PerHost(at_once=1, delay_s=0.5, now=time.now, sleep=time.sleep)
        for _ in range(2):
            async with polite.turn("a.example", delay_s=3.0):
                pass
        return time.at

    assert asyncio.run(go()) == 103.0


def test_no_more_than_so_many_are_at_one_host() -> None:
    async def go() -> int:
        polite = PerHost(at_once=2, delay_s=0.0)
        here, most = 0, 0

        async def one() -> None:
            nonlocal here, most
            async with polite.turn("a.example"):
                here += 1
                most = max(most, here)
                for _ in range(5):
                    await asyncio.sleep(0)
                here -= 1

        await asyncio.gather(*(one() for _ in range(10)))
        return most

    assert asyncio.run(go()) == 2
