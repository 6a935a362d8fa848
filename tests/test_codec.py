"""JSON and back: what a run writes is read again, also what earlier versions wrote."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from datetime import UTC, datetime, timedelta, timezone
from enum import Enum, StrEnum
from functools import cache
from pathlib import Path
from types import MappingProxyType, NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from leadline.codec import Misfit, dumped, loaded
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
    Kept,
    Knowledge,
    Move,
    Opinion,
    Page,
    Patches,
    Plan,
    Recall,
    Reflection,
    Seen,
    Stop,
    Usage,
    Verdict,
)

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
EARLIER = Path(__file__).parent / "fixtures" / "earlier"
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
    parts = {name: values(of) for name, of in get_type_hints(kind).items()}
    return st.fixed_dictionaries(parts).map(lambda held: kind(**held))


@pytest.mark.contract("R8", "R9")
@pytest.mark.parametrize("kind", RESULTS, ids=str)
@settings(max_examples=12)
@given(data=st.data())
def test_every_result_of_a_step_is_read_as_it_was_written(kind: Any, data: st.DataObject) -> None:
    value = data.draw(values(kind))
    kept = json.loads(json.dumps(dumped(value)))
    assert kept == dumped(value)
    assert loaded(kind, kept) == value


@pytest.mark.contract("R9", "W7")
@pytest.mark.parametrize("kind", RESULTS, ids=str)
def test_results_that_an_earlier_version_wrote_are_read_to_the_last_digit(kind: Any) -> None:
    """Written by Leadline before it left JSON to msgspec: a row for each of the types, in order,
    with a value in every field. Its words for verdicts are read as today's."""
    rows = (EARLIER / "results.jsonl").read_text(encoding="utf-8").splitlines()
    row = json.loads(rows[RESULTS.index(kind)])
    read = loaded(kind, row["value"])
    assert type(read).__name__ in row["type"] or row["type"][0] in repr(read)
    again = dumped(read)
    written = re.sub(
        r'"verdict": "(\w+)"',
        lambda found: f'"verdict": "{Verdict(found[1]).value}"',
        json.dumps(common(row["value"], again)),
    )
    assert json.dumps(common(again, row["value"])) == written


def common(one: Any, other: Any) -> Any:
    """`one` without what the other does not have: fields come and go."""
    if isinstance(one, dict) and isinstance(other, dict):
        return {name: common(one[name], other[name]) for name in sorted(other) if name in one}
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return [common(*pair) for pair in zip(one, other, strict=True)]
    return one


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


def is_within(read: Any, written: Any) -> bool:
    """Whether nothing was read as something else: what both hold is equal."""
    if isinstance(read, dict) and isinstance(written, dict):
        return all(is_within(read[name], written[name]) for name in read.keys() & written.keys())
    if isinstance(read, list) and isinstance(written, list):
        pairs = zip(read, written, strict=False)
        return len(read) == len(written) and all(is_within(*pair) for pair in pairs)
    same_time = isinstance(read, str) and isinstance(written, str) and read[:10] == written[:10]
    return bool(read == written) or same_time


@pytest.mark.contract("W7", "E4")
@pytest.mark.parametrize("kind", [AgentResponse, Batch, Checked, Plan], ids=str)
@settings(max_examples=40, phases=(Phase.reuse, Phase.generate))  # a smaller one takes minutes
@given(data=st.data())
def test_what_was_changed_is_read_as_it_stands_or_told(kind: Any, data: st.DataObject) -> None:
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
    assert loaded(kind, dumped(value)) == value
    assert is_within(dumped(value), written)


def response(**changed: Any) -> dict[str, Any]:
    """A small response as it is kept, with some of its parts replaced."""
    claims = (Claim("a", (1,), Verdict.QUOTED), Claim("b", (2, 3), Verdict.SOURCED))
    whole = AgentResponse(
        "r", "t", "s", "s", (), claims, 0.5, (), Stop.SATURATED, False, Usage(searches=1)
    )
    return dict(dumped(whole)) | changed


CLAIM = {"text": "a", "sources": [1], "verdict": "supported"}


