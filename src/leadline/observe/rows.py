"""Reads the rows of a journal without caring how large their values are."""

from __future__ import annotations

from typing import Any

from leadline.ports import Row


def results_of(row: Row) -> int:
    """How many things a step brought: hits, verdicts, queries, pages."""
    value = row.value
    if isinstance(value, list):
        return len(value)
    if not isinstance(value, dict):
        return 0 if value is None else 1
    for key in ("hits", "search_queries", "new_queries", "claims", "citations", "gists"):
        if key in value:
            return len(value[key])
    return 1


def tier_of(row: Row, chosen: str) -> str:
    """The tier that a run has after the row of its plan: what was `chosen` wins over the planner,
    and a person who was shown the plan over both."""
    planned = str(row.value.get("tier") or "")
    return planned if row.name == "review" else chosen or planned


def why_failed(row: Row) -> str:
    """Why a step failed, also a search, whose result says so."""
    said = row.value.get("error") if row.name == "search" and isinstance(row.value, dict) else ""
    return row.error or str(said or "")


def calls_of(row: Row) -> list[dict[str, Any]]:
    """The model calls that a step made, as its result tells them."""
    results = row.value if isinstance(row.value, list) else [row.value]
    made = [one.get("made") for one in results if isinstance(one, dict)]
    return [call for one in made if isinstance(one, dict) for call in one.get("calls", ())]
