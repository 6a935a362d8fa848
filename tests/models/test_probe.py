"""The doctor finds what is wrong with a model (L6): each of these has one known fault."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable

import httpx2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brains import (
    SEARCHES,
    Rule,
    crashing,
    cutting,
    forgetting,
    good,
    inventing,
    leaking,
    prose,
    refusing,
    saying,
    silent,
    size,
    strange,
    uncounted,
    wordy,
    wrapped,
)
from leadline.errors import ReasonerFailed
from leadline.fakes.model import Said, ScriptedModel
from leadline.fields.models import ModelFields
from leadline.models.advice import Line, follows, lines, profile_after
from leadline.models.needle import Reach
from leadline.models.opening import open_client, open_model, open_one
from leadline.models.probe import Cites, Findings, Searches, Shaped, Speed, probe
from leadline.models.probe_asks import Examined
from leadline.models.profiles import Profile
from leadline.models.roles import wanted_for
from leadline.purse import FREE, Price, Purse
from leadline.types import Ask, Limits
from leadline.values import replace

pytestmark = pytest.mark.contract("L6")


class Clock:
    """Time that passes only with the answers of a model."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def taking(self, seconds: Callable[[int], float], rule: Rule) -> Rule:
        def slow(ask: Ask) -> Said:
            self.now += seconds(size(ask))
            return rule(ask)

        return slow


class Signed(Examined):
    """A model whose server claims another window than it has."""

    def __init__(
        self, model: ScriptedModel, window: int, price: Price, purse: Purse | None, clock: Clock
    ) -> None:
        super().__init__(model, price=price, purse=purse, clock=clock)
        self._sign = window

    @property
    def window(self) -> int:
        return self._sign


def examined(
    rule: Rule,
    *,
    window: int = 8192,
    ceiling: int = 0,
    price: Price = FREE,
    purse: Purse | None = None,
    clock: Clock | None = None,
) -> Findings:
    """What is found when the server claims `window`, whatever the rule makes of it."""
    model = ScriptedModel(rule, window=1_000_000)
    return asyncio.run(
        probe(Signed(model, window, price, purse, clock or Clock()), ceiling=ceiling)
    )


def line(found: Findings, name: str) -> Line:
    return next(one for one in lines(found) if one.name == name)


def test_a_good_model_has_nothing_against_it() -> None:
    found = examined(good)
    assert found.native == found.prompted == Shaped(asked=3, at_once=3)
    assert found.reach == Reach(8192, held=8192, found=8192, stop="limit")
    assert found.cites == Cites(True, 3)
    assert {one.name: one.mark for one in lines(found)} == {
        "JSON by schema": "ok",
        "JSON in words": "ok",
        "window": "ok",
        "thoughts": "ok",
        "citations": "ok",
        "tool calls": "ok",
        "judging": "?",  # is asked after these
        "speed": "?",  # no time passed
    }
    assert not found.unfinished


# ── JSON ────────────────────────────────────────────────────────────────────────────────────


def test_a_model_that_never_gives_json_is_told() -> None:
    found = examined(prose)
    assert found.native == found.prompted == Shaped(asked=3)
    assert line(found, "JSON by schema").mark == "BAD"
    assert "3 never" in line(found, "JSON by schema").said


def test_json_with_words_round_it_counts_as_mended() -> None:
    found = examined(wrapped)
    assert found.native == Shaped(asked=3, mended=3)
    assert line(found, "JSON by schema") == Line(
        "JSON by schema", "weak", "0 of 3 valid at once, 3 mended"
    )


def test_json_that_comes_when_asked_again_is_counted_apart() -> None:
    calls = 0

    def second(ask: Ask) -> Said:
        nonlocal calls
        calls += bool(ask.schema)
        return prose(ask) if calls % 2 else good(ask)

    assert examined(second).native == Shaped(asked=3, again=3)


def test_a_model_that_does_better_in_words_is_told_in_words_from_then_on() -> None:
    found = examined(wordy)
    assert not profile_after(Profile(), found).schema
    assert "told in words" in line(found, "JSON by schema").said
    assert profile_after(Profile(), examined(prose)).schema, "neither works: nothing to choose"


# ── the window ──────────────────────────────────────────────────────────────────────────────


