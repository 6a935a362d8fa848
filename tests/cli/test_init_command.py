"""`leadline init` writes a settings file that is right as it stands and when lines are let in."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from fake_runs import Told

from leadline.settings import CONFIG_NAME, load

pytestmark = pytest.mark.contract("U2")
Call = Callable[..., Told]


def test_what_was_asked_for_is_set_and_paths_are_told_from_the_file(
    call: Call, tmp_path: Path
) -> None:
    (tmp_path / "notes").mkdir()
    asked = ("--docs", str(tmp_path / "notes"), "--tier", "deep", "--provider", "wikipedia")
    told = call("init", str(tmp_path), *asked)
    assert told.code == 0
    written = tomllib.loads((tmp_path / CONFIG_NAME).read_text("utf-8"))
    assert written.pop("data_dir") == "data"
    assert written == {"docs": ["notes"], "tier": "deep", "search_providers": ["wikipedia"]}
    assert load(config=tmp_path / CONFIG_NAME, env={}).docs == (tmp_path / "notes",)


def test_every_line_that_is_commented_out_is_a_setting_that_may_be_let_in(
    call: Call, tmp_path: Path
) -> None:
    assert call("init", str(tmp_path)).code == 0
    path = tmp_path / CONFIG_NAME
    lines = path.read_text("utf-8").splitlines()
    assert list(tomllib.loads("\n".join(lines))) == ["data_dir"]
    let_in = [line.removeprefix("# ") if " = " in line else line for line in lines]
    path.write_text("\n".join(let_in), "utf-8")
    settings = load(config=path, env={})
    assert settings.max_queries == 10
    assert settings.model == "ollama:qwen3"


def test_a_file_that_is_there_is_kept_unless_forced(call: Call, tmp_path: Path) -> None:
    path = tmp_path / CONFIG_NAME
    path.write_text("tier = 'simple'\n", "utf-8")
    told = call("init", str(tmp_path))
    assert told.code == 2
    assert "--force" in told.err
    assert path.read_text("utf-8") == "tier = 'simple'\n"
    assert call("init", str(tmp_path), "--force").code == 0
    assert "tier = 'simple'" not in path.read_text("utf-8")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--tier", "big"), "simple, standard, deep"),
        (("--docs", "not/here"), "not a folder or file"),
        (("missing",), "cannot write"),
    ],
)
def test_a_wrong_value_writes_nothing(
    call: Call, tmp_path: Path, given: tuple[str, ...], said: str
) -> None:
    where = () if given == ("missing",) else (str(tmp_path),)
    told = call("init", *where, *(str(tmp_path / "no") if g == "missing" else g for g in given))
    assert told.code == 2
    assert said in told.err
    assert not (tmp_path / CONFIG_NAME).exists()
