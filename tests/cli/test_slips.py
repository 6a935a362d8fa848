"""Slips stay at home: words meant for the program are answered by it and never searched for."""

from __future__ import annotations

from pathlib import Path

import pytest

from leadline.cli.app import outcome

pytestmark = pytest.mark.contract("U2")


def test_help_and_version_are_words_of_the_program(capfd: pytest.CaptureFixture[str]) -> None:
    assert outcome(["help"]) == 0
    assert "Usage: leadline QUESTION" in capfd.readouterr().out
    assert outcome(["help", "index"]) == 0
    assert "Usage: leadline index" in capfd.readouterr().out
    assert outcome(["version"]) == 0
    assert capfd.readouterr().out.startswith("leadline ")


def test_the_help_lists_at_most_a_dozen_commands_in_groups(
    capfd: pytest.CaptureFixture[str],
) -> None:
    outcome(["--help"])
    text = capfd.readouterr().out
    titles = ["Ask:", "Look back:", "Keep:", "Serve:", "Set up:", "Seldom needed"]
    places = [text.index(f"\n{title}") for title in titles]
    assert places == sorted(places)
    listed = [line for line in text[places[0] : places[-1]].splitlines() if line[:3].strip()]
    assert len([line for line in listed if line.startswith("  ")]) <= 12
    for title in ("Where to look:", "How it works, and what it may cost:", "What is shown:"):
        assert f"\n{title}" in text


@pytest.mark.parametrize(
    ("word", "advice"), [("serv", "did you mean leadline serve?"), ("stopping", "one word")]
)
def test_a_lone_word_is_not_searched_for(
    word: str, advice: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert outcome([word, "--data-dir", str(tmp_path)]) == 2
    assert advice in capfd.readouterr().err


def test_what_leaves_the_machine_is_said_before_the_first_search_alone(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    arguments = ["How deep is it?", "--provider", "searxng", "--data-dir", str(tmp_path)]
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("RESEARCH_SEARXNG_URL", "http://127.0.0.1:9")
        outcome(arguments)
        assert "words of your question go to searxng" in capfd.readouterr().err
        outcome(arguments)
        assert "words of your question go to" not in capfd.readouterr().err