def test_a_needle_lost_at_4k_bounds_the_window() -> None:
    found = examined(forgetting(4096), window=32_768)
    assert 3500 <= found.reach.measured <= 4300
    assert found.reach.stop == "lost"
    assert "claimed 32,768 tokens, really held" in line(found, "window").said
    assert profile_after(Profile(), found).window == found.reach.measured


def test_a_prompt_cut_in_silence_is_noticed() -> None:
    found = examined(cutting(4096), window=32_768)
    assert found.reach.stop == "cut"
    assert 3500 <= found.reach.measured <= 4500
    assert "cut in silence" in line(found, "window").said


def test_a_cut_is_noticed_by_the_needle_where_tokens_are_not_told() -> None:
    found = examined(uncounted(cutting(4096)), window=32_768)
    assert found.reach.stop == "lost"
    assert 2048 <= found.reach.measured <= 1.1 * 4300, "counted with our margin"
    assert found.chars_per_token == 0


def test_a_server_that_refuses_long_prompts_is_believed() -> None:
    found = examined(refusing(6000), window=32_768)
    assert found.reach.stop == "refused"
    assert 5000 <= found.reach.measured <= 6200


def test_a_server_that_holds_more_than_it_says_is_found_out() -> None:
    found = examined(refusing(20_000), window=8192, ceiling=32_768)
    assert 16_384 <= found.reach.measured <= 20_600
    assert line(found, "window").mark == "ok"


def test_a_weak_model_keeps_the_window_that_its_server_holds() -> None:
    """A window of a few hundred tokens would leave no room for any prompt."""
    found = examined(forgetting(300), window=8192)
    assert (found.reach.held, found.reach.found, found.reach.lost) == (8192, 0, 1024)
    assert found.reach.measured == 8192
    assert line(found, "window").mark == "BAD"
    assert "loses a fact in a text of 1,024" in line(found, "window").said


@settings(max_examples=8, deadline=None)
@given(real=st.integers(1500, 15_000), claimed=st.sampled_from([2048, 8192, 16_384]))
def test_the_window_found_is_close_to_the_real_one(real: int, claimed: int) -> None:
    least, most = min(0.8 * real, 0.9 * claimed), min(1.06 * real + 40, claimed)
    for rule in (refusing(real), cutting(real)):
        assert least <= examined(rule, window=claimed).reach.measured <= most
    if real > 2400:  # under that the model is weak, and keeps what its server holds
        assert least <= examined(forgetting(real), window=claimed).reach.measured <= most


# ── thoughts, citations, speed ──────────────────────────────────────────────────────────────


def test_a_model_that_leaks_its_thoughts_is_told() -> None:
    found = examined(leaking)
    assert found.thoughts.leaked == found.thoughts.answers > 8
    assert found.thoughts.marks == ("</think>", "<think>")
    assert line(found, "thoughts").mark == "weak"
    assert "taken out" in line(found, "thoughts").said
    assert found.cites == Cites(True, 3), "a number in its thoughts is no citation"
    assert found.native == Shaped(asked=3, mended=3)


def test_marks_that_stay_in_the_answer_are_bad() -> None:
    found = examined(strange)
    assert found.thoughts.staying == ("<|inner_voice|>", "<|spoken|>")
    assert line(found, "thoughts").mark == "BAD"


def test_a_model_that_thinks_in_silence_is_given_room() -> None:
    found = examined(silent)
    assert found.thoughts.hidden > 300
    assert found.native == Shaped(asked=3, at_once=3)
    assert found.reach.found == 8192
    assert "thought in silence" in line(found, "thoughts").said


def test_a_model_that_invents_ids_is_told() -> None:
    found = examined(inventing)
    assert found.cites == Cites(True, 0, ("1", "2", "3"))
    assert line(found, "citations").mark == "BAD"
    assert "invented 1, 2, 3" in line(found, "citations").said


def test_speed_is_read_off_the_longest_prompt_and_answer() -> None:
    clock = Clock()
    found = examined(clock.taking(lambda tokens: tokens / 1000, good), clock=clock, window=4096)
    assert found.speed.prompt == pytest.approx(1000, rel=0.01)


# ── time, money, and no answer ──────────────────────────────────────────────────────────────


def test_a_slow_model_is_told_what_there_was_time_for() -> None:
    clock = Clock()
    found = examined(clock.taking(lambda tokens: 6 + tokens / 200, good), clock=clock)
    assert found.seconds < 75
    assert found.reach.stop == "time" or line(found, "window").said.endswith("no time")
    assert found.reach.measured == 0
    assert line(found, "window").mark == "?"
    before = Profile(3.0, 4096)
    assert profile_after(before, found).window == 4096, "what was not measured stays"


