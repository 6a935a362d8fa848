"""The parts of the scanner: plain forms lead back to the source, windows are scored as they should
be, the weights that ship fit the code."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from growth import LINEAR, growth
from leadline.guard.classifier import (
    BUCKETS,
    FEWEST,
    Classifier,
    shipped_weights,
    tokens,
    unpack,
    windows,
    word_runs,
)
from leadline.guard.disguises import decoded, plain
from leadline.guard.rules import Rule, all_rules, shipped_file
from leadline.guard.scan import scan

RULES = all_rules()
STRANGE = st.text(
    st.one_of(st.characters(codec="utf-8"), st.sampled_from("aе\u200b\u202eﬁＡ𝐚é1 -.\n\r")),
    max_size=120,
)


@pytest.mark.contract("X1")
@given(STRANGE)
@settings(max_examples=150, deadline=None)
def test_every_character_of_the_plain_form_leads_back_into_the_source(text: str) -> None:
    form = plain(text)
    if form.origin is None:
        assert len(form.text) == len(text)
    else:
        assert len(form.origin) == len(form.text)
        assert (np.diff(form.origin) >= 0).all()
        assert all(0 <= at < len(text) for at in form.origin.tolist())


@pytest.mark.contract("X1")
@pytest.mark.parametrize(
    ("source", "form"),
    [
        ("ig\u200bnore", "ignore"),
        ("іgnоrе", "ignore"),
        ("ＩＧＮＯＲＥ", "ignore"),
        ("conﬁdential", "confidential"),
        ("Café", "cafe"),
        ("Россия", "россия"),
        ("Игнорируй", "игнорируй"),
        ("한국어", "한국어"),
    ],
)
def test_the_plain_form_is_what_a_reader_understands(source: str, form: str) -> None:
    assert plain(source).text == form


@pytest.mark.contract("X1")
@given(st.lists(st.sampled_from(["the", "cat", "sat", "on", "a", "mat"]), max_size=60))
@settings(max_examples=60, deadline=None)
def test_the_score_of_a_window_is_the_sum_over_its_runs_of_words(words: list[str]) -> None:
    """Against a plain reckoning, run by run; the buckets of a run come from a text of it alone."""
    text = " ".join(words)
    seen = windows(len(text))
    weights = shipped_weights()
    scores = Classifier(text).scores(seen)
    for n in range(len(seen.start)):
        inside = [
            int(tokens(match.group()).keys[0])
            for match in re.finditer(r"\w+", text)
            if seen.start[n] <= match.start() and match.end() <= seen.end[n]
        ]
        total, count = 0, 0
        for _, buckets in word_runs(np.array(inside, dtype=np.uint64)):
            total += sum(int(weights.words[bucket]) for bucket in buckets.tolist())
            count += len(buckets)
        by_hand = total * weights.unit / math.sqrt(max(FEWEST, count))
        by_hand += float(weights.scales[seen.scale[n]])
        assert scores[n] == pytest.approx(by_hand, rel=1e-4, abs=1e-4)


@pytest.mark.contract("X1")
@pytest.mark.parametrize(
    "text",
    ["la la la la la, sang the choir", "A" * 400, "| n/a " * 60 + "|", "- " * 80, "0 1 " * 50],
)
def test_what_repeats_for_a_reason_is_clean(text: str) -> None:
    assert scan(text).verdict == "clean"


@pytest.mark.contract("X1")
def test_the_weights_that_ship_are_small_and_belong_to_these_rules() -> None:
    data = shipped_file("weights.bin")
    assert len(data) <= 300_000
    weights = unpack(data)
    assert len(weights.words) == BUCKETS
    assert set(weights.rules) == {rule.name for rule in RULES}
    with pytest.raises(ValueError, match="train_inject"):
        unpack(data.replace(b'"override"', b'"overrode"', 1))


@pytest.mark.contract("X1")
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_no_pattern_has_an_unbounded_gap(rule: Rule) -> None:
    bare = re.sub(r"\\.|\[[^\]]*\]", "x", rule.pattern)
    assert "*" not in bare
    assert "+" not in bare


@pytest.mark.contract("X1")
@pytest.mark.parametrize("unit", ["you must ", ", ", "请", "ignore previous. Then so. "])
def test_eight_times_the_text_takes_no_more_than_its_share_of_time(unit: str) -> None:
    assert growth(lambda length: scan((unit * length)[:length]), 60_000) < LINEAR


@pytest.mark.contract("X1")
def test_blobs_that_are_not_words_are_left_alone() -> None:
    assert decoded("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08") == ()
    assert decoded("eyJhbGciOiJIUzI1NiJ9.x data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA") == ()
    (piece,) = decoded("see aGVsbG8gdGhlcmUgbXkgZnJpZW5k for more")
    assert (piece.text, piece.reason) == ("hello there my friend", "base64")
