"""The damaged reports through the step itself: what is damaged does not ship as it was written."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from leadline.check.verify import verify
from leadline.reader.static import StaticEmbedder
from leadline.types import Checked, Draft, Passage, Source

FOLDER = Path(__file__).resolve().parents[1] / "fixtures" / "adversarial"
SOURCE = re.compile(r"\[(\d+)\] (.+?) \| (.+)")
CITED = re.compile(r"\s*\[(\d+)\]")
INTACT = "intact"
EMBEDDER = StaticEmbedder()


@dataclass(frozen=True)
class Trial:
    kind: str
    text: str
    ids: tuple[int, ...]
    report: Checked

    @property
    def ships(self) -> bool:
        """Whether the sentence stands in the report as written, with one of its own ids."""
        return any(
            claim.text == self.text
            and claim.verdict.may_ship
            and set(claim.sources) & set(self.ids)
            for claim in self.report.claims
        )


@cache
def trials() -> tuple[Trial, ...]:
    """Each report is handed in twice: its intact sentences, and its damaged ones."""
    found: list[Trial] = []
    for path in sorted(FOLDER.glob("*.txt")):
        for block in re.split(r"(?m)^# ", path.read_text("utf-8"))[1:]:
            found += _report(block.splitlines()[1:])
    return tuple(found)


def _report(lines: list[str]) -> list[Trial]:
    told = [SOURCE.match(line) for line in lines]
    sources = tuple(Source(int(m[1]), f"doc{m[1]}", m[2]) for m in told if m)
    passages = tuple(Passage(int(m[1]), m[3], f"page {m[1]}", 0, len(m[3])) for m in told if m)
    intact = [(INTACT, line[2:]) for line in lines if line.startswith("= ")]
    parted = [line[2:].partition(": ") for line in lines if line.startswith("! ")]
    damaged = [(kind, text) for kind, _, text in parted]
    return [trial for some in (intact, damaged) for trial in _checked(some, passages, sources)]


def _checked(
    pairs: list[tuple[str, str]], passages: tuple[Passage, ...], sources: tuple[Source, ...]
) -> list[Trial]:
    draft = Draft("\n\n".join(text for _, text in pairs))
    report = asyncio.run(verify(draft, passages, EMBEDDER, sources))
    return [
        Trial(kind, CITED.sub("", text).strip(), tuple(map(int, CITED.findall(text))), report)
        for kind, text in pairs
    ]


@pytest.mark.contract("W3", "W4")
def test_damaged_sentences_do_not_ship() -> None:
    damaged = [one for one in trials() if one.kind != INTACT]
    through = [one.text for one in damaged if one.ships]
    assert len(damaged) >= 300
    assert len(through) <= 0.05 * len(damaged), through


@pytest.mark.contract("W3")
def test_intact_sentences_ship() -> None:
    intact = [one for one in trials() if one.kind == INTACT]
    rejected = [one.text for one in intact if not one.ships]
    assert len(intact) >= 200
    assert len(rejected) <= 0.03 * len(intact), rejected


@pytest.mark.contract("W2", "W3")
def test_whatever_ships_is_cited_and_has_its_exact_quote() -> None:
    for one in trials():
        for claim in one.report.claims:
            assert claim.sources
            assert claim.quote is not None
            assert claim.verdict.may_ship


@pytest.mark.contract("W4")
def test_whatever_is_dropped_says_why() -> None:
    for one in trials():
        assert all(claim.why for claim in one.report.dropped)
