"""The benchmark of a real model: every system asked in turn, every prompt kept, figures told."""

from __future__ import annotations

import json
from pathlib import Path

import httpx2
import pytest

from benchmarks.call_log import logged
from benchmarks.options import options_of, parser
from benchmarks.with_model import Item, figures_of, run
from window_server import serving


def test_calls_pass_through_and_are_kept() -> None:
    with serving(4096, lambda request: "Twice a day.") as (url, _), logged(url) as (address, calls):
        body = {"model": "small", "max_tokens": 9, "messages": [{"role": "user", "content": "Hi"}]}
        reply = httpx2.post(f"{address}/chat/completions", json=body)
        assert reply.json()["choices"][0]["message"]["content"] == "Twice a day."
        assert httpx2.get(f"{address}/models").status_code == 200
    (call,) = calls
    assert call["request"] == body
    assert call["reply"] == reply.json()


def test_an_answer_states_the_gold_and_an_echo_does_not() -> None:
    item = Item("1", "Is Graufeld or Selm older?", Path(), ("Graufeld",))
    assert item.stated_in("Graufeld is. [1]")
    assert not item.stated_in("You asked: Is Graufeld or Selm older?")


@pytest.mark.slow
def test_all_systems_are_asked_in_turn_and_listed(tmp_path: Path) -> None:
    for name in ("hotpotqa", "2wikimultihopqa", "musique"):
        folder = tmp_path / "data" / name
        folder.mkdir(parents=True)
        row = {"_id": "a", "title": "Tides", "text": "Tides rise twice a day in most harbours."}
        (folder / "corpus.jsonl").write_text(json.dumps(row))
        asked = {"_id": "q", "question": "How often do tides rise?", "answers": ["twice a day"]}
        (folder / "questions.jsonl").write_text(json.dumps(asked))
    (tmp_path / "data" / "manuals").mkdir()
    (tmp_path / "data" / "manuals" / "questions.jsonl").write_text("")
    says = "Tides rise twice a day in most harbours. [1]"
    with serving(8192, lambda request: says) as (url, _):
        line = ["with_model", "--endpoint", url, "--model", "small-1b", "--limit", "1"]
        line += ["--data", str(tmp_path / "data"), "--work", str(tmp_path / "work")]
        figures = run(options_of(parser(("with_model",)).parse_args(line)))
    for system in ("closed_book", "plain", "standard", "no_model"):
        assert figures[f"states.multihop.{system}"] == 1.0
    assert figures["calls.multihop.standard"] == 1
    assert figures["calls.multihop.no_model"] == 0
    rows = (tmp_path / "work" / "with_model" / "RESULTS.jsonl").read_text().splitlines()
    assert all("request" in call for row in rows for call in json.loads(row)["kept"])
    assert "**no_model**" in (tmp_path / "work" / "with_model" / "ANSWERS.md").read_text()


def test_an_answer_first_without_the_gold_counts_as_wrong() -> None:
    row = {"kind": "multihop", "system": "plain", "found": True, "direct": "No.", "states": False}
    row |= {"holds": False, "dropped_right": [], "calls": 1, "prompt_tokens": 9}
    row |= {"answer_tokens": 1, "seconds": 0.1}
    assert figures_of([row])["wrong_first.multihop.plain"] == 1.0
