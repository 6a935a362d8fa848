"""`leadline doctor` says no where every question would be refused, and asks nobody it may not."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from fake_runs import Told

Call = Callable[..., Told]
GOOD = """
from leadline.types import Hit

class Good:
    name = "good"
    async def search(self, query, k):
        return (Hit("https://e.org", "E", "Text."),)

class Unreachable:
    name = "unreachable"
    async def search(self, query, k):
        raise OSError("asked all the same")
"""


@pytest.fixture
def doctor(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Told]:
    """`leadline doctor` in surroundings that name a provider which answers."""
    (tmp_path / "good_search.py").write_text(GOOD)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("RESEARCH_SEARCH_PROVIDERS", "good_search:Good")

    def look(*args: str, **variables: str) -> Told:
        for name, value in variables.items():
            monkeypatch.setenv(f"RESEARCH_{name.upper()}", value)
        return call("doctor", "--json", *args)

    return look


def checks(told: Told) -> dict[str, tuple[bool, str]]:
    return {one["name"]: (one["ok"], one["said"]) for one in json.loads(told.out)}


@pytest.mark.contract("S1", "U2")
def test_doctor_is_content_where_a_question_can_be_asked(doctor: Call) -> None:
    told = doctor()
    assert told.code == 0, told
    assert checks(told)["settings"] == (True, "a question can be asked with them")
    assert checks(told)["web"] == (True, "good_search:Good: answered with 1 results")


@pytest.mark.contract("S1", "U2")
@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"search_providers": "good_search:Good,searxng"}, "needs searxng_url"),
        ({"search_providers": "brave"}, "needs brave_api_key"),
        ({"search_providers": "good_search:None_"}, "cannot load the search provider"),
        ({"web": "0"}, "nothing to search"),
        ({"prompts": "nowhere"}, "the folder of prompts does not exist"),
        ({"no_model": "0", "model": "openai:gpt-5"}, "key"),
        ({"frozen": "1", "refresh": "1"}, "frozen answers from the cache alone, and refresh"),
        ({"frozen": "1", "cache": "0"}, "and the cache is off (cache = false)"),
    ],
)
def test_doctor_exits_with_one_where_every_question_would_be_refused(
    doctor: Call, call: Call, variables: dict[str, str], said: str
) -> None:
    told = doctor(**variables)
    assert told.code == 1, told
    ok, why = checks(told)["settings"]
    assert not ok
    assert why.startswith("every question would be refused: ")
    assert said in why
    refused = call("search", "tides")
    assert refused.code == 2
    assert said in refused.err


@pytest.mark.contract("S1", "U2")
def test_doctor_names_a_provider_that_cannot_be_reached_once(doctor: Call) -> None:
    told = doctor(search_providers="searxng", searxng_url="http://127.0.0.1:1")
    ok, said = checks(told)["web"]
    assert not ok
    assert said.count("searxng: ") == 1


@pytest.mark.contract("D5", "U2")
def test_doctor_exits_with_one_where_agent_mode_has_no_model(doctor: Call) -> None:
    told = doctor(agent="1")
    assert told.code == 1
    assert "agent mode needs a language model" in checks(told)["settings"][1]


@pytest.mark.contract("D1", "U2")
def test_doctor_exits_with_one_for_a_folder_without_a_file(doctor: Call, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    told = doctor("--docs", str(tmp_path / "empty"))
    assert told.code == 1
    assert "there is no file" in checks(told)["documents"][1]


@pytest.mark.contract("S2", "U2")
def test_doctor_asks_nobody_in_frozen_mode(doctor: Call) -> None:
    told = doctor(frozen="1", search_providers="good_search:Unreachable")
    assert told.code == 0, told
    assert checks(told)["web"] == (True, "frozen: nobody is asked, the cache alone answers")


@pytest.mark.contract("S2", "E3")
@pytest.mark.parametrize("name", ["searches.db", "pages/snapshots.db"])
def test_a_damaged_store_is_begun_anew_by_whoever_looks_first(
    doctor: Call, call: Call, tmp_path: Path, name: str
) -> None:
    file = tmp_path / "data" / name
    file.parent.mkdir(parents=True)
    file.write_bytes(b"no database" * 1000)
    told = doctor()
    assert told.code == 0, told
    assert f"it is set aside as {file.name}.broken and begun anew" in told.err
    assert doctor().err == ""
    for command in ("stats", "prune", "clear"):
        assert call("cache", command).code == 0
    assert file.with_name(f"{file.name}.broken").exists()


@pytest.mark.contract("S2", "E3", "U2")
@pytest.mark.parametrize("name", ["searches.db", "pages/snapshots.db", "pages"])
def test_what_is_in_the_place_of_a_store_is_told_and_ends_no_question(
    doctor: Call, call: Call, tmp_path: Path, name: str
) -> None:
    place = tmp_path / "data" / name
    if name == "pages":
        place.parent.mkdir()
        place.write_text("a file")
    else:
        place.mkdir(parents=True)
    told = doctor()
    assert told.code == 1
    assert f"{place} is a " in checks(told)["kept"][1]
    assert "move it away" in checks(told)["kept"][1]
    assert call("search", "tides").code == 0


@pytest.mark.contract("S2", "U2")
def test_the_cache_tells_how_many_searches_there_are_and_of_when(doctor: Call, call: Call) -> None:
    assert doctor().code == 0
    assert call("search", "tides").out.endswith("1 result (good)\n")
    assert re.fullmatch(
        r"1 search \(good_search:Good 1\), 0 too old to be used, \d\.\d MB, "
        r"from [-\d]{10} [:\d]{5} to [-\d]{10} [:\d]{5} UTC\n",
        call("cache", "stats").out,
    )
    assert call("cache", "clear").out == "1 search deleted\n"


@pytest.mark.contract("S2", "U2")
def test_a_cache_that_cannot_be_used_is_told_by_its_commands(call: Call, tmp_path: Path) -> None:
    (tmp_path / "data" / "searches.db").mkdir(parents=True)
    for command in ("stats", "prune", "clear"):
        told = call("cache", command)
        assert told.code == 1
        assert "searches.db is a folder, and a file was wanted; move it away" in told.err
