"""What models answered is deleted once a run is finished, and not a row before."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from leadline.errors import BadInput, RunStopped
from leadline.kit.stores import prune_calls
from leadline.models.kept import FILE_NAME, CallBook, FileCalls, Size, kept_runs
from leadline.ports import Run
from leadline.settings import Settings
from leadline.store.engine import DurableEngine
from leadline.types import Completion


async def body(run: Run, request: dict[str, Any]) -> Any:
    if request["task"] == "fails":
        raise BadInput("as it was told to")
    return "done"


def answered(folder: Path, run_id: str) -> None:
    book = CallBook(folder, run_id)
    book.keep("a prompt", "planner", Completion("an answer"))
    book.note_size("planner", Size(4000, 4.0))
    book.close()


def left(folder: Path) -> list[str]:
    table = FileCalls(folder)
    try:
        return kept_runs(table)
    finally:
        table.close()


@pytest.mark.contract("R9", "L5")
def test_calls_of_finished_runs_go_and_those_that_may_be_resumed_stay(tmp_path: Path) -> None:
    async def whole() -> int:
        async with DurableEngine(tmp_path, body) as engine:
            for run_id in ("ends", "fails", "ends too"):
                await engine.start(run_id, {}, run_id)
                answered(tmp_path, run_id)
            answered(tmp_path, "nobody's")
            await engine.result("ends")
            await engine.result("ends too")
            with pytest.raises(RunStopped):
                await engine.result("fails")
            return await prune_calls(Settings(data_dir=tmp_path), engine)

    assert asyncio.run(whole()) == 2
    assert left(tmp_path) == ["fails", "nobody's"]
    book = CallBook(tmp_path, "fails")
    assert book.answer("a prompt") is not None
    assert book.size("planner") == Size(4000, 4.0)
    assert CallBook(tmp_path, "ends").size("planner") is None


@pytest.mark.contract("R9")
def test_a_book_that_cannot_be_read_withholds_no_report(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text("this is no database, whatever its name says" * 40)

    async def whole() -> int:
        async with DurableEngine(tmp_path, body) as engine:
            return await prune_calls(Settings(data_dir=tmp_path), engine)

    assert asyncio.run(whole()) == 0


@pytest.mark.contract("R9")
def test_a_run_without_models_makes_no_book(tmp_path: Path) -> None:
    async def whole() -> int:
        async with DurableEngine(tmp_path, body) as engine:
            return await prune_calls(Settings(data_dir=tmp_path), engine)

    assert asyncio.run(whole()) == 0
    assert not (tmp_path / FILE_NAME).exists()
