"""Settings become tools, or a clear refusal before anything is spent."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from leadline.errors import BadInput
from leadline.kit import open_kit, prepare, uses_web
from leadline.settings import Settings
from leadline.types import Query


def settings(folder: Path, **given: Any) -> Settings:
    return Settings(data_dir=folder / "data", **given)


def test_nothing_to_search_is_refused_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="--docs PATH"):
        prepare(settings(tmp_path, web=False))


@pytest.mark.contract("S1")
def test_a_provider_without_its_setting_is_refused_before_the_run(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="RESEARCH_SEARXNG_URL"):
        prepare(settings(tmp_path, search_providers=("searxng",)))


@pytest.mark.contract("S1")
def test_an_unknown_provider_is_refused_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="did you mean searxng"):
        prepare(settings(tmp_path, search_providers=("searxgn",)))


@pytest.mark.contract("D7")
def test_the_web_is_searched_only_where_no_documents_are_given(tmp_path: Path) -> None:
    assert uses_web(settings(tmp_path))
    assert not uses_web(settings(tmp_path, docs=(tmp_path,)))
    assert uses_web(settings(tmp_path, docs=(tmp_path,), web=True))


@pytest.mark.contract("D1")
def test_two_folders_are_searched_as_one(tmp_path: Path) -> None:
    for name in ("tides", "ropes"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "page.md").write_text(f"# {name}\n\nThe harbour master measures {name} daily.\n")
    chosen = settings(tmp_path, docs=(tmp_path / "tides", tmp_path / "ropes"))
    prepare(chosen)

    async def found() -> tuple[str, ...]:
        async with open_kit(chosen) as kit:
            batch = await kit.find(Query("harbour master"), 10)
            pages = [await kit.fetcher.fetch(hit) for hit in batch.hits]
            assert [page.url for page in pages] == [hit.url for hit in batch.hits]
            return tuple(hit.url for hit in batch.hits)

    assert set(asyncio.run(found())) == {"tides/page.md", "ropes/page.md"}


@pytest.mark.contract("S19")
@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"prompts": Path("nowhere")}, "the folder of prompts does not exist"),
        ({"search_providers": ("wikipeda",)}, "did you mean wikipedia"),
    ],
)
def test_what_is_mistyped_is_refused_also_where_it_would_not_be_used(
    tmp_path: Path, wrong: dict[str, Any], said: str
) -> None:
    (tmp_path / "a.md").write_text("Some words.")
    with pytest.raises(BadInput, match=said):
        prepare(Settings(data_dir=tmp_path / "data", docs=(tmp_path,), no_model=True, **wrong))
