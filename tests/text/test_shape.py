"""A dataclass as a JSON schema and as an example."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Literal

import pytest
from msgspec import Meta

from leadline.text.model_json import parse
from leadline.text.shape import json_schema, schema_text, shape_of


class Tier(StrEnum):
    SIMPLE = "simple"
    DEEP = "deep"


@dataclass(frozen=True)
class Item:
    query: Annotated[str, Meta(description="a few keywords")]
    weight: Annotated[float, Meta(ge=0, le=1)] = 1.0


@dataclass(frozen=True)
class Whole:
    items: Annotated[tuple[Item, ...], Meta(min_length=1, max_length=6)]
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
def test_the_example_is_of_the_shape_it_shows() -> None:
    example = shape_of(Whole)
    assert example == (
        '{"items": [{"query": "text", "weight": 0.5}, …], "tier": "simple" or "deep", '
        '"kind": "a" or "b", "count": 1, "done": true, "note": "text"}'
    )
    assert parse(shape_of(Item), Item) == Item("text", 0.5)
