"""JSON and back: the same as pydantic, which we did not write, makes of the same types."""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime, timedelta, timezone
from enum import Enum, StrEnum
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from leadline.codec import Misfit, dumped, loaded, reader
from leadline.frozen import frozen
from leadline.types import (
    AgentResponse,
    Batch,
    Checked,
    Claim,
    Compaction,
    Draft,
    Earlier,
    Figure,
    GateVerdict,
    Grade,
    Hit,
    Knowledge,
    Move,
    Opinion,
    Page,
    Patches,
    Plan,
    Reflection,
    Seen,
    Stop,
    Usage,
    Verdict,
)
from leadline.types.remembering import Kept, Recall

# What steps return, and what a run does.
RESULTS: tuple[Any, ...] = (
    AgentResponse,
    Batch,
    Checked,
    Compaction,
    Draft,
    Earlier,
    Figure,
    tuple[GateVerdict, ...],
    Grade,
    Kept,
    Knowledge,
    Move,
    Opinion,
    Page,
    Patches,
    Plan,
    Recall,
    Reflection,
    str | Seen,
    datetime,
)
ZONES = st.sampled_from([None, UTC, timezone(timedelta(hours=5, minutes=30))])
SIMPLE: dict[Any, st.SearchStrategy[Any]] = {
    str: st.text(st.characters(), max_size=6),  # lone surrogates too: file names hold them
    int: st.integers(-(2**70), 2**70),
    float: st.floats(allow_nan=False) | st.integers(-9, 9),
    bool: st.booleans(),
    NoneType: st.none(),
    datetime: st.datetimes(timezones=ZONES),
}


@cache
def adapter(kind: Any) -> TypeAdapter[Any]:
    """What pydantic makes of a type."""
    return TypeAdapter(kind)


@cache
def values(kind: Any) -> st.SearchStrategy[Any]:
    """Any value of that type."""
    if kind in SIMPLE:
        return SIMPLE[kind]
    origin, args = get_origin(kind), get_args(kind)
    if origin is tuple:
        return st.lists(values(args[0]), max_size=2).map(tuple)
    if origin is Literal:
        return st.sampled_from(args)
    if origin in (Union, UnionType):
        return st.one_of([values(one) for one in args])
    if issubclass(kind, Enum):
        return st.sampled_from(list(kind))
    hints = get_type_hints(kind)
    return st.fixed_dictionaries({one.name: values(hints[one.name]) for one in fields(kind)}).map(
        lambda held: kind(**held)
    )


