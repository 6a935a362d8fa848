"""A whole run that is revised by models behind a server: recorded, rebuilt, and proven (Q1–Q4)."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest

from leadline.bundle.check import verify_file
from leadline.bundle.contents import RunFile, written
from leadline.bundle.replay import replay
from leadline.kit import embedder
from leadline.session import open_session
from leadline.settings import Settings
from leadline.types import AgentResponse
from window_server import Log, answer, serving

TASK = "How deep is the harbour of Selm and who keeps its lighthouse?"
BOOK = (
    "# Harbour book\n\nThe harbour of Selm is 12 fathoms deep at low tide.\n\n"
    "The lighthouse of Selm is kept by Ada Moor.\n\nHer lamp burns two barrels of oil a week.\n"
)
DEEP = "The harbour of Selm is 12 fathoms deep at low tide. [1]"
KEEPER = "The lighthouse of Selm is kept by Ada Moor. [1]"
WRONG = "The lighthouse of Selm is kept by Tom Reed. [1]"


def model(patches: list[dict[str, Any]]) -> Any:
    """Writes the depth alone, finds fault with that once, and mends it with `patches`."""
    graded = 0

    def says(request: dict[str, Any]) -> str:
        nonlocal graded
        if "response_format" not in request:
            return DEEP
        properties = request["response_format"]["json_schema"]["schema"]["properties"]
        if "patches" in properties:
            return json.dumps({"patches": patches})
        if "depth" not in properties:
            return answer(request)
        graded += 1
        score = 9.5 if graded > 1 else 5
        names = ("depth", "relevance", "completeness", "specificity", "structure")
        problem = {"sentence": 1, "problem": "it does not say who keeps the lighthouse"}
        problems = [problem] if graded == 1 else []
        return json.dumps(dict.fromkeys(names, score) | {"problems": problems})

    return says


def revised(
    tmp_path: Path, patches: list[dict[str, Any]], task: str = TASK
) -> tuple[AgentResponse, RunFile, Log]:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "book.md").write_text(BOOK)

    async def whole(url: str) -> tuple[AgentResponse, RunFile]:
        settings = Settings(
            data_dir=tmp_path / "data", docs=(docs,), model=f"vllm:small@{url}", revise=2
        )
        async with open_session(settings) as session:
            session.prepare()
            run_id = await session.start(task)
            response = await session.response(run_id)
            return response, (await session.export(run_id)).content

    with serving(32_768, model(patches)) as (url, log):
        return *asyncio.run(whole(url)), log


@pytest.mark.contract("Q1", "Q2", "Q4", "W7", "R8")
def test_a_revised_report_holds_the_patch_its_scores_and_its_proof(tmp_path: Path) -> None:
    response, content, log = revised(tmp_path, [{"sentence": 1, "text": f"{DEEP} {KEEPER}"}])
    assert DEEP in response.final_answer
    assert KEEPER in response.final_answer
    assert response.revision is not None
    assert response.revision.best == 1
    assert response.revision.first.quality.judge == "vllm:small"
    assert response.revision.rounds[0].quality.total > response.revision.first.quality.total
    roles = [call.role for call in response.calls]
    assert roles.count("evaluator") == 2
    assert len(response.calls) == len(log.prompts) == len(set(log.prompts))
    line = json.loads((tmp_path / "data" / "runs.jsonl").read_text())
    assert line["revision"]["first"]["quality"]["total"] == response.revision.first.quality.total
    found = asyncio.run(verify_file(written(content), "x.leadline", embedder()))
    assert found.passed, (found.contradictions, [one.why for one in found.checks])
    assert asyncio.run(replay(content)).equal


@pytest.mark.contract("Q2", "W3")
def test_a_patch_of_a_model_that_the_sources_do_not_bear_out_does_not_ship(tmp_path: Path) -> None:
    response, content, _ = revised(tmp_path, [{"sentence": 1, "text": f"{DEEP} {WRONG}"}])
    assert "Tom Reed" not in response.final_answer
    assert response.revision is not None
    assert response.revision.best == 0
    assert re.search("borne out", response.revision.ended)
    assert asyncio.run(replay(content)).equal


@pytest.mark.contract("P5", "R8", "L8")
def test_a_model_writes_a_comparison_in_one_go_and_it_is_replayed(tmp_path: Path) -> None:
    task = "Compare Selm with Graufeld."
    response, content, _ = revised(tmp_path, [], task)
    steps = [(record["name"], record.get("child", "")) for record in content.records]
    assert {child for name, child in steps if name == "search"} == {"1", "2"}
    assert [child for name, child in steps if name == "write"][:1] == [""]
    assert response.plan is not None
    assert len(response.plan.subtasks) == 2
    assert asyncio.run(replay(content)).equal
