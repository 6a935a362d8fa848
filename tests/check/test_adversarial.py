"""Reports damaged in one place each: the damage is seen, and what is intact passes.

The reports are in `tests/fixtures/adversarial`; how to write one is in its README.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from leadline.check.prover import Proof, Prover
from leadline.reader.static import StaticEmbedder
from leadline.types import Passage, Verdict

FOLDER = Path(__file__).resolve().parents[1] / "fixtures" / "adversarial"
SOURCE = re.compile(r"\[(\d+)\] (.+?) \| (.+)")
CITED = re.compile(r"\s*\[(\d+)\]")
INTACT = "intact"
KINDS = {"number", "name", "date", "negation", "id", "claim", "source", "quote"}


@dataclass(frozen=True)
class Trial:
    report: str
    kind: str
    text: str
    proof: Proof


@cache
def trials() -> tuple[Trial, ...]:
    embedder = StaticEmbedder()
    found = []
    report = ""
    sources: dict[int, tuple[str, str]] = {}
    for line in (
        row for path in sorted(FOLDER.glob("*.txt")) for row in path.read_text("utf-8").splitlines()
    ):
        if line.startswith("# "):
            report, sources = line[2:].strip(), {}
        elif match := SOURCE.match(line):
            sources[int(match[1])] = (match[2], match[3])
        elif line[:1] in ("=", "!"):
            kind, text = (INTACT, line[2:]) if line[0] == "=" else line[2:].split(": ", 1)
            cited = [int(n) for n in CITED.findall(text)]
            known = [n for n in cited if n in sources]
            passages = [Passage(n, sources[n][1], page=f"page {n}") for n in known]
            claim = CITED.sub("", text).strip()
            titles = {n: sources[n][0] for n in known}
            proof = Prover(passages, embedder, titles).prove(claim, cited)
            found.append(Trial(report, kind, claim, proof))
    return tuple(found)


def supported(trial: Trial) -> bool:
    return trial.proof.claim.verdict.may_ship


def share(chosen: list[Trial]) -> float:
    return sum(map(supported, chosen)) / len(chosen)


@pytest.mark.contract("W3")
def test_there_are_enough_reports_of_every_kind() -> None:
    kinds = Counter(trial.kind for trial in trials())
    assert len({trial.report for trial in trials()}) >= 60
    assert set(kinds) == KINDS | {INTACT}
    assert min(kinds[kind] for kind in KINDS - {"id"}) >= 10, kinds


@pytest.mark.contract("W3")
def test_damaged_sentences_are_caught() -> None:
    damaged = [trial for trial in trials() if trial.kind != INTACT]
    assert 1 - share(damaged) >= 0.95, [one.text for one in damaged if supported(one)]


@pytest.mark.contract("W3")
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_no_kind_of_damage_gets_through(kind: str) -> None:
    damaged = [trial for trial in trials() if trial.kind == kind]
    assert 1 - share(damaged) >= 0.9, [one.text for one in damaged if supported(one)]


@pytest.mark.contract("W3")
def test_intact_sentences_are_not_rejected() -> None:
    intact = [trial for trial in trials() if trial.kind == INTACT]
    assert share(intact) >= 0.97, [one.text for one in intact if not supported(one)]


@pytest.mark.contract("W3")
def test_no_damaged_sentence_is_called_quoted() -> None:
    damaged = [one for one in trials() if one.kind != INTACT]
    quoted = [one.text for one in damaged if one.proof.claim.verdict is Verdict.QUOTED]
    assert len(quoted) <= 0.01 * len(damaged), quoted


@pytest.mark.contract("W2")
def test_an_id_that_does_not_exist_supports_nothing() -> None:
    for trial in trials():
        if trial.kind == "id":
            assert trial.proof.claim.verdict is Verdict.NOT_FOUND
            assert trial.proof.claim.quote is None


@pytest.mark.contract("W3")
def test_what_is_rejected_for_a_reason_says_it() -> None:
    for trial in trials():
        if not trial.proof.claim.verdict.may_ship:
            assert trial.proof.claim.why
