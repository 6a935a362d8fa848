"""Prompts are files whose blanks are strictly filled (P7), and a user's folder shadows ours."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from leadline.errors import BadInput
from leadline.prompts import Prompt, check, load, names

NEEDED = {
    "plan",
    "gap_query",
    "reflect",
    "compress",
    "novelty",
    "write",
    "revise",
    "evaluate",
    "verify_claim",
    "describe_image",
    "repair_json",
}


def test_all_prompts_are_there() -> None:
    assert set(names()) >= NEEDED


@pytest.mark.contract("P7")
@pytest.mark.parametrize("name", sorted(NEEDED - {"repair_json"}))
def test_every_prompt_is_given_the_date_and_the_language(name: str) -> None:
    assert {"today", "language"} <= load(name).blanks


@pytest.mark.parametrize("name", names())
def test_every_blank_is_filled_and_no_other(name: str) -> None:
    prompt = load(name)
    values = {blank: f"value of {blank}" for blank in prompt.blanks}
    system, user = prompt.fill(values)
    assert not re.search(r"\$\w", system + user)
    for value in values.values():
        assert value in system + user
    with pytest.raises(BadInput, match="was not given"):
        prompt.fill(dict(list(values.items())[1:]))
    with pytest.raises(BadInput, match=r"no blank for \$nonsense"):
        prompt.fill(values | {"nonsense": "x"})


@pytest.mark.parametrize("name", names())
def test_prompts_are_short_enough_for_small_models(name: str) -> None:
    prompt = load(name)
    assert len(prompt.system + prompt.user) < 2400


@pytest.mark.contract("W2", "L8")
def test_the_writer_is_told_what_to_do_after_the_passages_and_the_question() -> None:
    text = load("write").user
    places = [text.index(part) for part in ("$passages", "$task", "$form", "NOT FOUND")]
    assert places == sorted(places)
    assert "[2]" in text


def test_a_value_with_a_dollar_stays_as_it_is() -> None:
    assert Prompt("x", "$a", "$$5").fill({"a": "$b costs $5"}) == ("$b costs $5", "$5")


def test_a_file_of_the_same_name_takes_the_place_of_ours(tmp_path: Path) -> None:
    ours = load("novelty")
    mine = "Mine. $today $language\n---\n$knowledge / $findings"
    (tmp_path / "novelty.md").write_text(mine, "utf-8")
    assert load("novelty", tmp_path).system == "Mine. $today $language"
    assert load("plan", tmp_path) == load("plan")
    assert load("novelty") == ours
    assert check(tmp_path) == ("novelty",)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("novelty.md", "No blanks.\n---\nAt all.", "must have the blanks"),
        ("novelty.md", "$today $language $knowledge $findings", "needs a line ---"),
        ("novelty.md", "$today $language $5\n---\n$knowledge $findings", "a \\$ that starts"),
        ("novelty.md", "\x00$more $today $language\n---\n$knowledge $findings", "it has"),
        ("novel.md", "x\n---\ny", "shadows no prompt"),
    ],
)
def test_a_wrong_prompt_is_refused_with_the_reason(
    tmp_path: Path, name: str, text: str, said: str
) -> None:
    (tmp_path / name).write_text(text, "utf-8")
    with pytest.raises(BadInput, match=said):
        check(tmp_path)


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="does not exist"):
        check(tmp_path / "nowhere")


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    (tmp_path / "novelty.md").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadInput, match="cannot read the prompt"):
        check(tmp_path)


def test_an_unknown_prompt_is_refused() -> None:
    with pytest.raises(BadInput, match="there is no prompt nonsense"):
        load("nonsense")
