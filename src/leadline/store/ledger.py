"""The steps of one run over its store: told apart by the order in which they start."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Mapping
from typing import Any

from leadline.errors import BadInput
from leadline.results import Place, Record

Keep = Callable[[Place, Record], Awaitable[None]]
Sure = Callable[[], Awaitable[None]]


class StepLedger:
    """`run.Ledger` over kept records; what is new is done once it is `sure`, and kept."""

    def __init__(
        self, keep: Keep, kept: Mapping[Place, Record], sure: Sure, within: str = ""
    ) -> None:
        self._keep, self._kept, self._sure, self._within = keep, kept, sure, within
        self._calls = 0

    def once(self, name: str, do: Callable[[], Awaitable[Record]]) -> Coroutine[Any, Any, Record]:
        self._calls += 1
        return self._once(self._calls, name, do)

    def child(self, name: str) -> StepLedger:
        within = f"{self._within}/{name}" if self._within else name
        return StepLedger(self._keep, self._kept, self._sure, within)

    def kept(self, name: str) -> list[Record]:
        return [record for record in self._kept.values() if record["name"] == name]

    async def _once(self, number: int, name: str, do: Callable[[], Awaitable[Record]]) -> Record:
        place = self._within, number
        record = self._kept.get(place)
        if record is None:
            await self._sure()
            record = await do()
            await self._keep(place, record)
        elif record["name"] != name:
            raise BadInput(
                f"this run was recorded by other code than runs now: step {number} was "
                f"{record['name']!r} and would be {name!r}"
            )
        return record
