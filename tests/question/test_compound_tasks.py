"""Which tasks are several tasks in one, and which only look so."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.question.analyse import analyse
from leadline.question.subtasks import MOST_PARTS, compound, independent


@pytest.mark.contract("P5")
@pytest.mark.parametrize(
    ("task", "parts"),
    [
        ("Research SQLite and DuckDB and compare them", ("SQLite", "DuckDB")),
        ("Compare TCP with UDP.", ("TCP", "UDP")),
        ("please compare TCP and UDP by latency", ("TCP: latency", "UDP: latency")),
        (
            "Compare the performance of Redis, Memcached and Dragonfly",
            ("Redis: performance", "Memcached: performance", "Dragonfly: performance"),
        ),
        (
            "Investigate sodium batteries and lithium batteries, then compare their cost",
            ("sodium batteries: cost", "lithium batteries: cost"),
        ),
    ],
)
def test_things_to_be_compared_are_researched_each_for_itself(
    task: str, parts: tuple[str, ...]
) -> None:
    found = compound(analyse(task))
    assert found.parts == parts
    assert found.compared


@pytest.mark.contract("P5")
@pytest.mark.parametrize(
    ("task", "parts"),
    [
        (
            "What is the capital of France and how tall is Mount Everest?",
            ("What is the capital of France?", "How tall is Mount Everest?"),
        ),
        (
            "Who wrote Dune? When did the Titanic sink?",
            ("Who wrote Dune?", "When did the Titanic sink?"),
        ),
    ],
)
def test_questions_that_share_nothing_are_two_tasks(task: str, parts: tuple[str, ...]) -> None:
    found = compound(analyse(task))
    assert found.parts == parts
    assert not found.compared


@pytest.mark.contract("P5")
@pytest.mark.parametrize(
    "task",
    [
        "Who wrote Dune and when was it published?",
        "Are Paris and London both capitals?",
        "What is the difference between TCP and UDP?",
        "Who is older, Ada Lovelace or Grace Hopper?",
        "When was the lighthouse of Port Seven built, by whom, and who is its keeper?",
        "Where was the designer of the Lantern Bay lighthouse born?",
        "How does PostgreSQL decide when to vacuum a table, and how is ID wraparound prevented?",
        "When was Marie Curie born? Where was Marie Curie buried?",
        "List five ways to compare two strings in Python",
        "Who wrote Dune? The harbour of Port Seven has a lighthouse. When did the Titanic sink?",
        "Compare them",
        "Compare it with the other one",
        "What causes tides and currents?",
        "",
    ],
)
def test_an_ordinary_question_stays_one(task: str) -> None:
    assert compound(analyse(task)).parts == ()


@pytest.mark.contract("P5")
@given(st.text(max_size=300))
def test_any_text_has_no_part_or_a_few_that_differ(text: str) -> None:
    parts = compound(analyse(text)).parts
    assert not parts or 2 <= len(parts) <= MOST_PARTS
    assert all(part.strip() for part in parts)
    assert not parts or independent(parts)