@pytest.mark.contract("E4")
@pytest.mark.parametrize(
    ("changed", "place"),
    [
        ({"task": 5}, "`$.task`"),
        ({"gaps": "none"}, "`$.gaps`"),
        ({"gaps": ["a", None]}, "`$.gaps[1]`"),
        ({"claims": [CLAIM, CLAIM | {"sources": [1, 2.5]}]}, "`$.claims[1].sources[1]`"),
        ({"claims": [CLAIM | {"verdict": "so"}]}, "'so' - at `$.claims[0].verdict`"),
        ({"claims": [CLAIM | {"quote": []}]}, "`$.claims[0].quote`"),
        ({"claims": [{"text": "a"}]}, "missing required field `sources` - at `$.claims[0]`"),
        ({"usage": {"cost": "much"}}, "`$.usage.cost`"),
        ({"usage": {"cost": 10**400}}, "`$.usage.cost`"),
        ({"degraded": 1}, "`$.degraded`"),
        ({"skipped": [{"kind": "x", "what": "", "why": ""}]}, "`$.skipped[0].kind`"),
    ],
)
def test_what_does_not_fit_is_told_with_its_place(changed: dict[str, Any], place: str) -> None:
    with pytest.raises(Misfit, match=re.escape(place)) as told:
        loaded(AgentResponse, response(**changed))
    assert len(str(told.value)) < 200


@pytest.mark.contract("R9")
def test_a_journal_of_another_version_is_read() -> None:
    """A field that came later has its default, one that has gone is passed over."""
    older = response(gone=[1, 2])
    del older["found"], older["revision"]
    assert loaded(AgentResponse, older) == loaded(AgentResponse, response())
    assert loaded(Knowledge, {}) == Knowledge()


class Colour(StrEnum):
    """Of a flag."""

    RED = "red"


@pytest.mark.parametrize(
    ("kind", "kept", "value"),
    [
        (Claim | None, None, None),
        (str | Seen, {"text": "a"}, Seen("a")),
        (int | str, "7", "7"),
        (float | str, 3, 3.0),
        (tuple[int, str], [1, "a"], (1, "a")),
        (dict[int, Seen], {"4": {"text": "a"}}, {4: Seen("a")}),
        (dict[str, Any], {"a": [1, {"b": None}]}, {"a": [1, {"b": None}]}),
        (set[str], ["a", "b"], {"a", "b"}),
        (list[Colour], ["red"], [Colour.RED]),
        (datetime, "2026-03-01T12:00:00Z", datetime(2026, 3, 1, 12, tzinfo=UTC)),
        (None, None, None),
    ],
)
def test_any_type_that_a_step_may_return_is_read(kind: Any, kept: Any, value: Any) -> None:
    read = loaded(kind, kept)
    assert (read, type(read)) == (value, type(value))


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ({7: "a", Colour.RED: "e"}, {"7": "a", "red": "e"}),
        ({"a": ({3}, [Colour.RED])}, {"a": [[3], ["red"]]}),
        (datetime(2026, 1, 2, tzinfo=UTC), "2026-01-02T00:00:00Z"),
        (MappingProxyType({"a": (1,)}), {"a": [1]}),
        ([0.5, np.float64(0.25)], [0.5, 0.25]),
        ("a name of a file: \udcff", "a name of a file: \udcff"),
    ],
)
def test_values_are_written_as_plain_json(value: Any, kept: Any) -> None:
    written = dumped(value)
    assert written == kept
    assert json.loads(json.dumps(written)) == kept
    assert type(dumped(np.float64(0.25))) is float


def test_what_json_cannot_hold_is_refused_by_its_name() -> None:
    with pytest.raises(TypeError, match=r"numpy\.float32 cannot be kept"):
        dumped((np.float32(0.5),))


@pytest.mark.contract("U2")
def test_the_modules_that_every_run_loads_load_no_pydantic() -> None:
    said = "import sys, leadline.session, leadline.bundle.contents; "
    said += "print([one for one in sys.modules if one.startswith('pydantic')])"
    done = subprocess.run([sys.executable, "-c", said], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
