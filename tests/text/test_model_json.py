"""What models really send becomes the value that was asked for, or a reason why not (L3)."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Annotated, Literal

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from msgspec import Meta

from leadline.text.model_json import Unreadable, json_values, parse, without_thoughts


@dataclass(frozen=True)
class Wish:
    query: str
    intent: str = ""


@dataclass(frozen=True)
class Plan:
    queries: tuple[Wish, ...]
    tier: Literal["simple", "standard", "deep"] = "standard"
    gaps: tuple[str, ...] = ()


@dataclass(frozen=True)
class Verdict:
    sufficient: bool
    confidence: float
    gaps: tuple[str, ...]


PLAN = Plan((Wish("tide tables Brest", "times"), Wish("spring tide range")), "deep", ("height",))
SENT = json.dumps(asdict(PLAN))


@pytest.mark.contract("L3")
@pytest.mark.parametrize(
    "answer",
    [
        SENT,
        f"```json\n{SENT}\n```",
        f"Sure! Here is the plan:\n\n{SENT}\n\nLet me know if {{you}} need more.",
        f"<think>They want a plan. Maybe {{}} or []?</think>\n{SENT}",
        f"I should think first…</think>{SENT}",
        f"\ufeff{SENT}",
        f"{SENT}\n{SENT}",
        SENT.replace('"', "'"),
        SENT.replace("]", ",]").replace("}", ",}"),
        SENT.replace(": ", ": // a comment\n "),
        SENT.replace('"queries"', "queries").replace('"query"', "query"),
        SENT.replace('"queries"', '"Queries"').replace('"query"', '"Query"'),
        f'{{"plan": {SENT}}}',
        f"[{SENT}]",
        SENT.replace('{"', "{“").replace('":', "”:"),
        SENT.replace(", ", "\n"),
        f"{SENT[:-1]}",
        f"{SENT[:-2]}",
        SENT[:-1] + ', "note": "that is a',
        f'Draft: {{"queries": [{{"query": "x"}}]}}\nFinal: {SENT}',
    ],
)
def test_what_models_really_send_is_read(answer: str) -> None:
    assert parse(answer, Plan) == PLAN


@pytest.mark.contract("L3")
@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ("{'sufficient': True, 'confidence': .8, 'gaps': None}", Verdict(True, 0.8, ())),
        ('{"sufficient": "yes", "confidence": "0.8", "gaps": []}', Verdict(True, 0.8, ())),
        ('{"sufficient": false, "confidence": 0, "gaps": "one"}', Verdict(False, 0, ("one",))),
        ('{"sufficient": fal', None),
        (
            '{"sufficient": false, "confidence": 0.5, "gaps": ["a", "b',
            Verdict(False, 0.5, ("a", "b")),
        ),
        ('{"sufficient": false, "confidence": 0.5, "gaps": ["a', Verdict(False, 0.5, ("a",))),
        ('{"sufficient": no, "confidence": 1', None),
        ("{}", None),
        ("", None),
        ("I cannot answer that.", None),
        ("<think>not yet", None),
        ('[1, 2, "x"]', None),
        ("{" * 500, None),
        ("[" * 100_000, None),
    ],
)
def test_a_reply_gives_its_value_or_a_reason(answer: str, value: Verdict | None) -> None:
    if value is not None:
        assert parse(answer, Verdict) == value
    else:
        with pytest.raises(Unreadable, match=r"\w+"):
            parse(answer, Verdict)


@pytest.mark.contract("L3")
def test_what_stands_before_a_torn_item_is_kept() -> None:
    assert parse('{"queries": [{"query": "one"}, {"query": "tw', Plan).queries[0] == Wish("one")
    assert parse('{"queries": [{"query": "one"}, {"qu', Plan).queries == (Wish("one"),)
    assert parse('{"queries": [{"query": "on', Plan).queries == (Wish("on"),)


@pytest.mark.contract("L3")
def test_an_item_without_what_it_needs_is_left_out_beside_others() -> None:
    found = parse('{"queries": [{"intent": "?"}, {"query": "one"}, "two", null]}', Plan)
    assert found.queries == (Wish("one"), Wish("two"))


@dataclass(frozen=True)
class Bounded:
    gaps: Annotated[tuple[str, ...], Meta(min_length=1, max_length=2)]
    score: Annotated[float, Meta(ge=0, le=10)] = 0


@pytest.mark.contract("L3")
def test_bounds_are_kept() -> None:
    assert parse('{"gaps": ["a", "b", "c"], "score": 85}', Bounded) == Bounded(("a", "b"), 10)
    assert parse('{"gaps": ["a"], "score": -1}', Bounded) == Bounded(("a",), 0)
    with pytest.raises(Unreadable, match=r"length >= 1 - at `\$.gaps`"):
        parse('{"gaps": []}', Bounded)


@dataclass(frozen=True)
class Wishes:
    wishes: tuple[Wish, ...] = ()


@pytest.mark.contract("L3")
def test_items_without_the_list_that_was_asked_for_are_its_items() -> None:
    sent = '[{"query": "one"}, {"query": "two"}]'
    assert parse(sent, Wishes) == parse(f"Here: {sent}", Wishes)
    assert parse(sent, Wishes).wishes == (Wish("one"), Wish("two"))


@pytest.mark.contract("L3")
@pytest.mark.parametrize(
    ("said", "meant"),
    [("Deep", "deep"), ("DEEP ", "deep"), ("simp", "simple"), ("medium", "standard")],
)
def test_a_word_that_is_nearly_one_of_those_allowed_is_that_one(said: str, meant: str) -> None:
    """One that is none of them gives way to the default."""
    assert parse(json.dumps({"queries": ["a"], "tier": said}), Plan).tier == meant


@pytest.mark.contract("L3")
def test_quotes_inside_a_string_do_not_end_it() -> None:
    found = parse('{"queries": [{"query": "the "fast", cheap way", "intent": "a"}]}', Plan)
    assert found.queries == (Wish('the "fast", cheap way', "a"),)


@pytest.mark.contract("L3")
def test_the_reason_names_the_place_and_not_a_link() -> None:
    with pytest.raises(Unreadable) as why:
        parse('{"sufficient": "perhaps", "confidence": 0.2, "gaps": []}', Verdict)
    assert "sufficient" in str(why.value)
    assert "http" not in str(why.value)


@pytest.mark.contract("L3")
@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("<think>a</think>b", "b"),
        ("<THINK>a</THINK> b", "b"),
        ("<think>a<think>b</think>c", "c"),
        ("a</think>b", "b"),
        ("b<think>a", "b"),
        ("<think>all there is", "all there is"),
        ("<think>a</think>b<think>c</think>d", "bd"),
        ("<think>" * 50_000, "<think>" * 49_999),
        ("no thoughts, 1 < 2", "no thoughts, 1 < 2"),
        ("<thinking>x</thinking>\n<reasoning>y</reasoning>z", "z"),
        ("[THINK]a[/THINK]b", "b"),
        ("◁think▷a◁/think▷b", "b"),
    ],
)
def test_thoughts_are_left_out(text: str, left: str) -> None:
    assert without_thoughts(text) == left


# ── thousands of damaged variants of real shapes ────────────────────────────────────────────

words = st.text(
    st.characters(blacklist_categories=("Cs", "Cc"), blacklist_characters="<>`{}[]\"'“”‘’„\\"),
    min_size=1,
    max_size=25,
).filter(lambda text: text.strip() == text and text.isprintable() and text not in ("", ","))
plans = st.builds(
    Plan,
    st.lists(st.builds(Wish, words, words), min_size=1, max_size=4).map(tuple),
    st.sampled_from(["simple", "standard", "deep"]),
    st.lists(words, max_size=3).map(tuple),
)
verdicts = st.builds(
    Verdict,
    st.booleans(),
    st.floats(0, 1).map(lambda number: round(number, 3)),
    st.lists(words, max_size=3).map(tuple),
)


def python_literals(sent: str) -> str:
    return repr(json.loads(sent))


def trailing_commas(sent: str) -> str:
    return (
        json.dumps(json.loads(sent), indent=2)
        .replace("\n", ",\n")
        .replace("{,", "{")
        .replace("[,", "[")
        .replace(",,", ",")
        .rstrip(",")
    )


DAMAGE: dict[str, Callable[[str], str]] = {
    "none": lambda sent: sent,
    "fence": lambda sent: f"```json\n{sent}\n```",
    "nameless fence": lambda sent: f"```\n{sent}```",
    "unclosed fence": lambda sent: f"```json\n{sent}",
    "prose before": lambda sent: f"Of course. Here is the JSON you asked for:\n\n{sent}",
    "prose after": lambda sent: f"{sent}\n\nI hope this helps!",
    "thoughts": lambda sent: f"<think>\nShould it be [] or {{}}?\n</think>\n\n{sent}",
    "thoughts without a start": lambda sent: f"Let me see.\n</think>\n{sent}",
    "python": python_literals,
    "trailing commas": trailing_commas,
    "indented": lambda sent: json.dumps(json.loads(sent), indent=4),
    "escaped": lambda sent: json.dumps(json.loads(sent), ensure_ascii=True),
    "byte order mark": lambda sent: f"\ufeff{sent}",
    "doubled": lambda sent: sent + sent,
    "wrapped": lambda sent: json.dumps({"result": json.loads(sent)}),
    "in a list": lambda sent: f"[{sent}]",
    "smart quotes": lambda sent: sent.replace('": ', "”: ").replace('"', "“", 1),
    "last bracket lost": lambda sent: sent[:-1],
    "more fields": lambda sent: sent[:-1] + ', "comment": "none", "score": 3}',
    "line comment": lambda sent: sent.replace("{", "{ // first\n", 1),
    "block comment": lambda sent: sent.replace("{", "{ /* first */ ", 1),
}


@pytest.mark.contract("L3")
@settings(max_examples=1000)
@given(
    value=st.one_of(plans, verdicts),
    damage=st.lists(st.sampled_from(sorted(DAMAGE)), max_size=2),
    unicode=st.booleans(),
)
def test_damage_does_not_change_what_is_read(
    value: Plan | Verdict, damage: list[str], unicode: bool
) -> None:
    sent = json.dumps(asdict(value), ensure_ascii=not unicode)
    first = DAMAGE[damage[0]](sent) if damage else sent
    # Only the outer kinds of damage can come on top of another.
    outer = {"fence", "prose before", "prose after", "thoughts", "byte order mark"}
    if len(damage) == 2:
        assume(damage[1] in outer)
        first = DAMAGE[damage[1]](first)
    assert parse(first, type(value)) == value


@pytest.mark.contract("L3")
@settings(max_examples=500)
@given(value=plans, share=st.floats(0.0, 1.0))
def test_a_cut_off_tail_costs_part_of_its_last_item_alone(value: Plan, share: float) -> None:
    sent = json.dumps(asdict(value))
    cut = sent[: int(len(sent) * share)]
    try:
        found = parse(cut, Plan)
    except Unreadable:
        assert not re.search(r'"query": "(?!\\u?[0-9a-f]{0,3}$).', cut), cut
        return
    whole = found.queries[:-1]
    assert whole == value.queries[: len(whole)]
    for last in found.queries[-1:]:
        assert value.queries[len(whole)].query.startswith(last.query.rstrip("\ufffd")), cut


@pytest.mark.contract("L3")
@settings(max_examples=500)
@given(st.text(st.sampled_from("{}[]\"'`:,/\\*#ntu0128.eE-+ \n<think>“”‘’trufalsné"), max_size=200))
def test_any_text_is_a_value_or_a_reason(text: str) -> None:
    try:
        found: object = parse(text, Verdict)
    except Unreadable as why:
        found = str(why)
    assert found


@settings(max_examples=300)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-(10**12), 10**12) | words,
        lambda inner: st.lists(inner) | st.dictionaries(words, inner),
        max_leaves=12,
    ).filter(lambda value: isinstance(value, dict | list))
)
def test_json_is_read_as_the_standard_library_reads_it(value: object) -> None:
    text = json.dumps(value)
    assert value in json_values(text) or not value


@pytest.mark.contract("L3")
@pytest.mark.parametrize(
    "unit", ["{'", '{"a":', "[", "{a", '[{"a":1},', "/*{", '{"a": "x" ', "```json{"]
)
def test_a_model_that_repeats_itself_for_ever_is_answered_in_time(unit: str) -> None:
    since = time.process_time()
    with pytest.raises(Unreadable):
        parse(unit * 20_000, Verdict)
    assert time.process_time() - since < 5