@pytest.mark.contract("R8", "R9")
@pytest.mark.parametrize("kind", RESULTS, ids=str)
@settings(max_examples=12)
@given(data=st.data())
def test_every_result_is_written_and_read_as_pydantic_does(kind: Any, data: st.DataObject) -> None:
    value, theirs = data.draw(values(kind)), adapter(kind)
    written = dumped(value)
    assert json.dumps(written) == json.dumps(theirs.dump_python(value, mode="json"))
    kept = json.loads(json.dumps(written))
    assert repr(loaded(kind, kept)) == repr(theirs.validate_python(kept)).replace(
        "TzInfo(0)", "datetime.timezone.utc"
    ).replace("TzInfo(19800)", "datetime.timezone(datetime.timedelta(seconds=19800))")
    assert loaded(kind, kept) == value


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=4,
)


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every list or object inside with each of its keys."""
    inside = value.items() if isinstance(value, dict) else enumerate(value)
    found: list[tuple[Any, Any]] = []
    for name, one in inside:
        found.append((value, name))
        found += places(one) if isinstance(one, dict | list) else []
    return found


@pytest.mark.contract("W7", "E4")
@pytest.mark.parametrize("kind", [AgentResponse, Batch, Checked, Plan], ids=str)
@settings(max_examples=40, phases=(Phase.reuse, Phase.generate))  # a smaller one takes minutes
@given(data=st.data())
def test_what_was_changed_is_read_as_pydantic_does_or_told(kind: Any, data: st.DataObject) -> None:
    written = dumped(data.draw(values(kind)))
    for _ in range(data.draw(st.integers(1, 2))):
        inside = places(written)
        holder, name = inside[data.draw(st.integers(0, len(inside) - 1))]
        if isinstance(holder, dict) and data.draw(st.booleans()):
            holder.pop(name, None)
        else:
            holder[name] = data.draw(JSON)
    try:
        value = loaded(kind, written)
    except Misfit:
        return
    assert value == adapter(kind).validate_python(written)


def response(**changed: Any) -> dict[str, Any]:
    """A small response as it is kept, with some of its parts replaced."""
    claims = (Claim("a", (1,), Verdict.SUPPORTED), Claim("b", (2, 3), Verdict.PARTLY))
    whole = AgentResponse(
        "r", "t", "s", "s", (), claims, 0.5, (), Stop.SATURATED, False, Usage(searches=1)
    )
    return dict(dumped(whole)) | changed


CLAIM = {"text": "a", "sources": [1], "verdict": "supported"}


@pytest.mark.contract("E4")
@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"task": 5}, "task: text was wanted, got 5"),
        ({"gaps": "none"}, "gaps: a list was wanted, got 'none'"),
        ({"gaps": ["a", None]}, "gaps[1]: text was wanted, got None"),
        (
            {"claims": [CLAIM, CLAIM | {"sources": [1, 2.5]}]},
            "claims[1].sources[1]: a whole",
        ),
        ({"claims": [CLAIM | {"verdict": "so"}]}, "claims[0].verdict: one of supported, partly"),
        ({"claims": [CLAIM | {"quote": []}]}, "claims[0].quote: an object (Quote) was wanted"),
        ({"claims": [{"text": "a"}]}, "claims[0]: sources of Claim is missing"),
        ({"usage": {"cost": "much"}}, "usage.cost: a number was wanted, got 'much'"),
        ({"usage": {"cost": 10**400}}, "usage.cost: a number was wanted, got 1000"),
        ({"degraded": 1}, "degraded: true or false was wanted, got 1"),
        ({"skipped": [{"kind": "x", "what": "", "why": ""}]}, "skipped[0].kind: one of filter"),
    ],
)
def test_what_does_not_fit_is_told_with_its_place(changed: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)) as told:
        loaded(AgentResponse, response(**changed))
    assert len(str(told.value)) < 200


@pytest.mark.contract("R9")
def test_a_journal_of_another_version_is_read() -> None:
    """A field that came later has its default, one that has gone is passed over."""
    older = response(gone=[1, 2])
    del older["found"], older["revision"]
    assert loaded(AgentResponse, older) == loaded(AgentResponse, response())
    assert loaded(Knowledge, {}) == Knowledge()


@frozen
class Ship:
    """Knows of two fields."""

    name: str = ""
    masts: int = 0


@frozen
class Steamer:
    """Knows of three, one of them the other's."""

    name: str = ""
    funnels: int = 0
    screws: int = 0


@dataclass(frozen=True, slots=True)
class Slotted:
    """As the standard library makes them, and particular."""

    height: float
    names: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.height < 0:
            raise ValueError("a harbour lies at the sea")


class Colour(StrEnum):
    """Of a flag."""

    RED = "red"


