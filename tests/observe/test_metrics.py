"""What a scraper is told of searches: each request, each failure, each remedy."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from leadline.codec import dumped
from leadline.errors import ENOUGH
from leadline.fakes.search import hit
from leadline.observe.metrics import Metrics
from leadline.ports import Row
from leadline.types import Asked, Batch, Loss, Query

NOW = datetime(2026, 1, 1, tzinfo=UTC)
HITS = tuple(hit(f"https://site{n}.org/") for n in range(3))


def told(*batches: Batch) -> list[str]:
    """What a scraper reads after these searches."""
    metrics = Metrics()
    for seq, batch in enumerate(batches, 1):
        metrics.row(Row(seq, "search", NOW, NOW, 0.0, dumped(batch), ""))
    return metrics.text().decode().splitlines()


def batch(text: str, *asked: Asked, error: str = "", notes: tuple[str, ...] = ()) -> Batch:
    losses = tuple(Loss(stage, text, "why") for stage in notes)
    hits = () if error else HITS
    provider = "" if error else asked[-1].provider
    return Batch(Query(text), hits, provider, error=error, notes=losses, asked=asked)


@pytest.mark.contract("S6", "O1")
def test_a_provider_that_failed_is_counted_also_where_another_helped() -> None:
    down = Asked("one", 0.3, "HTTP 500")
    lines = told(
        batch("a", down, down, Asked("two", 0.1), notes=("retry", "fallback")),
        batch("b", down, error="HTTP 500; given up"),
    )
    for line in (
        'search_failures_total{provider="one"} 3.0',
        'search_request_seconds_count{provider="one"} 3.0',
        'search_request_seconds_count{provider="two"} 1.0',
        'searches_total{provider="two"} 1.0',
        'searches_total{provider="one"} 1.0',
        'search_remedies_total{remedy="retry"} 1.0',
        'search_remedies_total{remedy="fallback"} 1.0',
        'search_remedies_total{remedy="reformulate"} 1.0',
    ):
        assert line in lines
    assert not any("search_failures_total" in line and "two" in line for line in lines)


@pytest.mark.contract("S6", "O1")
def test_a_search_that_nobody_was_asked_for_is_a_failure_too() -> None:
    assert 'search_failures_total{provider="none"} 1.0' in told(batch("a", error="left alone"))


@pytest.mark.contract("O1", "R7")
def test_a_search_that_was_cut_off_because_the_report_was_wanted_has_not_failed() -> None:
    metrics = Metrics()
    metrics.row(Row(1, "search", NOW, NOW, 0.0, None, ENOUGH))
    lines = metrics.text().decode()
    assert "search_failures_total{" not in lines
    assert "search_remedies_total{" not in lines
