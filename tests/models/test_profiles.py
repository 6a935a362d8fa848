"""What was learnt about a model is kept between runs (L5)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from leadline.errors import StoreBroken
from leadline.models.profiles import (
    Profile,
    change_profiles,
    learnt,
    read_profiles,
    write_profiles,
)
from leadline.types import Call


def call(tokens: int, letters: float, error: str = "", model: str = "ollama:q") -> Call:
    return Call("planner", model, tokens, 10, 0.0, 1.0, error, letters)


@pytest.mark.contract("L5")
def test_calls_tell_how_a_model_counts() -> None:
    calls = [call(2000, 6000.0)] * 12
    assert learnt({}, calls)["ollama:q"].chars_per_token == pytest.approx(3.0, abs=0.01)


@pytest.mark.contract("L5")
def test_calls_that_tell_nothing_change_nothing() -> None:
    before = {"ollama:q": Profile(3.5, 4096)}
    silent = [call(0, 6000.0), call(500, 0.0), call(50, 120.0), call(2000, 6000.0, "cancelled")]
    assert learnt(before, silent) == before
    assert learnt(before, [call(2000, 6000.0)])["ollama:q"].window == 4096


@pytest.mark.contract("L5")
def test_profiles_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "data" / "models.json"
    profiles = {"ollama:q": Profile(3.2, 4096), "vllm:é": Profile()}
    write_profiles(path, profiles)
    write_profiles(path, profiles)
    assert read_profiles(path) == profiles
    assert [file.name for file in path.parent.iterdir()] == ["models.json"]


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"q": 5}', '{"q": {"chars_per_token": 0}}', '{"q": {"window": "x"}}']
)
def test_a_broken_file_is_as_good_as_none(tmp_path: Path, text: str) -> None:
    path = tmp_path / "models.json"
    path.write_text(text, "utf-8")
    assert read_profiles(path) == {}
    assert read_profiles(tmp_path / "nowhere") == {}


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    with pytest.raises(StoreBroken, match=r"models\.json"):
        write_profiles(tmp_path / "file" / "models.json", {})


@pytest.mark.contract("L6")
def test_nobody_undoes_what_another_has_learnt_meanwhile(tmp_path: Path) -> None:
    path = tmp_path / "models.json"

    def learn(number: int) -> None:
        for window in range(1, 6):
            new = {f"m:{number}": Profile(window=window)}
            change_profiles(path, new.__ror__)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(learn, range(8)))
    assert read_profiles(path) == {f"m:{number}": Profile(window=5) for number in range(8)}


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreBroken, match="cannot write"):
        change_profiles(tmp_path / "file" / "models.json", lambda kept: kept)
