"""Settings: four origins, later wins, and a wrong value is refused by name."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.errors import BadInput
from leadline.hidden import Hidden
from leadline.settings import (
    BY_TIER,
    MAX_TASK_CHARS,
    Settings,
    check_task,
    limits,
    load,
    rules,
)
from leadline.types import Rules, Tier
from leadline.values import field_names, replace

ROOT = Path(__file__).resolve().parents[1]


def written(folder: Path, text: str) -> Path:
    path = folder / "leadline.toml"
    path.write_text(text, "utf-8")
    return path


@pytest.mark.contract("S19")
def test_a_later_origin_wins(tmp_path: Path) -> None:
    config = written(tmp_path, "max_iters = 3\nmax_queries = 4\nmax_sources = 6\n")
    env = {"RESEARCH_MAX_QUERIES": "7", "RESEARCH_MAX_SOURCES": "8"}
    settings = load(config, env, {"max_sources": 9})
    assert (settings.max_iters, settings.max_queries, settings.max_sources) == (3, 7, 9)
    assert settings.seed == Settings.declared["seed"].default


@pytest.mark.contract("S19")
def test_the_names_of_the_contract_are_read_from_the_environment() -> None:
    env = {
        "RESEARCH_MAX_ITERS": "1",
        "RESEARCH_MAX_QUERIES": "2",
        "RESEARCH_MAX_SOURCES": "3",
        "RESEARCH_MAX_EXECUTION_TIME_S": "4.5",
        "RESEARCH_TOKEN_BUDGET": "5",
        "RESEARCH_DATA_DIR": "/somewhere",
    }
    settings = load(None, env, {})
    assert limits(settings, Tier.DEEP) == replace(
        limits(Settings(), Tier.DEEP),
        max_iters=1,
        max_queries=2,
        max_sources=3,
        max_execution_time_s=4.5,
        token_budget=5,
    )
    assert settings.data_dir == Path("/somewhere")


@pytest.mark.contract("C1", "S19")
def test_the_chunk_budget_has_two_names_and_ours_wins() -> None:
    assert load(None, {"HARNESS_CHUNK_BUDGET": "9000"}, {}).chunk_budget == 9000
    both = {"HARNESS_CHUNK_BUDGET": "9000", "RESEARCH_CHUNK_BUDGET": "8000"}
    assert load(None, both, {}).chunk_budget == 8000


@pytest.mark.contract("S19")
def test_tables_of_the_file_are_the_first_part_of_a_name(tmp_path: Path) -> None:
    config = written(tmp_path, "[novelty]\nthreshold = 4\nepsilon = 0\n")
    settings = load(config, {}, {})
    assert (settings.novelty_threshold, settings.novelty_epsilon) == (4, 0)


def test_paths_in_the_file_are_relative_to_the_file(tmp_path: Path) -> None:
    config = written(tmp_path, 'docs = ["handbook", "/else"]\ndata_dir = "kept"\n')
    settings = load(config, {}, {})
    assert settings.docs == (tmp_path / "handbook", Path("/else"))
    assert settings.data_dir == tmp_path / "kept"


def test_documents_in_the_environment_are_separated_like_a_path() -> None:
    settings = load(None, {"RESEARCH_DOCS": os.pathsep.join(("/a", "/b"))}, {})
    assert settings.docs == (Path("/a"), Path("/b"))


def test_an_empty_variable_counts_as_unset() -> None:
    assert load(None, {"RESEARCH_MAX_ITERS": " "}, {}).max_iters is None


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"max_queries": "-1"}, "max_queries must be a whole number, at least 1"),
    ({"max_queries": "many"}, "got 'many'"),
    ({"max_execution_time_s": "inf"}, "max_execution_time_s must be a number"),
    ({"max_execution_time_s": "nan"}, "max_execution_time_s must be a number"),
    ({"tier": "deeep"}, "one of simple, standard, deep"),
    ({"policy": "none"}, "one of fixed, saturation, reflective"),
    ({"novelty_threshold": "11"}, "at most 10"),
    ({"novelty_epsilon": "1.5"}, "at most 1"),
    ({"seed": "0.5"}, "seed must be a whole number"),
    ({"since": "yesterday"}, "since must be a date: YYYY, YYYY-MM or YYYY-MM-DD"),
    ({"until": "2024-99-99"}, "until must be a date: YYYY, YYYY-MM or YYYY-MM-DD"),
    ({"since": "2023-13"}, "since must be a date: YYYY, YYYY-MM or YYYY-MM-DD"),
    ({"otel_endpoint": "there"}, "otel_endpoint must be an address such as http://host:port"),
    ({"searxng_url": "http://[half"}, "searxng_url must be an address"),
    ({"model_base_url": "http://h:99999"}, "model_base_url must be an address"),
    ({"opensearch_url": "https://a host"}, "opensearch_url must be an address"),
    ({"memory_chroma_url": "ftp://x"}, "memory_chroma_url must be an address"),
    ({"wikipedia_language": "ENGLISH"}, r"wikipedia_language must be text like \^\[a-z-\]"),
]


@pytest.mark.contract("S19")
@pytest.mark.parametrize("name", ["fetch_allow_hosts", "allow_domains", "deny_domains"])
@pytest.mark.parametrize("value", ["http://[::1", "wiki.local,[half", "a b", "https://"])
def test_a_list_of_hosts_or_domains_is_refused_where_one_of_them_names_none(
    name: str, value: str
) -> None:
    with pytest.raises(BadInput, match=f"{name} must be (hosts|domains) such as"):
        load(None, {f"RESEARCH_{name.upper()}": value}, {})


@pytest.mark.contract("S19", "E4")
@pytest.mark.parametrize("value", ["127.0.0.1:x", "127.0.0.1:99999", "*", "http://127.0.0.1/"])
def test_a_host_that_is_to_be_fetched_is_a_name_with_or_without_a_port(value: str) -> None:
    with pytest.raises(BadInput, match="fetch_allow_hosts must be hosts such as"):
        load(None, {"RESEARCH_FETCH_ALLOW_HOSTS": value}, {})


@pytest.mark.contract("S19")
@pytest.mark.parametrize(("flags", "said"), WRONG, ids=[str(flags) for flags, _ in WRONG])
def test_a_wrong_value_is_refused_with_name_origin_and_what_is_allowed(
    flags: dict[str, Any], said: str
) -> None:
    with pytest.raises(BadInput, match=said):
        load(None, {}, flags)
    (name, value), *_ = flags.items()
    with pytest.raises(BadInput) as told:
        load(None, {f"RESEARCH_{name.upper()}": value}, {})
    assert name in str(told.value)
    assert repr(value) in str(told.value)
    assert f"in the variable RESEARCH_{name.upper()}" in str(told.value)


@pytest.mark.contract("S19")
def test_all_wrong_values_of_an_origin_are_told_at_once() -> None:
    with pytest.raises(BadInput) as told:
        load(None, {}, {"max_iters": "0", "gate": "maybe"}, flags=True)
    assert "with --max-iters" in str(told.value)
    assert "with --gate" in str(told.value)


@pytest.mark.contract("S19")
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('max_iters = "3"', "max_iters must be a whole number"),
        ("max_iters = true", "max_iters must be a whole number"),
        ("max_iters = 1979-05-27", "max_iters must be a whole number"),
        ("docs = 'handbook'", "docs must be paths"),
        ("docs = [1]", "docs must be paths"),
        ("novelty_threshold = inf", "novelty_threshold must be a number"),
        ("max_itres = 3", "did you mean max_iters"),
        ("[novelty]\ntreshold = 3", "did you mean novelty_threshold"),
        ("max_iters = 3\n[max]\niters = 4", "sets max_iters twice"),
        ("max_iters = ", "is not valid TOML"),
    ],
)
def test_a_wrong_file_is_refused_with_its_path(tmp_path: Path, text: str, said: str) -> None:
    config = written(tmp_path, text)
    with pytest.raises(BadInput, match=said) as told:
        load(config, {}, {})
    assert str(config) in str(told.value)


def test_a_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    config = tmp_path / "leadline.toml"
    config.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadInput, match="not valid TOML"):
        load(config, {}, {})


def test_a_named_file_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot read the settings file"):
        load(tmp_path / "none.toml", {}, {})
    with pytest.raises(BadInput, match="cannot read the settings file"):
        load(tmp_path, {}, {})


@pytest.mark.contract("S19")
@pytest.mark.parametrize(
    ("env", "hint"),
    [
        ({"RESEARCH_MAX_ITER": "3"}, "did you mean RESEARCH_MAX_ITERS"),
        ({"RESEARCH_QQQ": "3"}, "unknown setting: the variable RESEARCH_QQQ"),
    ],
)
def test_an_unknown_variable_is_refused(env: dict[str, str], hint: str) -> None:
    with pytest.raises(BadInput, match=hint):
        load(None, env, {})


def test_an_unknown_option_is_refused() -> None:
    with pytest.raises(BadInput, match="did you mean max_sources"):
        load(None, {}, {"max_source": 3})


@pytest.mark.contract("R6")
def test_a_tier_sets_what_the_user_did_not() -> None:
    settings = Settings(max_queries=4)
    seen = [
        (each.max_iters, each.max_queries, each.max_sources, each.max_execution_time_s)
        for each in (limits(settings, tier) for tier in Tier)
    ]
    assert seen == [(2, 4, 5, 60), (5, 4, 15, 90), (10, 4, 20, 120)]
    assert [limits(Settings(), tier).max_queries for tier in Tier] == [3, 10, 15]


@pytest.mark.contract("E1", "G1", "R5")
def test_the_rules_of_a_run_are_the_numbers_of_the_contract() -> None:
    assert rules(Settings(), Tier.STANDARD) == Rules(
        novelty_threshold=3,
        novelty_epsilon=0.15,
        knowledge_max_chars=1500,
        searches_per_task=2,
        max_search_rounds=5,
        url_enrich_count=5,
        chunk_budget=12_000,
        page_max_chars=8000,
    )
    assert rules(Settings(), Tier.DEEP).url_enrich_count > 2
    assert rules(Settings(url_enrich_count=0), Tier.DEEP).url_enrich_count == 0


NAMED: dict[str, Any] = {  # rules that are words, each with one that is not the default
    "policy": "fixed",
    "gate": "none",
    "subtasks": "off",
    "stop_rule": "gate",
}


def test_every_rule_comes_from_a_setting_of_the_same_name() -> None:
    for name in field_names(Rules):
        if name in NAMED:
            assert (
                getattr(rules(Settings(**{name: NAMED[name]}), Tier.STANDARD), name) == NAMED[name]
            )
            continue
        low: Any = Settings.declared[name].bounds[0].ge
        assert getattr(rules(Settings(**{name: low}), Tier.STANDARD), name) == low


@pytest.mark.contract("R8")
def test_what_is_stored_with_a_run_can_be_restored(tmp_path: Path) -> None:
    made = load(None, {}, {"docs": ("a", "b"), "tier": "deep", "seed": 7, "data_dir": "x"})
    stored = json.loads(json.dumps(made.public()))
    assert "data_dir" not in stored
    now = Settings(data_dir=tmp_path, log_level="debug")
    assert Settings.restore({**stored, "gone_since": 1}, now) == made.but(
        data_dir=tmp_path, log_level="debug"
    )


@given(st.integers())
def test_any_number_is_taken_or_refused_by_name(number: int) -> None:
    flags = {"max_queries": str(number)}
    if 1 <= number <= 1000:
        assert load(None, {}, flags).max_queries == number
    else:
        with pytest.raises(BadInput, match=r"^max_queries must be"):
            load(None, {}, flags)


@given(st.text(max_size=30), st.sampled_from(sorted(Settings.declared)))
def test_any_text_in_a_variable_is_taken_or_refused_by_name(text: str, name: str) -> None:
    told = name
    try:
        load(None, {f"RESEARCH_{name.upper()}": text}, {})
    except BadInput as error:
        told = str(error)
    assert told.startswith(name)


@pytest.mark.parametrize(
    ("path", "said"), [("~nobody-of-that-name/x", "not known here"), ("a\0b", "is no path")]
)
def test_a_path_that_cannot_be_is_refused(path: str, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        load(None, {}, {"docs": (path,)})


def test_every_setting_has_a_sentence_and_a_default() -> None:
    for name, field in Settings.declared.items():
        assert field.description, name
        assert field.description.endswith("."), name
    assert set(BY_TIER) <= set(Settings.declared)


@pytest.mark.contract("S19", "U2")
def test_the_reference_pages_are_up_to_date() -> None:
    check = subprocess.run(
        [sys.executable, "tools/gen_docs.py", "--check"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert check.returncode == 0, check.stderr


@pytest.mark.parametrize("task", ["", "   \n\t ", "?!…", "\u200b"])
def test_a_task_with_nothing_in_it_is_refused(task: str) -> None:
    with pytest.raises(BadInput, match="question is empty"):
        check_task(task)


def test_a_task_that_is_too_long_is_refused_with_the_limit() -> None:
    assert check_task("a" * MAX_TASK_CHARS)
    with pytest.raises(BadInput, match="20,000"):
        check_task("a" * 1_000_000)


@pytest.mark.parametrize("task", ["caf\udce9", "nul\0byte"])
def test_a_task_that_is_no_text_is_refused(task: str) -> None:
    with pytest.raises(BadInput, match="not valid UTF-8"):
        check_task(task)


def test_a_task_in_any_script_is_asked_as_it_is() -> None:
    assert check_task("  誰が承認しますか？\n") == "誰が承認しますか？"
    assert check_task("من يوافق؟") == "من يوافق؟"


def test_without_a_home_the_shared_data_folder_is_used(tmp_path: Path) -> None:
    shared = load(None, {"XDG_DATA_HOME": str(tmp_path), "HOME": "/h"}, {})
    assert shared.data_dir == tmp_path / "leadline"
    relative = load(None, {"XDG_DATA_HOME": "relative", "HOME": "/h"}, {})
    assert relative.data_dir == Path("/h/.local/share/leadline")


@pytest.mark.contract("X2")
def test_a_password_in_an_address_is_not_stored_and_is_there_again_when_a_run_goes_on() -> None:
    url = "http://anna:pass%2Fword@searx.local:8080/?token=abc123&language=english"
    now = Settings(searxng_url=url)
    stored = now.public()
    assert stored["searxng_url"] == "http://anna:***@searx.local:8080/?token=***&language=english"
    assert Settings.restore(stored, now).searxng_url == url
    elsewhere = Settings(searxng_url="http://other.local/")
    assert Settings.restore(stored, elsewhere).searxng_url == stored["searxng_url"]
    assert (
        Hidden(now).text("it said pass/word, abc123 and english") == "it said ***, *** and english"
    )


@pytest.mark.contract("S1", "S19")
@pytest.mark.parametrize("end", ["", "/", "/search", "/search/", "/search?q=%s", "/search?q="])
def test_the_address_of_a_searxng_may_be_copied_from_a_browser(end: str) -> None:
    base = "http://searx.local:8080/own"
    assert Settings(searxng_url=base + end).searxng_url.rstrip("/") == base
