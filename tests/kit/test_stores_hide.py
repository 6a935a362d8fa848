"""What is stored of a failed run has no key in it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from leadline.errors import RunStopped
from leadline.fields.secret import SecretText
from leadline.kit.stores import open_engine
from leadline.ports import Run
from leadline.settings import Settings

KEY = "sk-planted-and-secret"


@pytest.mark.contract("X2")
def test_a_key_in_an_unforeseen_error_is_not_stored(tmp_path: Path) -> None:
    async def body(run: Run, request: dict[str, Any]) -> None:
        raise ValueError(f"refused with {KEY}")

    async def scene() -> str:
        engine = open_engine(Settings(data_dir=tmp_path, openai_api_key=SecretText(KEY)), body)
        try:
            await engine.start("task", {}, "r")
            with pytest.raises(RunStopped) as stopped:
                await engine.result("r")
            return str(stopped.value)
        finally:
            await engine.close()

    assert "refused with ***" in asyncio.run(scene())
    assert not any(KEY.encode() in path.read_bytes() for path in tmp_path.rglob("*.db*"))
