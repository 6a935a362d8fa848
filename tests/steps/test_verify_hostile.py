"""A draft gone mad is checked in bounded time and ships nothing."""

from __future__ import annotations

import asyncio
import time

import pytest

from leadline.embed.static import StaticEmbedder
from leadline.steps.verify import verify
from leadline.types import Draft, Passage

EMBEDDER = StaticEmbedder()
PASSAGES = (Passage(1, "Basalt is a volcanic rock.", "a" * 16, 0, 26),)
SIZE = 40_000


@pytest.mark.contract("W3")
@pytest.mark.parametrize(
    "draft",
    [
        "[1]" * (SIZE // 3),
        "[1" * (SIZE // 2),
        "[9, " * (SIZE // 4),
        " " * SIZE + "|" + " " * SIZE + "x",
        "| a |\n" + "| " + " " * SIZE + "x",
        "> " + " " * SIZE + "[1] x",
        ">" * SIZE,
        "- " * (SIZE // 2),
        "**" + "a" * SIZE,
        "`" * SIZE,
        "```\n" * (SIZE // 4),
        "[a](" * (SIZE // 4),
        "# " * (SIZE // 2),
        "_" * SIZE,
        "a" * SIZE + ".",
        "1. " * (SIZE // 3),
    ],
    ids=lambda draft: draft.strip()[:8],
)
def test_a_mad_draft_takes_little_time(draft: str) -> None:
    began = time.process_time()
    checked = asyncio.run(verify(Draft(draft), PASSAGES, EMBEDDER))
    assert time.process_time() - began < 2
    assert not checked.claims
