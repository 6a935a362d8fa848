"""One machine on nothing, many on both servers: what is half set is refused with the way out."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from leadline.cli.app import outcome
from leadline.errors import BadInput
from leadline.session import run_research_sync
from leadline.settings import Settings
from leadline.store.locks import FileLock
from leadline.types import Plan

DATABASE = {"RESEARCH_STORE_URL": "postgresql://u:hunter2@127.0.0.1:9/db"}
ENGINE = {"RESEARCH_ENGINE_URL": "temporal://127.0.0.1:9/default"}


def told(folder: Path, *command: str, env: dict[str, str]) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-m", "leadline", *command, "--data-dir", str(folder)],
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return done.returncode, done.stderr


@pytest.mark.contract("H5", "U2")
def test_a_worker_on_one_machine_is_told_that_it_needs_the_servers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert outcome(["worker", "--data-dir", str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert "store_url" in said
    assert "engine_url" in said
    assert "docs/scale.md" in said


@pytest.mark.contract("H5")
@pytest.mark.parametrize("half", [DATABASE, ENGINE])
def test_one_server_without_the_other_is_refused(tmp_path: Path, half: dict[str, str]) -> None:
    code, said = told(tmp_path, "runs", "list", env=half)
    assert code == 2
    assert "belong together" in said
    assert "hunter2" not in said


@pytest.mark.contract("H5")
def test_a_plan_that_a_worker_makes_is_reviewed_on_the_page(tmp_path: Path) -> None:
    async def review(task: str, plan: Plan) -> Plan:
        return plan

    settings = Settings(data_dir=tmp_path, engine_url=ENGINE["RESEARCH_ENGINE_URL"])
    with pytest.raises(BadInput, match="reviewed on the page"):
        run_research_sync("Who approves refunds?", settings=settings, review=review)


@pytest.mark.contract("H5")
def test_a_second_service_over_the_same_folder_says_so_and_names_the_way(tmp_path: Path) -> None:
    first = FileLock(tmp_path / "serve.lock")
    assert first.take()
    code, said = told(tmp_path, "serve", "--port", "0", env={})
    first.free()
    assert code == 2
    assert "another leadline serve" in said
    assert "engine_url" in said


@pytest.mark.contract("H5", "H6")
def test_a_question_on_one_machine_loads_nothing_of_many(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# Refunds\n\nMs Abel approves every refund.\n")
    code = (
        "import sys, leadline\n"
        "leadline.run_research_sync('Who approves refunds?', docs=('docs',), web=False,"
        " no_model=True, data_dir='data')\n"
        "print(sorted({'temporalio', 'psycopg'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
