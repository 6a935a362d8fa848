"""What is wrapped round a model: retries, fallbacks, the purse (L1, L4, R7)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

import pytest

from leadline.errors import BadInput, BudgetSpent, ModelTrouble, ReasonerFailed
from leadline.fakes.model import Said, ScriptedModel
from leadline.models.fallback import FallbackModel
from leadline.models.metered import CallLog, MeteredModel
from leadline.models.retried import RetriedModel
from leadline.ports import Model
from leadline.purse import FREE, Price, Purse
from leadline.types import Ask, Completion, Limits, Stop

ASK = Ask("Be brief.", "What next?", max_tokens=100)
PRICE = Price(prompt=10.0, completion=50.0)


def trouble(type: ModelTrouble, **more: Any) -> ReasonerFailed:
    return ReasonerFailed(f"it is {type}", type=type, **more)


BUSY = trouble("busy", retryable=True)


def text(model: Model, ask: Ask = ASK) -> str:
    async def once() -> str:
        return (await model.complete(ask)).text

    return asyncio.run(once())


def pieces(model: Model, ask: Ask = ASK) -> list[str | Completion]:
    async def collect() -> list[str | Completion]:
        return [piece async for piece in model.stream(ask)]

    return asyncio.run(collect())


class Broken(ScriptedModel):
    """Streams a piece and then fails."""

    async def stream(self, ask: Ask) -> AsyncGenerator[str | Completion, None]:
        self.asks.append(ask)
        yield "The "
        raise BUSY


# ── retries ─────────────────────────────────────────────────────────────────────────────────


def retried(*script: Said) -> tuple[RetriedModel, ScriptedModel]:
    inner = ScriptedModel(script)
    return RetriedModel(inner), inner


def test_a_busy_server_is_asked_again() -> None:
    model, inner = retried(BUSY, BUSY, "ok")
    assert text(model) == "ok"
    assert len(inner.asks) == 3


def test_who_wants_to_be_left_alone_for_long_is_not_asked_again() -> None:
    model, _ = retried(trouble("busy", retryable=True, retry_after=7.0), "ok")
    assert text(model) == "ok"
    model, inner = retried(trouble("busy", retryable=True, retry_after=600.0), "ok")
    with pytest.raises(ReasonerFailed):
        text(model)
    assert len(inner.asks) == 1


@pytest.mark.parametrize("type", ["refused", "missing", "overlong", "malformed", "failed"])
def test_what_will_not_change_is_not_asked_again(type: ModelTrouble) -> None:
    model, inner = retried(trouble(type), "ok")
    with pytest.raises(ReasonerFailed, match=type):
        text(model)
    assert len(inner.asks) == 1


def test_an_answer_that_took_too_long_once_is_not_waited_for_again() -> None:
    model, inner = retried(trouble("timeout", retryable=True), "ok")
    with pytest.raises(ReasonerFailed):
        text(model)
    assert len(inner.asks) == 1


def test_after_the_last_attempt_the_failure_is_passed_on() -> None:
    model, inner = retried(BUSY, BUSY, BUSY, "ok")
    with pytest.raises(ReasonerFailed, match="busy"):
        text(model)
    assert len(inner.asks) == 3


def test_a_stream_is_begun_again_only_before_its_first_piece() -> None:
    model, _ = retried(BUSY, "ok")
    assert [piece for piece in pieces(model) if isinstance(piece, str)] == ["ok"]
    broken = Broken([])
    with pytest.raises(ReasonerFailed):
        pieces(RetriedModel(broken))
    assert len(broken.asks) == 1


# ── fallbacks ───────────────────────────────────────────────────────────────────────────────


@pytest.mark.contract("L1")
def test_the_next_model_takes_over() -> None:
    first, second = ScriptedModel([BUSY, "one"], name="a"), ScriptedModel(["two"], name="b")
    model = FallbackModel([first, second])
    assert text(model) == "two"
    assert text(model) == "one"
    assert model.name == "a"


@pytest.mark.contract("L1")
@pytest.mark.parametrize("type", ["refused", "missing", "unreachable"])
def test_a_model_that_will_not_come_back_is_not_asked_again(type: ModelTrouble) -> None:
    first, second = ScriptedModel([trouble(type), "one"]), ScriptedModel(["two", "three"])
    model = FallbackModel([first, second])
    assert [text(model), text(model)] == ["two", "three"]
    assert len(first.asks) == 1


@pytest.mark.contract("L1")
def test_when_every_model_fails_each_is_named() -> None:
    model = FallbackModel([ScriptedModel([trouble("refused")]), ScriptedModel([BUSY])])
    with pytest.raises(ReasonerFailed, match=r"it is refused; it is busy") as failed:
        text(model)
    assert failed.value.retryable


@pytest.mark.contract("L5")
def test_prompts_fit_the_smallest_window_of_a_list() -> None:
    small = ScriptedModel([], window=4096, chars_per_token=3.0)
    model = FallbackModel([ScriptedModel([], window=100_000), small])
    assert (model.window, model.chars_per_token) == (4096, 3.0)


@pytest.mark.contract("L5")
def test_a_prompt_that_is_too_long_is_not_passed_to_the_next() -> None:
    second = ScriptedModel(["two"])
    with pytest.raises(ReasonerFailed) as failed:
        text(FallbackModel([ScriptedModel([trouble("overlong")]), second]))
    assert failed.value.type == "overlong"
    assert not second.asks


def test_the_next_model_takes_over_a_stream_that_did_not_begin() -> None:
    model = FallbackModel([ScriptedModel([BUSY]), ScriptedModel(["two"])])
    assert pieces(model)[0] == "two"
    with pytest.raises(ReasonerFailed):
        pieces(FallbackModel([Broken([]), ScriptedModel(["two"])]))


def test_a_list_of_no_models_is_refused() -> None:
    with pytest.raises(BadInput):
        FallbackModel([])


# ── the purse ───────────────────────────────────────────────────────────────────────────────


def metered(
    inner: Model, limits: Limits, price: Price = PRICE
) -> tuple[MeteredModel, Purse, CallLog]:
    purse, log = Purse(limits, kept=0.0), CallLog()
    return MeteredModel(inner, "planner", purse, price, log, clock=lambda: 0.0), purse, log


@pytest.mark.contract("L4")
def test_a_call_is_paid_and_written_down() -> None:
    model, purse, log = metered(ScriptedModel([Completion("ok", 1000, 20)]), Limits())
    done = asyncio.run(model.complete(ASK))
    assert done.cost == pytest.approx(0.011)
    assert (purse.spent.calls, purse.spent.prompt_tokens, purse.spent.cost) == (1, 1000, done.cost)
    call = log.calls[0]
    assert (call.role, call.model, call.cost, call.error) == ("planner", "fake", done.cost, "")


@pytest.mark.contract("L4")
def test_a_cost_that_the_server_reports_wins_over_the_table() -> None:
    model, purse, _ = metered(ScriptedModel([Completion("ok", 1000, 20, cost=0.5)]), Limits())
    asyncio.run(model.complete(ASK))
    assert purse.spent.cost == 0.5


@pytest.mark.contract("L4", "R7")
@pytest.mark.parametrize(
    ("limits", "stop"),
    [
        (Limits(token_budget=50), Stop.TOKEN_BUDGET),
        (Limits(max_cost=0.004), Stop.MAX_COST),
    ],
)
def test_a_call_over_the_limit_is_never_sent(limits: Limits, stop: Stop) -> None:
    inner = ScriptedModel(["ok"])
    model, _, log = metered(inner, limits)
    with pytest.raises(BudgetSpent) as spent:
        text(model)
    assert spent.value.stop is stop
    assert (inner.asks, log.calls) == ([], [])
    with pytest.raises(BudgetSpent):
        pieces(model)


@pytest.mark.contract("L4")
def test_a_failed_call_is_written_down_and_paid_only_where_its_prompt_was_taken() -> None:
    inner = ScriptedModel([BUSY, trouble("timeout")])
    model, purse, log = metered(inner, Limits())
    for _ in range(2):
        with pytest.raises(ReasonerFailed):
            text(model)
    assert [call.error for call in log.calls] == ["it is busy", "it is timeout"]
    assert log.calls[0].prompt_tokens == 0
    assert purse.spent.prompt_tokens == log.calls[1].prompt_tokens > 0
    assert purse.tokens_out == purse.spent.prompt_tokens


@pytest.mark.contract("R7")
def test_a_cancelled_call_frees_what_was_put_aside_for_its_answer() -> None:
    class Endless(ScriptedModel):
        async def complete(self, ask: Ask) -> Completion:
            await asyncio.Event().wait()
            raise AssertionError

    model, purse, log = metered(Endless([]), Limits(token_budget=10_000))

    async def cut_short() -> None:
        async with asyncio.timeout(0.01):
            await model.complete(ASK)

    with pytest.raises(TimeoutError):
        asyncio.run(cut_short())
    assert log.calls[0].error == "cancelled"
    assert 0 < purse.tokens_out < 100


@pytest.mark.contract("L4")
def test_a_stream_is_paid_too() -> None:
    model, purse, log = metered(ScriptedModel([Completion("ok", 1000, 20)]), Limits())
    assert pieces(model)[-1] == Completion("ok", 1000, 20, 0.011, "fake")
    assert purse.spent.cost == pytest.approx(0.011)
    assert len(log.calls) == 1


@pytest.mark.contract("L4")
def test_a_server_that_counts_nothing_is_taken_at_our_count() -> None:
    model, purse, _ = metered(ScriptedModel([Completion("four words are here")]), Limits(), FREE)
    done = asyncio.run(model.complete(ASK))
    assert done.prompt_tokens > 10
    assert 4 <= done.completion_tokens <= 10
    assert purse.spent.prompt_tokens == done.prompt_tokens


@pytest.mark.contract("R7")
def test_calls_at_the_same_time_share_one_purse() -> None:
    class Gathering(ScriptedModel):
        """Answers nobody before the door is opened."""

        async def complete(self, ask: Ask) -> Completion:
            await door.wait()
            return await super().complete(ask)

    async def many() -> list[object]:
        tasks = [asyncio.ensure_future(model.complete(ASK)) for _ in range(10)]
        refused, waiting = await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
        assert refused
        assert waiting
        door.set()
        return list(await asyncio.gather(*tasks, return_exceptions=True))

    door = asyncio.Event()
    model, purse, _ = metered(Gathering(lambda ask: "ok"), Limits(token_budget=400), FREE)
    results = asyncio.run(many())
    assert [type(result) for result in results].count(Completion) == 3
    assert purse.spent.prompt_tokens + purse.spent.completion_tokens <= 400


@pytest.mark.contract("R7")
def test_a_stream_that_nobody_reads_on_ends_everywhere() -> None:
    class Watched(ScriptedModel):
        """Knows whether its stream was closed."""

        closed = False

        async def stream(self, ask: Ask) -> AsyncGenerator[str | Completion, None]:
            try:
                yield "The "
                yield "end."
            finally:
                self.closed = True

    async def first_piece(model: Model) -> str | Completion:
        async with aclosing(model.stream(ASK)) as stream:
            return await anext(stream)

    inner = Watched([])
    wrapped, purse, log = metered(RetriedModel(inner), Limits())
    assert asyncio.run(first_piece(FallbackModel([wrapped]))) == "The "
    assert inner.closed
    assert log.calls[0].error == "cancelled"
    assert purse.tokens_out == purse.spent.prompt_tokens > 0
