"""Goes through a run again by its records alone, and says where they end.

For a replay they must lead to the report; for a fork, to the step from which it goes on.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, cast

from leadline.errors import BadInput, LeadlineError
from leadline.ports import Run
from leadline.results import Place, Record
from leadline.run import JournaledRun

Body = Callable[[Run, Any], Awaitable[Any]]


class Unrecorded(LeadlineError):
    """A step that the records do not hold; `name` is what it is called."""

    def __init__(self, name: str, number: int) -> None:
        super().__init__(f"the records end before step {number}, {name!r}")
        self.name = name


class OtherStep(LeadlineError):
    """A step that is called otherwise in the records."""

    def __init__(self, name: str, kept: str, number: int) -> None:
        super().__init__(f"step {number} is {kept!r} in the records and would be {name!r} now")
        self.name, self.kept = name, kept


class RecordedLedger:
    """`run.Ledger` that only reads; a step is never done.

    The records of the run, and those of each child, are in the order in which the steps began.
    """

    def __init__(self, records: Sequence[Record], within: str = "") -> None:
        self._all, self._within = tuple(records), within
        self._records = [one for one in self._all if one.get("child", "") == within]
        self._calls = 0
        self._children: list[RecordedLedger] = []

    @property
    def used(self) -> int:
        """How many steps were asked for, by the run and its children."""
        return self._calls + sum(child.used for child in self._children)

    def once(self, name: str, do: Callable[[], Awaitable[Record]]) -> Coroutine[Any, Any, Record]:
        self._calls += 1
        return self._once(self._calls, name)

    def child(self, name: str) -> RecordedLedger:
        within = f"{self._within}/{name}" if self._within else name
        self._children.append(type(self)(self._all, within))
        return self._children[-1]

    async def _once(self, number: int, name: str) -> Record:
        if number > len(self._records):
            raise Unrecorded(name, number)
        record = self._records[number - 1]
        if record["name"] != name:
            raise OtherStep(name, record["name"], number)
        return record


class StoppedClock:
    """Nothing takes time when nothing is done: every time that matters is in the records."""

    def now(self) -> datetime:
        return datetime(1970, 1, 1, tzinfo=UTC)

    def ticks(self) -> float:
        return 0.0


async def again(run_id: str, seed: int, ledger: RecordedLedger, request: Any, body: Body) -> Any:
    """What `body` returns when every step is read from the records."""
    clock = StoppedClock()
    run = JournaledRun(run_id, ledger, clock, seed=seed, started=clock.now())
    try:
        await run.begin()
        return await body(cast(Run, run), request)
    finally:
        await run.close()


async def before(
    step: str, new_id: str, records: Mapping[Place, Record], request: dict[str, Any], body: Body
) -> dict[Place, Record]:
    """The records that come before the first step of that name, if `request` leads there too.

    `body` is gone through in the name of the run to come, so that the old one stays as it is.
    Raises `BadInput` where the run has no such step, or would do others on the way to it.
    """
    kept = _whole_before(step, records)
    ledger = RecordedLedger([kept[place] for place in sorted(kept)])
    seed = int(request["settings"].get("seed", 0))
    try:
        await again(new_id, seed, ledger, request, body)
    except OtherStep as other:
        raise BadInput(
            f"with these settings the run would go on with {other.name!r} where it went on with "
            f"{other.kept!r}; change less, or fork from an earlier step: {_names(records)}"
        ) from other
    except Unrecorded as end:
        if end.name == step:
            return kept
        if step in _names(records).split(", "):
            raise BadInput(
                f"with these settings the run would do {end.name!r} before {step!r}; "
                f"change less, or fork from {end.name!r}"
            ) from end
    raise BadInput(f"the run has no step {step!r}; it has {_names(records)}")


def _whole_before(step: str, records: Mapping[Place, Record]) -> dict[Place, Record]:
    """Records from the first on, without a gap, up to a step of that name, in each child too.

    Of a child, none that the run itself came to after that step.
    """
    kept: dict[Place, Record] = {}
    own = [one["seq"] for (child, _), one in records.items() if not child and one["name"] == step]
    end = min(own, default=max((one["seq"] for one in records.values()), default=0) + 1)
    for child in {child for child, _ in records}:
        for number in range(1, len(records) + 1):
            one = records.get((child, number))
            if one is None or one["name"] == step or (child and one["seq"] > end):
                break
            kept[child, number] = one
    return kept


def _names(records: Mapping[Place, Record]) -> str:
    names = dict.fromkeys(records[place]["name"] for place in sorted(records))
    return ", ".join(name for name in names if name != "start")