def test_a_paid_model_is_not_asked_beyond_the_money_for_it() -> None:
    purse = Purse(Limits(max_cost=0.02), kept=0.0)
    found = examined(good, window=32_768, price=Price(1.0, 5.0), purse=purse)
    assert found.reach.stop == "money"
    assert 0 < found.cost <= 0.02
    assert "no money" in line(found, "window").said


def test_a_server_that_breaks_in_between_loses_only_that_probe() -> None:
    found = examined(crashing(3000))
    assert {one.name for one in found.unfinished} == {"JSON by schema", "window"}
    assert line(found, "JSON by schema").said == "not told: HTTP 500 (out of memory)"
    assert "read at least 2,048; longer ones not told: HTTP 500" in line(found, "window").said
    assert found.prompted.at_once == 3
    assert found.cites.right == 3


def test_a_model_that_does_not_answer_ends_the_examination() -> None:
    with pytest.raises(ReasonerFailed, match="nobody there"):
        examined(lambda _: ReasonerFailed("nobody there", type="unreachable"))


# ── what follows ────────────────────────────────────────────────────────────────────────────


def test_settings_follow_from_what_was_found() -> None:
    slow = Findings("m", Reach(8192, 4096, 4096, stop="lost"), speed=Speed(50, 5))
    assert {one.setting: one.value for one in follows(slow)} == {
        "model_window": "4096",
        "model_timeout_s": "480",
        "max_execution_time_s": "480",
    }
    fast = Findings("m", Reach(8192, 8192, 8192, stop="limit"), speed=Speed(5000, 50))
    assert [one.setting for one in follows(fast)] == ["model_window"]


def test_only_a_heavier_count_of_tokens_is_believed() -> None:
    reach = Reach(8192)
    assert profile_after(Profile(4.2), Findings("m", reach, chars_per_token=3.1)) == Profile(3.1)
    assert profile_after(Profile(4.2), Findings("m", reach, chars_per_token=4.8)) == Profile(4.2)


def test_a_profile_without_a_schema_keeps_it_out_of_requests() -> None:
    profiles = {"vllm:m": Profile(schema=False)}
    wanted = wanted_for(ModelFields(model="vllm:m"), "producer", profiles=profiles)
    assert wanted
    asked: list[dict[str, object]] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        if request.method == "POST":
            asked.append(json.loads(request.content))
        text = json.dumps(SEARCHES)
        return httpx2.Response(200, json={"choices": [{"message": {"content": text}}]})

    async def ask() -> None:
        async with httpx2.AsyncClient(transport=httpx2.MockTransport(answer)) as client:
            model = await open_model(wanted, client)
            await model.complete(Ask("Plan.", "Tides?", Searches))

    asyncio.run(ask())
    [body] = asked
    assert "response_format" not in body
    assert "Answer with JSON" in str(body["messages"])


# ── tools ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.contract("L6", "D5")
def test_a_model_that_calls_tools_only_in_words_is_found_out_and_asked_so() -> None:
    found = examined(saying)
    assert (found.calling.native, found.calling.in_words) == (False, True)
    (line,) = [one for one in lines(found) if one.name == "tool calls"]
    assert (line.mark, "in words" in line.said) == ("weak", True)
    kept = profile_after(Profile(), found)
    assert not kept.tools
    wanted = wanted_for(ModelFields(model="openai:m"), "producer", profiles={"openai:m": kept})
    assert wanted
    assert not wanted.tools

    async def opened() -> frozenset[str]:
        async with open_client() as client:
            (named,) = wanted.named
            model = await open_one(named, replace(wanted, window=4096), client, lambda _: "key")
            return model.without

    assert asyncio.run(opened()) == {"tools"}


@pytest.mark.contract("L6", "D5")
def test_a_model_that_calls_no_tool_is_not_bad_for_that() -> None:
    def never(ask: Ask) -> Said:
        return "It is warm." if ask.tools else good(ask)

    found = examined(never)
    (line,) = [one for one in lines(found) if one.name == "tool calls"]
    assert (line.mark, line.said) == ("weak", "none were made; leave --agent out")
    assert profile_after(Profile(), found).tools, "neither works: nothing to choose"
    assert profile_after(Profile(tools=False), Findings("m", Reach(4096))).tools is False