@pytest.mark.parametrize(
    ("kind", "kept", "value"),
    [
        (Ship | Steamer, {"name": "a", "funnels": 2}, Steamer("a", 2)),
        (Ship | Steamer, {"name": "a"}, Ship("a")),
        (Steamer | Ship | None, {"name": "a"}, Steamer("a")),
        (Ship | None, None, None),
        (int | str, "7", "7"),
        (float | str, 3, 3.0),
        (tuple[int, str], [1, "a"], (1, "a")),
        (dict[int, Ship], {"4": {"masts": 3}}, {4: Ship(masts=3)}),
        (dict[str, Any], {"a": [1, {"b": None}]}, {"a": [1, {"b": None}]}),
        (set[str], ["a", "b"], {"a", "b"}),
        (list[Colour], ["red"], [Colour.RED]),
        (int, 4.0, 4),
        (Slotted, {"height": 3}, Slotted(3.0)),
        (datetime, "2026-03-01T12:00:00Z", datetime(2026, 3, 1, 12, tzinfo=UTC)),
        (None, None, None),
    ],
)
def test_any_type_that_a_step_may_return_is_read_as_pydantic_does(
    kind: Any, kept: Any, value: Any
) -> None:
    read = loaded(kind, kept)
    assert (read, type(read)) == (value, type(value))
    assert read == TypeAdapter(kind).validate_python(kept)


@pytest.mark.parametrize(
    ("kind", "kept", "said"),
    [
        (Ship | Steamer, 7, "Ship or Steamer was wanted, got 7"),
        (tuple[int, str], [1], "a list of 2 was wanted"),
        (tuple[int, str], [1, 2], r"\[1\]: text was wanted"),
        (dict[int, int], {"a": 1}, r"\['a'\]: a number was wanted"),
        (dict[str, int], {"a": {}}, r"\['a'\]: a whole number was wanted"),
        (dict[str, int], [], "an object was wanted"),
        (datetime, "yesterday", "a date and time was wanted"),
        (None, 0, "null was wanted"),
        (str, ["x" * 900], r"text was wanted, got \['x{20,60}\.\.\.$"),
        (Slotted, {"height": -1.0}, "at the sea"),
    ],
)
def test_other_misfits_are_told_too(kind: Any, kept: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        loaded(kind, kept)


@pytest.mark.parametrize(
    "value",
    [
        {7: "a", None: "b", True: "c", 1.5: "d", Colour.RED: "e"},
        {"a": ({3}, frozenset({4}), [Colour.RED]), "b": datetime(2026, 1, 2, tzinfo=UTC)},
        datetime(2026, 1, 2, 3, 4, 5, 600, tzinfo=timezone(timedelta(hours=-3))),
        [0.5, np.float64(0.25)],
        Slotted(2),
    ],
)
def test_whatever_has_no_type_is_written_as_pydantic_does(value: Any) -> None:
    written = dumped(value)
    assert written == TypeAdapter(Any).dump_python(value, mode="json")
    assert json.loads(json.dumps(written)) == written


def test_numbers_are_plain_ones_afterwards() -> None:
    assert type(dumped(np.float64(0.25))) is float
    assert math.isnan(loaded(float, dumped(math.nan)))
    assert loaded(float, dumped(-math.inf)) == -math.inf
    assert str(dumped(Hit("u", "t", "x", score=3))["score"]) == "3.0"


def test_what_json_cannot_hold_is_refused_by_its_name() -> None:
    with pytest.raises(TypeError, match=r"numpy\.float32 cannot be written"):
        dumped((np.float32(0.5),))
    with pytest.raises(TypeError, match=r"bytes.* cannot be read back"):
        reader(tuple[bytes, ...])


def test_a_class_is_looked_into_by_many_threads_at_once() -> None:
    @frozen
    class Fresh:
        name: str = ""
        ship: Ship | None = None

    kept = {"name": "a", "ship": {"name": "b", "masts": 2}}
    with ThreadPoolExecutor(8) as pool:
        read = list(pool.map(lambda _: loaded(Fresh, kept), range(64)))
    assert read == [Fresh("a", Ship("b", 2))] * 64


@pytest.mark.contract("U2")
def test_the_modules_that_every_run_loads_load_no_pydantic() -> None:
    said = "import sys, leadline.session, leadline.kit.rehearsal, leadline.bundle.contents; "
    said += "print([one for one in sys.modules if one.startswith('pydantic')])"
    done = subprocess.run([sys.executable, "-c", said], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
