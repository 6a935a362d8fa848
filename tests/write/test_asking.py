"""A reasoner asks: mended once, asked again with the error, smaller when too long (L3, L5)."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leadline.errors import BudgetSpent, ReasonerFailed
from leadline.fakes.model import ScriptedModel
from leadline.prompts import load
from leadline.text.tokens import Counter
from leadline.types import Ask, Completion, Stop
from leadline.write.ask_model import structured, written
from leadline.write.prompt_fit import Section, assemble, section, tokens_of


@dataclass(frozen=True)
class Reply:
    query: str
    done: bool = False


GOOD = '{"query": "tides", "done": true}'
VALUE = Reply("tides", True)


def plain(window: int) -> Ask:
    return Ask("Be brief.", "What next?", max_tokens=100)


def ask(model: ScriptedModel, attempts: int = 3) -> Reply:
    return asyncio.run(structured(model, plain, Reply, attempts=attempts))


@pytest.mark.contract("L3")
def test_a_good_answer_takes_one_call() -> None:
    model = ScriptedModel([GOOD])
    answer = ask(model)
    assert answer == VALUE
    assert len(model.asks) == 1
    assert model.asks[0].schema is Reply


@pytest.mark.contract("L3")
def test_a_damaged_answer_is_mended_without_another_call() -> None:
    model = ScriptedModel([f"<think>hm</think> Sure:\n```json\n{GOOD[:-1]}"])
    assert ask(model) == VALUE
    assert len(model.asks) == 1


@pytest.mark.contract("L3")
def test_a_useless_answer_is_asked_again_with_what_was_wrong() -> None:
    model = ScriptedModel(["I would search for tides.", '{"done": true}', GOOD])
    answer = ask(model)
    assert answer == VALUE
    assert len(model.asks) == 3
    second, third = model.asks[1:]
    assert "I would search for tides." in second.prompt
    assert "there is no JSON" in second.prompt
    assert "What next?" in second.prompt
    assert '{"query": "text", "done": true}' in second.prompt
    assert "missing required field `query`" in third.prompt
    assert "I would search" not in third.prompt
    assert second.system == third.system == "Be brief."


@pytest.mark.contract("L3")
def test_after_two_more_asks_the_failure_is_typed() -> None:
    model = ScriptedModel(["no", "no", "no", GOOD])
    with pytest.raises(ReasonerFailed, match="no usable answer in 3 attempts") as failed:
        ask(model)
    assert failed.value.type == "malformed"
    assert len(model.asks) == 3


@pytest.mark.contract("L3")
def test_an_answer_that_was_cut_gets_more_room_the_next_time() -> None:
    model = ScriptedModel([Completion("<think>so long", 50, 100, cut=True), GOOD])
    assert ask(model) == VALUE
    assert [one.max_tokens for one in model.asks] == [100, 200]


@pytest.mark.contract("L5")
def test_a_prompt_the_model_finds_too_long_is_built_again_smaller() -> None:
    windows: list[int] = []

    def fitted(window: int) -> Ask:
        windows.append(window)
        return Ask("", "word " * (window // 2), max_tokens=10)

    # Its server counts more tokens than we do.
    model = ScriptedModel(lambda ask: GOOD, window=4000, chars_per_token=3.5)
    model.chars_per_token = 2.0
    assert asyncio.run(structured(model, fitted, Reply)) == VALUE
    assert windows == [4000, 2400]


@pytest.mark.contract("L5")
def test_a_prompt_that_never_fits_fails_and_says_so() -> None:
    model = ScriptedModel(lambda ask: GOOD, window=100)
    with pytest.raises(ReasonerFailed, match="do not fit a window") as failed:
        asyncio.run(structured(model, lambda window: Ask("", "word " * 500), Reply))
    assert failed.value.type == "overlong"
    assert len(model.asks) == 3


@pytest.mark.contract("R7")
def test_a_spent_budget_is_not_asked_again() -> None:
    model = ScriptedModel([BudgetSpent(Stop.MAX_COST), GOOD])
    with pytest.raises(BudgetSpent):
        ask(model)


@pytest.mark.contract("L3")
def test_free_text_comes_without_thoughts() -> None:
    model = ScriptedModel(["<think>Long thoughts.</think>\n\nThe report [1]."])
    assert asyncio.run(written(model, plain)).text == "The report [1]."


@pytest.mark.contract("L3")
def test_an_empty_answer_is_asked_for_once_more_and_then_given_up() -> None:
    model = ScriptedModel([Completion("<think></think>", 40, 100, cut=True), "Now."])
    assert asyncio.run(written(model, plain)).text == "Now."
    assert model.asks[1].max_tokens == 200
    with pytest.raises(ReasonerFailed, match="answered nothing") as failed:
        asyncio.run(written(ScriptedModel(["", " "]), plain))
    assert failed.value.type == "empty"


@pytest.mark.contract("L5")
@settings(max_examples=60)
@given(
    window=st.integers(900, 6000),
    answers=st.lists(st.tuples(st.text(max_size=800), st.booleans()), min_size=3, max_size=3),
    material=st.integers(0, 400),
)
def test_no_ask_is_over_the_window_also_when_asked_again(
    window: int, answers: list[tuple[str, bool]], material: int
) -> None:
    script = [Completion(text.replace("{", "("), 10, 10, cut=cut) for text, cut in answers]
    model = ScriptedModel(script, window=window)
    counter = Counter(model.chars_per_token)

    def build(window: int) -> Ask:
        pieces = tuple(f"Sentence number {n} is of some use." for n in range(material))
        given_values = {"today": "2026-01-01", "language": "English"}
        return assemble(
            load("plan"),
            given_values,
            (Section("known_facts", pieces), section("task", "Why?", outside=False)),
            window=window,
            counter=counter,
            max_tokens=300,
            schema=Reply,
        )

    with pytest.raises(ReasonerFailed):
        asyncio.run(structured(model, build, Reply))
    assert model.asks
    for one in model.asks:
        assert tokens_of(one, counter) + one.max_tokens <= window
