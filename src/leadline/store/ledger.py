"""The steps of one run over its store: told apart by the order in which they start."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from typing import Any, cast

from leadline.errors import BadInput
from leadline.results import Place, Record

Keep = Callable[[Place, Record], Awaitable[None]]


class StepLedger:
    """`run.Ledger` over kept records; what is new is done and kept.

    `hide` takes keys out of a text before that is kept.
    """

    def __init__(
        self,
        keep: Keep,
        kept: Mapping[Place, Record],
        hide: Callable[[str], str] = str,
        within: str = "",
    ) -> None:
        self._keep, self._kept, self._hide = keep, kept, hide
        self._within = within
        self._calls = 0

    def once(self, name: str, do: Callable[[], Awaitable[Record]]) -> Coroutine[Any, Any, Record]:
        self._calls += 1
        return self._once(self._calls, name, do)

    def child(self, name: str) -> StepLedger:
        within = f"{self._within}/{name}" if self._within else name
        return StepLedger(self._keep, self._kept, self._hide, within)

    async def _once(self, number: int, name: str, do: Callable[[], Awaitable[Record]]) -> Record:
        place = self._within, number
        record = self._kept.get(place)
        if record is None:
            record = self._cleaned(await do())
            await self._keep(place, record)
        elif record["name"] != name:
            raise BadInput(
                f"this run was recorded by other code than runs now: step {number} was "
                f"{record['name']!r} and would be {name!r}"
            )
        return record

    def _cleaned(self, record: Record) -> Record:
        """Without our keys, which a provider may have told us back: the run gets it like that too,
        so that it does the same when it reads the record back."""
        text = json.dumps(record)
        hidden = self._hide(text)
        return record if hidden == text else cast(Record, json.loads(hidden))
