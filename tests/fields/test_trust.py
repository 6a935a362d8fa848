"""A settings file that was only found sets nothing that could run, reach or read something."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import get_args

import pytest

from leadline.errors import BadInput
from leadline.fields.addresses import Address
from leadline.fields.secret import SecretText
from leadline.fields.trust import ConfigFile, TrustedFiles
from leadline.settings import Settings, load, trusted_files

pytestmark = pytest.mark.contract("X4")

ADDRESS_BOUNDS = get_args(Address)[1:]
# What names a command, a model with its server, code, a host or a guard, beside what types tell.
BY_NAME = {
    *("mcp_server", "mcp_tool", "search_providers", "fetch_allow_hosts", "serve_host"),
    *("serve_hosts", "model", "planner_model", "producer_model", "compressor_model"),
    *("evaluator_model", "vision_model", "scan", "scan_results", "scan_pages"),
    *("scan_documents", "scan_images", "scan_memory", "reader", "engine_url"),
}
BY_FOLDER = {"docs", "image_folders", "serve_folders"}


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return {"HOME": str(tmp_path / "home"), "XDG_CONFIG_HOME": str(tmp_path / "config")}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def written(folder: Path, text: str) -> Path:
    path = folder / "leadline.toml"
    path.write_text(text, "utf-8")
    return path


def trusted(path: Path, env: dict[str, str]) -> None:
    trusted_files(env).add(path, path.read_bytes())


def left_out(env: dict[str, str]) -> tuple[str, ...]:
    files: list[ConfigFile] = []
    load(env=env, tell=files.append)
    return files[0].left_out


def test_every_setting_that_runs_or_reaches_something_says_that_it_needs_trust() -> None:
    declared = Settings.declared.items()
    by_type = {
        name
        for name, one in declared
        if isinstance(one.default, SecretText)
        or set(one.bounds) & set(ADDRESS_BOUNDS)
        or one.kind is Path
    }
    assert {name for name, one in declared if one.needs_trust == "yes"} == by_type | BY_NAME
    assert {name for name, one in declared if one.kind == tuple[Path, ...]} == BY_FOLDER
    assert {name for name, one in declared if one.needs_trust == "outside"} == BY_FOLDER


def test_harmless_settings_of_a_file_that_was_found_count(here: Path, env: dict[str, str]) -> None:
    written(here, 'max_iters = 3\nmcp_server = "evil"\n[model]\nbase_url = "http://a.example"\n')
    settings = load(env=env)
    assert (settings.max_iters, settings.mcp_server, settings.model_base_url) == (3, "", "")
    assert left_out(env) == ("mcp_server", "model.base_url")


def test_flags_and_the_environment_count_whatever_the_file_says(
    here: Path, env: dict[str, str]
) -> None:
    written(here, 'mcp_server = "evil"\nmodel = "openai:x"\n')
    settings = load(env=env | {"RESEARCH_MCP_SERVER": "mine"}, overrides={"model": "ollama:y"})
    assert (settings.mcp_server, settings.model) == ("mine", "ollama:y")


def test_a_file_that_is_named_counts_whole(here: Path, env: dict[str, str]) -> None:
    path = written(here, 'mcp_server = "mine"\n')
    assert load(config=path, env=env).mcp_server == "mine"


def test_a_trusted_file_counts_whole_until_it_changes(here: Path, env: dict[str, str]) -> None:
    path = written(here, 'mcp_server = "mine"\n')
    trusted(path, env)
    assert load(env=env).mcp_server == "mine"
    written(here, 'mcp_server = "mine" \n')
    assert load(env=env).mcp_server == ""
    written(here, 'mcp_server = "mine"\n')
    assert load(env=env).mcp_server == "mine"
    trusted_files(env).remove(path)
    assert load(env=env).mcp_server == ""


def test_the_same_words_in_another_folder_are_not_trusted(
    here: Path, tmp_path: Path, env: dict[str, str]
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    trusted(written(other, 'prompts = "prompts"\n'), env)
    written(here, 'prompts = "prompts"\n')
    assert load(env=env).prompts is None


def test_a_link_to_a_trusted_file_is_not_trusted_and_a_linked_folder_is(
    tmp_path: Path, env: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    real, linking = tmp_path / "real", tmp_path / "linking"
    real.mkdir()
    linking.mkdir()
    path = written(real, 'prompts = "prompts"\n')
    trusted(path, env)
    (linking / "leadline.toml").symlink_to(path)
    (tmp_path / "alias").symlink_to(real)
    monkeypatch.chdir(linking)
    assert load(env=env).prompts is None
    monkeypatch.chdir(tmp_path / "alias")
    assert load(env=env).prompts is not None


def test_documents_inside_the_folder_count_and_others_do_not(
    here: Path, tmp_path: Path, env: dict[str, str]
) -> None:
    outside = tmp_path / "secrets"
    outside.mkdir()
    (here / "notes").mkdir()
    (here / "link").symlink_to(outside)
    (here / "circle").symlink_to(here / "circle")
    folders = ["notes", "../secrets", "link", str(outside), "~/x", "~nobody-known/x", "circle"]
    written(here, f"docs = {folders!r}\n")
    assert load(env=env).docs == (here / "notes",)
    assert left_out(env) == tuple(f"docs ({folder})" for folder in folders[1:])


def test_code_that_the_file_names_is_not_loaded(
    here: Path, env: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "evil_search.py").write_text("raise SystemExit('loaded')\n")
    monkeypatch.syspath_prepend(here)
    written(here, 'search_providers = ["evil_search:Own"]\nevil_url = "http://a.example"\n')
    assert load(env=env).search_providers == ("ddgs",)
    assert left_out(env) == ("search_providers", "evil_url")


def test_settings_of_a_provider_of_ones_own_count_only_when_trusted(
    here: Path, env: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "own_search.py").write_text(
        "from dataclasses import dataclass\n@dataclass(frozen=True)\nclass Own:\n"
        "    name = 'own'\n    own_url: str = ''\n"
        "    async def search(self, query, k): return ()\n"
    )
    monkeypatch.syspath_prepend(here)
    mine = env | {"RESEARCH_SEARCH_PROVIDERS": "own_search:Own"}
    path = written(here, 'own_url = "http://a.example"\n')
    assert not load(env=mine).own
    trusted(path, env)
    assert load(env=mine).own == {"own_url": "http://a.example"}


def test_a_mistyped_setting_is_refused_all_the_same(here: Path, env: dict[str, str]) -> None:
    written(here, "max_iter = 3\n")
    with pytest.raises(BadInput, match="did you mean max_iters"):
        load(env=env)


def test_a_program_is_told_in_its_log(
    here: Path, env: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    written(here, 'mcp_server = "evil"\n')
    with caplog.at_level(logging.WARNING, "leadline"):
        load(env=env)
    assert "without: mcp_server" in caplog.text
    assert f"leadline trust {here / 'leadline.toml'}" in caplog.text


def test_a_damaged_record_trusts_nothing(here: Path, tmp_path: Path, env: dict[str, str]) -> None:
    path = written(here, 'mcp_server = "mine"\n')
    trusted(path, env)
    for record in (tmp_path / "config").rglob("*.json"):
        record.write_text("[]")
    assert load(env=env).mcp_server == ""
    assert list(TrustedFiles.of(env)) == []
