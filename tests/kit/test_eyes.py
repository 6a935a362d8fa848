"""What a run looks at images with: the model, then the reader of text, else a note (V2)."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path

import pytest

from leadline.errors import ReasonerFailed, SourceLost
from leadline.fakes.sight import FakeSight
from leadline.kit.eyes import image_files, look_with
from leadline.ports import Sight
from leadline.settings import Settings, load
from pictures import png

TODAY = datetime(2026, 1, 2, tzinfo=UTC)


def look(folder: Path, *eyes: Sight, name: str = "a.png") -> str:
    (folder / "a.png").write_bytes(png())
    files = image_files(Settings(image_folders=(folder,), data_dir=folder))

    async def looked() -> str:
        return await look_with(files, eyes)(str(folder / name), "what?", TODAY)

    return asyncio.run(looked())


@pytest.mark.contract("V2")
def test_the_first_that_can_see_is_asked(tmp_path: Path) -> None:
    reader = FakeSight("words")
    assert look(tmp_path, FakeSight("a chart"), reader) == "a chart"
    assert not reader.asked


@pytest.mark.contract("V2", "L3")
def test_when_the_model_fails_the_text_is_read_instead(tmp_path: Path) -> None:
    blind = FakeSight({png(): ReasonerFailed("the model is down")})
    assert look(tmp_path, blind, FakeSight("words")) == "words"
    with pytest.raises(SourceLost, match="the model is down"):
        look(tmp_path, blind)


@pytest.mark.contract("V2")
def test_with_nothing_to_see_with_it_is_said_how_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(SourceLost, match=r"pip install '\.\[ocr\]'"):
        look(tmp_path)


@pytest.mark.contract("V2")
def test_no_sight_is_asked_about_a_file_that_may_not_be_opened(tmp_path: Path) -> None:
    sight = FakeSight("a chart")
    with pytest.raises(SourceLost, match="No such file"):
        look(tmp_path, sight, name="gone.png")
    assert not sight.asked


@pytest.mark.contract("V2", "S19")
def test_folders_and_limits_come_from_the_settings(tmp_path: Path) -> None:
    given = {"RESEARCH_IMAGE_FOLDERS": f"{tmp_path}:{tmp_path / 'b'}", "RESEARCH_IMAGE_MAX_MB": "2"}
    files = image_files(load(env=given | {"HOME": str(tmp_path)}))
    assert list(files.folders) == [Path.cwd(), tmp_path, tmp_path / "b"]
    assert files.max_bytes == 2_000_000
