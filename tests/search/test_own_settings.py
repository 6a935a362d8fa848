"""Settings that a provider of the user's own declares: accepted, handed over, and kept to us."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from provider_server import FakeServer

from leadline.errors import BadInput
from leadline.hidden import Hidden
from leadline.search import registry
from leadline.settings import Settings, changed, load

CODE = """
from dataclasses import dataclass

@dataclass(frozen=True)
class Own:
    name = "own"
    harbour_url: str
    harbour_key: str = ""
    harbour_limit: int = 5
    harbour_deep: bool = False
    async def search(self, query, k):
        return ()
"""
URL = "https://harbour.example/find"
Env = Callable[..., dict[str, str]]


@pytest.fixture
def env(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Env:
    """An environment that names the provider, which is where Python finds it."""
    (tmp_path / "harbour_search.py").write_text(CODE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)

    def named(**more: str) -> dict[str, str]:
        home = {"HOME": str(tmp_path), "RESEARCH_SEARCH_PROVIDERS": "harbour_search:Own, ddgs"}
        return home | {f"RESEARCH_HARBOUR_{name.upper()}": text for name, text in more.items()}

    return named


def made(settings: Settings) -> dict[str, object]:
    searcher = registry.make("harbour_search:Own", settings.values(), FakeServer())
    own: dict[str, object] = vars(vars(searcher)["provider"])
    return own


@pytest.mark.contract("S1", "S19")
def test_variables_that_ones_own_provider_declares_reach_it(env: Env) -> None:
    settings = load(env=env(url=URL, limit="7", deep="yes"))
    assert made(settings) == {
        "harbour_url": URL,
        "harbour_key": "",
        "harbour_limit": 7,
        "harbour_deep": True,
    }
    again = Settings.restore(settings.public(), settings)
    assert made(changed(again, {"max_iters": 2}))["harbour_url"] == URL


@pytest.mark.contract("S1", "S19")
def test_the_settings_file_may_hold_them_and_the_environment_wins(env: Env, tmp_path: Path) -> None:
    config = tmp_path / "mine.toml"
    config.write_text('[harbour]\nurl = "https://a.example"\nlimit = 9\n')
    assert made(load(config, env=env()))["harbour_url"] == "https://a.example"
    assert made(load(config, env=env(url=URL))) == made(load(env=env(url=URL, limit="9")))


@pytest.mark.contract("S1", "S19")
def test_they_are_accepted_also_where_a_flag_names_another_provider(env: Env) -> None:
    assert load(env=env(url=URL), overrides={"search_providers": ("ddgs",)}).own
    alone = {"HOME": env()["HOME"], "RESEARCH_HARBOUR_URL": URL}
    assert load(env=alone, overrides={"search_providers": ("harbour_search:Own",)}).own


@pytest.mark.contract("S19")
def test_what_nobody_declares_is_refused_with_the_nearest(env: Env) -> None:
    with pytest.raises(BadInput, match="did you mean RESEARCH_HARBOUR_URL"):
        load(env=env(urll=URL))
    with pytest.raises(BadInput, match="unknown setting: the variable RESEARCH_HARBOUR_URL"):
        load(env={"HOME": env()["HOME"], "RESEARCH_HARBOUR_URL": URL})


@pytest.mark.contract("S1", "S19")
def test_a_provider_that_cannot_be_loaded_is_told_before_what_it_might_declare(env: Env) -> None:
    other = env(url=URL) | {"RESEARCH_SEARCH_PROVIDERS": "no_such_module:Own"}
    with pytest.raises(BadInput, match="cannot load the search provider no_such_module:Own"):
        load(env=other)


@pytest.mark.contract("S1", "S19")
@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "needs harbour_url (RESEARCH_HARBOUR_URL)"),
        ({"url": URL, "limit": "many"}, "harbour_limit must be a whole number; got 'many'"),
        ({"url": URL, "deep": "perhaps"}, "harbour_deep must be true or false; got 'perhaps'"),
    ],
)
def test_a_wrong_value_is_told_before_anything_is_sent(
    env: Env, given: dict[str, str], said: str
) -> None:
    assert registry.ready("harbour_search:Own", load(env=env(**given)).values()).why == said


@pytest.mark.contract("X2")
def test_a_key_of_ones_own_provider_is_shown_and_stored_nowhere(env: Env) -> None:
    settings = load(env=env(url=URL, key="tops3cret"))
    assert made(settings)["harbour_key"] == "tops3cret"
    assert "tops3cret" not in f"{settings!r} {settings.public()} {made(settings)}"
    assert "tops3cret" not in Hidden(settings).text("refused tops3cret")
