"""Many runs together: the figures, and that odd lines cost none of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from leadline.cli.app import outcome
from leadline.cli.stats import _told
from leadline.observe.providers import Asking
from leadline.observe.stats import stats, stats_of


def _record(**given: Any) -> dict[str, Any]:
    return {
        "run_id": "x",
        "stop_reason": "sufficient",
        "found": True,
        "active_seconds": 2.0,
        "usage": {"searches": 2, "prompt_tokens": 10, "completion_tokens": 5, "cost": 0.25},
        "searches": [
            {"score": 10.0, "verdict": "accepted"},
            {"score": 2.0, "verdict": "discarded"},
        ],
        "claims": [{"verdict": "supported"}, {"verdict": "partly"}],
        **given,
    }


@pytest.mark.contract("O2")
def test_stats_tell_stops_failures_cost_scores_and_novelty() -> None:
    failed = _record(
        stop_reason="degraded",
        found=False,
        degraded=True,
        active_seconds=8.0,
        errors=[{"stage": "search", "what": "q", "why": "x"}, {"stage": "search"}],
        searches=[{"score": 4.0, "verdict": "accepted", "fallbacks": 1}],
        calls=[{"step": "write", "error": "cut"}],
        model_calls=[{"error": "timeout"}],
        dropped=1,
        revision={"first": {"quality": {"total": 6.5, "scores": {"depth": 7}}}},
    )
    found = stats([_record(), _record(), failed])
    assert [(one.what, one.count) for one in found.stop_reasons] == [
        ("sufficient", 2),
        ("degraded", 1),
    ]
    assert {one.what: one.count for one in found.failures} == dict.fromkeys(
        ("retrieval", "provider", "synthesis", "verification"), 1
    )
    assert (found.answered, found.degraded, found.seconds_median) == (2, 1, 2.0)
    assert (found.cost_total, found.cost_mean, found.tokens_mean) == (0.75, 0.25, 15.0)
    assert found.first_scores == (("total", 6.5), ("depth", 7.0))
    assert [(one.runs, one.mean, one.discarded) for one in found.novelty] == [
        (3, 8.0, 0.0),
        (2, 2.0, 1.0),
    ]
    assert any("leadline doctor" in line for line in found.advice)


@pytest.mark.contract("O2", "S6")
def test_stats_tell_how_each_provider_did(tmp_path: Path) -> None:
    def asked(provider: str, seconds: float, error: str = "") -> dict[str, Any]:
        return {"provider": provider, "seconds": seconds, "error": error}

    searches = [
        {"asked": [asked("one", 0.2, "HTTP 500"), asked("one", 0.4), asked("two", 1.5)]},
        {"asked": [asked("one", 0.3)]},
        {"asked": []},
        {},  # a record of an earlier version
    ]
    found = stats([_record(searches=searches)])
    assert found.providers == (Asking("one", 3, 1, 0.3), Asking("two", 1, 0, 1.5))
    record = json.dumps(_record(searches=searches))
    (tmp_path / "runs.jsonl").write_text(record + "\n", "utf-8")
    told = _told(stats_of(tmp_path))
    assert "  one  3 requests, 1 failed, 0.3 s each (median)" in told
    assert "  two  1 request, 1.5 s each (median)" in told


@pytest.mark.contract("O2")
def test_the_command_tells_them_in_words_and_as_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    where = ["--data-dir", str(tmp_path)]
    assert outcome(["runs", "stats", *where]) == 0
    assert "No finished runs yet." in capsys.readouterr().out
    lines = [json.dumps(_record()), '{"torn": ', "[]", json.dumps({"run_id": "bare"})]
    (tmp_path / "runs.jsonl").write_text("\n".join(lines))
    assert outcome(["runs", "stats", *where]) == 0
    told = capsys.readouterr().out
    assert "2 runs, 1 with an answer" in told
    assert "Novelty by search" in told
    assert outcome(["runs", "stats", "--json", *where]) == 0
    assert json.loads(capsys.readouterr().out)["runs"] == stats_of(tmp_path).runs == 2
