"""A whole run with a model behind it, from settings to the report (L1–L5, R7, R9)."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from leadline.errors import BadInput
from leadline.fakes.run import MemoryRun
from leadline.kit import billed, decide, open_kit, prepare, reasoner_name
from leadline.research.loop import research
from leadline.session import run_research
from leadline.settings import Settings, load
from leadline.types import AgentResponse
from window_server import answer, serving

TASK = "How deep is the harbour of Lantern Bay and who keeps its lighthouse?"


def a_folder(path: Path, pages: int = 8) -> Path:
    folder = path / "docs"
    folder.mkdir()
    for n in range(pages):
        facts = [
            f"In {1800 + n} the harbour of Lantern Bay was {n + 3} fathoms deep at pier {k}. "
            f"The lighthouse keeper of watch {k} in that year was called Keeper{n}x{k}."
            for k in range(40)
        ]
        (folder / f"year{n}.md").write_text(f"# Harbour book {1800 + n}\n\n" + "\n\n".join(facts))
    return folder


def run(tmp_path: Path, url: str, **given: Any) -> AgentResponse:
    settings = Settings(
        data_dir=tmp_path / "data",
        docs=(a_folder(tmp_path),),
        model=f"vllm:small@{url}",
        **given,
    )
    return asyncio.run(run_research(TASK, settings=settings))


@pytest.mark.contract("L5", "C3")
@pytest.mark.parametrize(
    "window",
    [
        4096,
        pytest.param(8192, marks=pytest.mark.slow),
        pytest.param(32_768, marks=pytest.mark.slow),
        131_072,
    ],
)
def test_no_prompt_is_ever_over_the_window_and_the_run_finishes(
    tmp_path: Path, window: int
) -> None:
    with serving(window) as (url, log):
        response = run(tmp_path, url)
    assert log.refused == 0
    assert max(log.sizes) <= window
    assert response.found
    assert [call.error for call in response.calls] == [""] * len(log.sizes)
    assert response.usage.calls == len(log.sizes)
    assert not [loss for loss in response.error_log if "without a model" in loss.why]
    assert len(set(log.prompts)) == len(log.prompts)


@pytest.mark.contract("L5")
def test_a_window_that_nobody_tells_is_found_by_asking_for_less(tmp_path: Path) -> None:
    with serving(2000, tell_window=False) as (url, log):
        response = run(tmp_path, url)
    assert response.found
    assert log.refused  # the guess was too high
    assert log.sizes[-1] <= 2000


@pytest.mark.contract("L4", "H2")
def test_the_response_tells_calls_tokens_and_roles(tmp_path: Path) -> None:
    with serving(32_768) as (url, log):
        response = run(tmp_path, url, prices=("vllm:small=1/2",))
    roles = [call.role for call in response.calls]
    assert roles[0] == "planner"
    assert roles[-1] == "producer"
    assert response.usage.calls == len(log.sizes)
    assert response.usage.prompt_tokens == sum(call.prompt_tokens for call in response.calls)
    assert response.usage.cost == pytest.approx(
        (response.usage.prompt_tokens + 2 * response.usage.completion_tokens) / 1e6
    )
    (line,) = (tmp_path / "data" / "runs.jsonl").read_text().splitlines()
    assert [call["role"] for call in json.loads(line)["model_calls"]] == roles


@pytest.mark.contract("L3")
@pytest.mark.parametrize(
    "text",
    [
        "I would rather talk about the weather.",
        pytest.param("", marks=pytest.mark.slow),
        pytest.param("{", marks=pytest.mark.slow),
    ],
)
def test_a_model_that_answers_nothing_usable_leaves_a_verified_report_that_says_so(
    tmp_path: Path, text: str
) -> None:
    with serving(32_768, lambda request: text) as (url, _):
        response = run(tmp_path, url)
    assert response.found
    assert all(claim.quote for claim in response.claims)
    whys = " ".join(f"{loss.stage} {loss.why}" for loss in response.error_log)
    assert "Planned without a model" in whys
    assert "plan" in whys
    assert "write" in whys


@pytest.mark.slow  # it is asked three times, a little later each time
@pytest.mark.contract("L3")
def test_a_model_that_is_not_there_costs_its_help_and_nothing_else(tmp_path: Path) -> None:
    response = run(tmp_path, "http://127.0.0.1:9/v1", model_timeout_s=2)
    assert response.found
    assert response.usage.prompt_tokens == 0
    assert any("cannot connect" in loss.why for loss in response.error_log)


@pytest.mark.contract("R4", "R7")
@pytest.mark.parametrize(
    "budget",
    [pytest.param(500, marks=pytest.mark.slow), 3000, pytest.param(6000, marks=pytest.mark.slow)],
)
def test_a_token_budget_holds_and_the_report_is_still_written(tmp_path: Path, budget: int) -> None:
    with serving(32_768) as (url, _):
        response = run(tmp_path, url, token_budget=budget)
    assert response.found
    assert response.usage.prompt_tokens + response.usage.completion_tokens <= budget


@pytest.mark.contract("R7", "L4")
def test_a_price_that_is_not_known_is_refused_where_money_is_limited(tmp_path: Path) -> None:
    settings = Settings(
        data_dir=tmp_path,
        docs=(a_folder(tmp_path, 1),),
        model="openai:nobody-knows-this@http://box.example/v1",
        max_cost=1.0,
    )
    with pytest.raises(BadInput, match="prices"):
        prepare(settings)


def _says(request: dict[str, Any]) -> str:
    """Gaps in the first two reflections, so that there are several rounds."""
    text = answer(request)
    if '"sufficient"' in text and "second pier" not in request["messages"][-1]["content"]:
        more = [{"query": "second pier depth", "intent": "depth"}]
        return json.dumps({"sufficient": False, "gaps": ["the depth"], "new_queries": more})
    return text


@pytest.mark.contract("F1", "R5")
def test_reflection_leads_to_another_round(tmp_path: Path) -> None:
    with serving(32_768, _says) as (url, _):
        response = run(tmp_path, url)
    assert "second pier depth" in [verdict.query for verdict in response.verdicts]


@pytest.mark.contract("R9", "R8")
def test_a_run_that_lost_its_journal_asks_nothing_that_was_answered(tmp_path: Path) -> None:
    with serving(32_768, _says) as (url, log):
        settings = Settings(
            data_dir=tmp_path / "data",
            docs=(a_folder(tmp_path),),
            model=f"vllm:small@{url}",
            compressor_model=f"vllm:small@{url}",
            gate="model",
            memory=False,  # the first life would remember, and the second ask less
        )
        prepare(settings)

        async def life() -> AgentResponse:
            run = MemoryRun("the run")
            async with open_kit(settings, run) as kit:
                return billed(await research(TASK, kit, run), kit.bill())

        first = asyncio.run(life())
        calls = len(log.prompts)
        second = asyncio.run(life())
    assert calls >= 5
    assert len(log.prompts) == calls
    assert second == first
    assert second.usage.calls >= calls, "the same prompt twice is asked once"
    assert {call.role for call in first.calls} == {"planner", "producer", "compressor"}


# ── choosing ────────────────────────────────────────────────────────────────────────────────


def decided(settings: Settings, web: bool) -> tuple[Settings, str]:
    chosen, choice = asyncio.run(decide(settings, web))
    return chosen, choice.why


@pytest.mark.contract("L2", "D7")
def test_documents_alone_look_for_no_model(tmp_path: Path) -> None:
    settings = load(env={"OPENAI_API_KEY": "sk-x", "RESEARCH_DATA_DIR": str(tmp_path)})
    chosen, why = decided(settings, web=False)
    assert reasoner_name(chosen) == "extractive"
    assert "--model" in why


@pytest.mark.contract("L2")
def test_a_key_in_the_environment_is_enough(tmp_path: Path) -> None:
    env = {"ANTHROPIC_API_KEY": "sk-x", "RESEARCH_DATA_DIR": str(tmp_path)}
    chosen, why = decided(load(env=env), web=True)
    assert reasoner_name(chosen).startswith("anthropic:")
    assert "RESEARCH_MODEL" in why


@pytest.mark.contract("L2")
def test_no_model_means_none_whatever_is_set(tmp_path: Path) -> None:
    env = {"RESEARCH_MODEL": "ollama:qwen3", "RESEARCH_NO_MODEL": "1"}
    chosen, _ = decided(load(env=env | {"RESEARCH_DATA_DIR": str(tmp_path)}), web=True)
    assert reasoner_name(chosen) == "extractive"


@pytest.mark.contract("L1")
def test_the_address_in_openais_own_variable_is_used(tmp_path: Path) -> None:
    from leadline.models.roles import wanted_for

    env = {"RESEARCH_MODEL": "openai:m", "OPENAI_BASE_URL": "http://box:1/v1"}
    wanted = wanted_for(load(env=env | {"RESEARCH_DATA_DIR": str(tmp_path)}), "planner")
    assert wanted is not None
    assert wanted.named[0].base_url == "http://box:1/v1"


@pytest.mark.contract("X2")
def test_no_key_is_stored_with_a_run(tmp_path: Path) -> None:
    env = {"OPENAI_API_KEY": "sk-very-secret", "RESEARCH_DATA_DIR": str(tmp_path)}
    settings = load(env=env)
    assert "sk-very-secret" not in json.dumps(settings.public())
    assert "sk-very-secret" not in repr(settings)
