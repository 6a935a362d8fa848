"""A draft gone mad is checked in bounded time and ships nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from growth import LINEAR, growth
from leadline.check.verify import verify
from leadline.reader.static import StaticEmbedder
from leadline.types import Draft, Passage

EMBEDDER = StaticEmbedder()
PASSAGES = (Passage(1, "Basalt is a volcanic rock.", "a" * 16, 0, 26),)


def mad(unit: str) -> Callable[[int], str]:
    return lambda size: (unit * size)[:size]


@pytest.mark.contract("W3")
@pytest.mark.parametrize(
    "draft",
    [
        *map(mad, ("[1]", "[1", "[9, ", ">", "- ", "`", "```\n", "[a](", "# ", "_", "1. ")),
        lambda size: " " * size + "|" + " " * size + "x",
        lambda size: "| a |\n" + "| " + " " * size + "x",
        lambda size: "> " + " " * size + "[1] x",
        lambda size: "**" + "a" * size,
        lambda size: "a" * size + ".",
    ],
    ids=lambda draft: draft(8).strip()[:8],
)
def test_the_time_for_a_mad_draft_grows_with_its_length(draft: Callable[[int], str]) -> None:
    def checked(size: int) -> None:
        assert not asyncio.run(verify(Draft(draft(size)), PASSAGES, EMBEDDER)).claims

    assert growth(checked, 5_000) < LINEAR
