"""A dataclass as a JSON schema and as an example."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

import pytest
from pydantic import TypeAdapter

from leadline.text.repair import parse
from leadline.text.shape import json_schema, schema_text, shape_of


class Tier(StrEnum):
    SIMPLE = "simple"
    DEEP = "deep"


@dataclass(frozen=True)
class Item:
    query: str = field(metadata={"about": "a few keywords"})
    weight: float = field(default=1.0, metadata={"least": 0, "most": 1})


@dataclass(frozen=True)
class Whole:
    items: tuple[Item, ...] = field(metadata={"least": 1, "most": 6})
    tier: Tier = Tier.SIMPLE
    kind: Literal["a", "b"] = "a"
    count: int = 0
    done: bool = False
    note: str | None = None


@pytest.mark.contract("L3")
def test_every_field_is_required_and_no_other_allowed() -> None:
    schema = json_schema(Whole)
    assert schema["required"] == ["items", "tier", "kind", "count", "done", "note"]
    assert schema["additionalProperties"] is False
    item = schema["properties"]["items"]["items"]
    assert item["required"] == ["query", "weight"]
    assert item["properties"]["query"] == {"type": "string", "description": "a few keywords"}
    assert item["properties"]["weight"] == {"type": "number", "minimum": 0, "maximum": 1}
    assert schema["properties"]["items"]["minItems"] == 1
    assert schema["properties"]["tier"]["enum"] == ["simple", "deep"]
    assert json.loads(schema_text(Whole)) == schema


@pytest.mark.contract("L3")
def test_types_are_those_that_pydantic_names() -> None:
    theirs = TypeAdapter(Whole).json_schema()
    ours = json_schema(Whole)["properties"]
    for name in ("count", "done", "items"):
        assert ours[name]["type"] == theirs["properties"][name]["type"]


@pytest.mark.contract("L3")
def test_the_example_is_of_the_shape_it_shows() -> None:
    example = shape_of(Whole)
    assert example == (
        '{"items": [{"query": "text", "weight": 0.5}, …], "tier": "simple" or "deep", '
        '"kind": "a" or "b", "count": 1, "done": true, "note": "text"}'
    )
    assert parse(shape_of(Item), Item) == Item("text", 0.5)
