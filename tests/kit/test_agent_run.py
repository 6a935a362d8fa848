"""Agent mode from settings to the report, over a real connection (D5, L3, L5, R9, R10)."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from leadline.bundle.check import Verification, verify_file
from leadline.bundle.contents import written
from leadline.bundle.export import Exported
from leadline.bundle.replay import Rebuilt, replay
from leadline.errors import BadInput
from leadline.kit import embedder
from leadline.session import open_session, run_research
from leadline.settings import Settings
from leadline.types import AgentResponse, Verdict
from tool_server import serving_tools

TASK = "How deep is the harbour of Lantern Bay and who keeps its lighthouse?"


def a_folder(path: Path, pages: int = 6) -> Path:
    folder = path / "docs"
    folder.mkdir()
    for n in range(pages):
        facts = [
            f"In {1800 + n} the harbour of Lantern Bay was {n + 3} fathoms deep at pier {k}. "
            f"The lighthouse keeper of watch {k} in that year was called Keeper{n}x{k}."
            for k in range(30)
        ]
        (folder / f"year{n}.md").write_text(f"# Harbour book {1800 + n}\n\n" + "\n\n".join(facts))
    return folder


def settings_for(tmp_path: Path, url: str, **given: Any) -> Settings:
    return Settings(
        data_dir=tmp_path / "data",
        docs=(a_folder(tmp_path),),
        model=f"vllm:small@{url}",
        evaluator_model=f"vllm:small@{url}",
        agent=True,
        revise=0,
        **given,
    )


def run(settings: Settings) -> AgentResponse:
    return asyncio.run(run_research(TASK, settings=settings))


def sent(bodies: list[dict[str, Any]]) -> list[str]:
    """What each request says; those of the judge are no moves."""
    return [json.dumps(body["messages"]) for body in bodies]


@pytest.mark.contract("D5", "L1", "L5")
@pytest.mark.parametrize("window", [4096, 8192, 131_072])
def test_a_model_calls_tools_natively_within_its_window(tmp_path: Path, window: int) -> None:
    with serving_tools(window) as (url, seen):
        response = run(settings_for(tmp_path, url))
    assert response.found
    assert all(claim.quote for claim in response.claims)
    assert {claim.verdict for claim in response.claims} <= {Verdict.QUOTED, Verdict.SOURCED}
    assert max(seen.sizes) <= window
    assert response.usage.searches == 2
    moves = [body for body in seen.bodies if "tools" in body]
    assert len(moves) == 4
    assert [message["role"] for message in moves[-1]["messages"]][:4] == [
        "system",
        "user",
        "assistant",
        "tool",
    ]
    assert len(set(sent(seen.bodies))) == len(seen.bodies)
    assert response.usage.calls == len(seen.bodies)


@pytest.mark.contract("D5", "L3")
def test_a_server_without_tools_is_told_of_them_and_still_answers(tmp_path: Path) -> None:
    with serving_tools(refuse=True) as (url, seen):
        response = run(settings_for(tmp_path, url))
    assert seen.refused == 1
    assert response.found
    assert response.usage.searches == 2
    assert not [loss for loss in response.error_log if loss.stage == "decide"]


@pytest.mark.contract("R9", "D5")
@pytest.mark.parametrize("after", [1, 2, 3])
def test_a_run_that_is_interrupted_goes_on_without_asking_again(tmp_path: Path, after: int) -> None:
    async def go(settings: Settings) -> AgentResponse:
        async with open_session(settings) as first:
            first.prepare()
            run_id = await first.start(TASK)
            decided = 0
            async for row in first.engine.follow(run_id):
                decided += row.name == "decide"
                if decided == after:
                    break
        async with open_session(settings) as second:
            await second.engine.resume(run_id)
            return await second.response(run_id)

    with serving_tools() as (url, seen):
        response = asyncio.run(go(settings_for(tmp_path, url)))
    asked = sent(seen.bodies)
    assert response.found
    assert response.usage.searches == 2
    # Only a call that was under way when the run was stopped may be asked again.
    assert len(asked) - len(set(asked)) <= 1
    assert len([body for body in seen.bodies if "tools" in body]) <= 5


@pytest.mark.contract("R10", "D5")
def test_the_run_can_be_exported_checked_and_replayed(tmp_path: Path) -> None:
    async def go(settings: Settings) -> tuple[Exported, Rebuilt, Verification]:
        async with open_session(settings) as session:
            session.prepare()
            run_id = await session.start(TASK)
            await session.response(run_id)
            exported = await session.export(run_id)
        data = written(exported.content)
        checked = await verify_file(data, "run.leadline", embedder())
        return exported, await replay(exported.content), checked

    with serving_tools() as (url, _):
        exported, rebuilt, checked = asyncio.run(go(settings_for(tmp_path, url)))
    assert rebuilt.equal
    assert not exported.missing
    assert checked.passed


@pytest.mark.contract("D5")
@pytest.mark.parametrize("given", [{}, {"planner_model": "vllm:small@http://127.0.0.1:1/v1"}])
def test_agent_mode_without_a_model_that_writes_is_refused(
    tmp_path: Path, given: dict[str, Any]
) -> None:
    settings = Settings(data_dir=tmp_path, docs=(a_folder(tmp_path, 1),), agent=True, **given)
    with pytest.raises(BadInput, match="agent mode needs a language model"):
        run(settings)
