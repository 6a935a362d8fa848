"""Reads the rows of a journal without caring how large their values are."""

from __future__ import annotations

from leadline.ports import Row


def results_of(row: Row) -> int:
    """How many things a step brought: hits, verdicts, queries, pages."""
    value = row.value
    if isinstance(value, list):
        return len(value)
    if not isinstance(value, dict):
        return 0 if value is None else 1
    for key in ("hits", "search_queries", "new_queries", "claims", "citations"):
        if key in value:
            return len(value[key])
    return 1
