"""Plans made without a model."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.question.planning import make_plan, other_than
from leadline.text.words import content_words, words
from leadline.types import TaskType, Tier

TASKS = (
    "How do I cancel a fetch request?",
    "When was the director of film King Of The Sierras born?",
    "asyncio",
    "python asyncio cancellation",
    "Compare CSS grid and flexbox",
    "What is a closure and how is it used?",
    "let和var有什么区别？",
    "中国金融未来的发展趋势",
    "list five ways to center a div",
    "a",
    "???",
    "Why?",
)


@pytest.mark.contract("P1")
@pytest.mark.parametrize("task", TASKS[:9])
def test_a_plan_has_three_to_six_queries_each_with_an_intent(task: str) -> None:
    plan = make_plan(task, ())
    assert 3 <= len(plan.search_queries) <= 6
    assert all(query.intent and query.text for query in plan.search_queries)
    keys = [frozenset(content_words(q.text) or words(q.text)) for q in plan.search_queries]
    assert len(set(keys)) == len(keys)
    assert plan.opening == 1
    assert plan.knowledge_gaps


@pytest.mark.contract("P2")
@pytest.mark.parametrize("task", TASKS)
def test_no_query_is_the_task_itself(task: str) -> None:
    for query in make_plan(task, ()).search_queries:
        assert words(query.text) != words(task)


@pytest.mark.contract("P2")
@given(st.text(min_size=1, max_size=120).filter(lambda text: bool(words(text))))
def test_no_task_at_all_is_sent_as_it_stands(task: str) -> None:
    plan = make_plan(task, ())
    assert plan.search_queries
    assert all(words(query.text) != words(task) for query in plan.search_queries)


def test_a_query_that_echoes_the_task_is_turned_round() -> None:
    assert other_than("Python asyncio!", "python asyncio") == "asyncio python"
    assert other_than("asyncio", "asyncio") != "asyncio"
    assert other_than("something else", "python asyncio") == "python asyncio"


@pytest.mark.contract("P1")
def test_the_first_query_is_the_whole_question_in_its_content_words() -> None:
    first = make_plan("When was the director of film King Of The Sierras born?", ())
    assert first.search_queries[0].text == "director film King Sierras born"


@pytest.mark.contract("P1")
def test_names_and_parts_have_queries_of_their_own() -> None:
    texts = [
        q.text for q in make_plan("Who is older, Ada Byron or Mary Shelley?", ()).search_queries
    ]
    assert any("Ada Byron" in text and "Mary" not in text for text in texts)
    assert any("Mary Shelley" in text and "Ada" not in text for text in texts)


@pytest.mark.contract("P3")
def test_what_is_known_is_not_searched_for_again() -> None:
    task = "When was the berlin wall built and who designed the opera house in Sydney?"
    fact = "The Berlin Wall was built in 1961, when the border was closed."
    plan = make_plan(task, (fact,))
    assert plan.known_facts == (fact,)
    assert not any("berlin" in gap.lower() for gap in plan.knowledge_gaps)
    assert not any("wall built" in query.text for query in plan.search_queries[1:2])
    assert len(make_plan(task, ()).knowledge_gaps) == 2


@pytest.mark.contract("P1", "R6")
@pytest.mark.parametrize(
    ("task", "kind", "tier"),
    [
        ("who wrote the bell jar", TaskType.FACTUAL, Tier.SIMPLE),
        ("When was the director of Last Rampage born?", TaskType.FACTUAL, Tier.STANDARD),
        ("list five ways to center a div", TaskType.ENUMERATED, Tier.STANDARD),
        ("Compare CSS grid and flexbox", TaskType.COMPARISON, Tier.STANDARD),
        ("best practices for error handling", TaskType.BEST_PRACTICES, Tier.STANDARD),
        (
            "What is A? How does it work? Why was it made? Who made it? When?",
            TaskType.RESEARCH,
            Tier.DEEP,
        ),
    ],
)
def test_the_kind_and_the_cost_of_a_task(task: str, kind: TaskType, tier: Tier) -> None:
    plan = make_plan(task, ())
    assert (plan.task_type, plan.tier) == (kind, tier)


@pytest.mark.contract("P7")
def test_a_plan_knows_the_language_of_the_question() -> None:
    assert make_plan("什么是闭包？", ()).language == "zh"


def test_a_very_long_task_makes_short_queries() -> None:
    task = "Background: " + "the reactor core vessel pressure " * 5000 + " What failed first?"
    assert all(len(query.text) < 400 for query in make_plan(task, ()).search_queries)
