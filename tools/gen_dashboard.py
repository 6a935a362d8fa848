"""Writes deploy/grafana/leadline.json: a Grafana dashboard over the names of our metrics."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

OUT = Path(__file__).resolve().parents[1] / "deploy" / "grafana" / "leadline.json"
SOURCE = {"type": "prometheus", "uid": "${source}"}
Query = tuple[str, str]  # an expression and the name of its lines

PANELS: tuple[tuple[str, str, str, tuple[Query, ...]], ...] = (
    ("Runs in progress", "stat", "short", (("sum(runs_in_progress)", "running"),)),
    ("Open event streams", "stat", "short", (("sum(event_readers)", "readers"),)),
    (
        "Runs that ended",
        "timeseries",
        "short",
        (("sum by (status) (increase(runs_total[$__rate_interval]))", "{{status}}"),),
    ),
    (
        "Seconds to a report",
        "timeseries",
        "s",
        tuple(
            (
                f"histogram_quantile({share}, sum by (le) "
                "(rate(research_loop_duration_seconds_bucket[$__rate_interval])))",
                name,
            )
            for share, name in ((0.5, "half"), (0.95, "95 %"))
        ),
    ),
    (
        "Why runs stop",
        "timeseries",
        "short",
        (
            (
                "sum by (stop_reason) "
                "(increase(research_loop_duration_seconds_count[$__rate_interval]))",
                "{{stop_reason}}",
            ),
        ),
    ),
    (
        "Iterations a run",
        "timeseries",
        "short",
        (
            (
                "sum(rate(iterations_per_request_sum[$__rate_interval])) / "
                "sum(rate(iterations_per_request_count[$__rate_interval]))",
                "mean",
            ),
        ),
    ),
    (
        "Searches that failed, a second",
        "timeseries",
        "ops",
        (("sum by (provider) (rate(search_failures_total[$__rate_interval]))", "{{provider}}"),),
    ),
    (
        "Searches a second, and those from the cache",
        "timeseries",
        "ops",
        (
            ("sum by (provider) (rate(searches_total[$__rate_interval]))", "{{provider}}"),
            ("sum(rate(cache_hits_total[$__rate_interval]))", "from the cache"),
        ),
    ),
    (
        "What the gate says",
        "timeseries",
        "short",
        (("sum by (verdict) (increase(gate_verdicts_total[$__rate_interval]))", "{{verdict}}"),),
    ),
    (
        "What becomes of claims",
        "timeseries",
        "short",
        (("sum by (verdict) (increase(claim_verdicts_total[$__rate_interval]))", "{{verdict}}"),),
    ),
    (
        "Tokens a second",
        "timeseries",
        "short",
        (
            (
                "sum by (kind, role) (rate(model_tokens_total[$__rate_interval]))",
                "{{role}} {{kind}}",
            ),
        ),
    ),
    (
        "Money an hour",
        "timeseries",
        "currencyUSD",
        (("3600 * sum by (role) (rate(model_cost_dollars_total[$__rate_interval]))", "{{role}}"),),
    ),
    (
        "Requests: 95 % are answered within",
        "timeseries",
        "s",
        (
            (
                "histogram_quantile(0.95, sum by (le, route) "
                "(rate(http_request_duration_seconds_bucket[$__rate_interval])))",
                "{{route}}",
            ),
        ),
    ),
    (
        "Requests by status",
        "timeseries",
        "ops",
        (
            (
                "sum by (status) (rate(http_request_duration_seconds_count[$__rate_interval]))",
                "{{status}}",
            ),
        ),
    ),
)


def panel(number: int, title: str, kind: str, unit: str, queries: tuple[Query, ...]) -> Any:
    row, column = divmod(number, 2)
    return {
        "id": number + 1,
        "title": title,
        "type": kind,
        "datasource": SOURCE,
        "gridPos": {"h": 8, "w": 12, "x": 12 * column, "y": 8 * row},
        "fieldConfig": {"defaults": {"unit": unit, "min": 0}, "overrides": []},
        "targets": [
            {"refId": chr(65 + place), "expr": expr, "legendFormat": name, "datasource": SOURCE}
            for place, (expr, name) in enumerate(queries)
        ],
    }


def dashboard() -> dict[str, Any]:
    """The whole dashboard as Grafana imports it."""
    source = {"name": "source", "label": "Prometheus", "type": "datasource", "query": "prometheus"}
    return {
        "uid": "leadline",
        "title": "Leadline",
        "schemaVersion": 39,
        "editable": True,
        "refresh": "30s",
        "time": {"from": "now-6h", "to": "now"},
        "timezone": "browser",
        "templating": {"list": [source]},
        "panels": [panel(number, *one) for number, one in enumerate(PANELS)],
    }


if __name__ == "__main__":
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(json.dumps(dashboard(), indent=2) + "\n", "utf-8")
