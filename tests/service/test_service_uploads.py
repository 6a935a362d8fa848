"""Uploads are swept and refused without an accident, whatever the disk and the store do."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from leadline.errors import StoreBroken
from leadline.ports import RunInfo
from leadline.service.refusals import Refused
from leadline.service.uploads import keep, tidying, uploads_of
from leadline.settings import Settings


@pytest.mark.contract("H3")
def test_a_store_that_is_away_for_a_moment_does_not_end_the_sweeping(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, serve_upload_days=1)
    old = uploads_of(settings) / ("0" * 32)

    async def whole() -> None:
        asked = 0

        async def runs() -> list[RunInfo]:
            nonlocal asked
            asked += 1
            if asked < 3:
                raise StoreBroken("the database is restarted")
            sweeping.cancel()
            return []

        sweeping = asyncio.ensure_future(tidying(settings, runs, every_s=0.0))
        await asyncio.wait({sweeping}, timeout=20)
        assert asked == 3
        assert sweeping.cancelled()

    old.mkdir(parents=True)
    asyncio.run(whole())


@pytest.mark.contract("H3")
def test_a_folder_that_cannot_be_made_is_told_as_unavailable(tmp_path: Path) -> None:
    (tmp_path / "service").write_text("a file where the folder should be")
    with pytest.raises(Refused) as told:
        keep(Settings(data_dir=tmp_path), "notes.md", b"# Notes")
    assert told.value.status == 503
