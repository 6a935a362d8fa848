"""Reports written by quoting: the answer first, every claim a quotation, nothing pretended."""

from __future__ import annotations

import asyncio
import re
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import settings as pace
from hypothesis import strategies as st

from leadline.check.verify import verify
from leadline.question.planning import make_plan
from leadline.reader.static import StaticEmbedder
from leadline.text.quotes import locate
from leadline.types import Checked, Draft, Limits, Passage, Query, Source, State
from leadline.write.extractive import ExtractiveReasoner

EMBEDDER = StaticEmbedder()
REASONER = ExtractiveReasoner(EMBEDDER)
DOCS = {
    "Lantern Bay": "# Lantern Bay\n\nLantern Bay is a harbour town on the north coast. Its "
    "lighthouse was **designed** by [Ottilie Brandt](brandt.md).",
    "Ottilie Brandt": "Ottilie Brandt was an engineer born in Graufeld in 1871. She built eleven "
    "lighthouses and a canal lock.",
    "Tides": "Tides rise twice a day in most harbours. Spring tides follow the new moon. Neap "
    "tides are weaker than spring tides.",
    "Ropes": "A ship's rope is measured in fathoms. Hemp ropes rot when stored wet. Nylon ropes "
    "stretch under load. Steel cables rust without grease. Cotton ropes shrink when wet.",
}


def ask(
    task: str,
    docs: dict[str, str] | None = None,
    asked: tuple[str, ...] = ("first words", "other words"),
) -> tuple[Draft, list[Passage]]:
    docs = DOCS if docs is None else docs
    sources = tuple(Source(n, f"{t}.md", t, "document") for n, t in enumerate(docs, 1))
    passages = [Passage(n, text, "p", 0, len(text)) for n, text in enumerate(docs.values(), 1)]
    state = State(
        task=task,
        plan=make_plan(task, ()),
        limits=Limits(),
        started=datetime(2026, 1, 1, tzinfo=UTC),
        asked=tuple(Query(text) for text in asked),
        sources=sources,
    )
    return asyncio.run(REASONER.write(state, passages)), passages


def check(draft: Draft, passages: list[Passage]) -> Checked:
    return asyncio.run(verify(draft, tuple(passages), EMBEDDER))


def cited(answer: str) -> list[tuple[str, int]]:
    """What an answer quotes, with the number below or behind it."""
    blocks = [re.sub(r"^> ?", "", block, flags=re.MULTILINE) for block in answer.split("\n\n")]
    pieces = (re.findall(r"(?:\d\. )?(.+?)\s\[(\d+)\]", block, re.DOTALL) for block in blocks)
    return [(text.strip(), int(number)) for found in pieces for text, number in found]


def first_line(draft: Draft) -> str:
    return draft.answer.splitlines()[0]


@pytest.mark.contract("W1", "W10")
def test_the_direct_answer_comes_first_with_its_citation() -> None:
    draft, _ = ask("How often do tides rise?")
    assert first_line(draft).startswith("Tides rise twice a day in most harbours.")
    assert first_line(draft).endswith("[3]")
    assert draft.found
    assert 3 in {citation.id for citation in draft.citations}
    assert draft.model == "extractive"


@pytest.mark.contract("W1")
def test_a_second_hop_is_answered_with_both_of_its_sentences() -> None:
    draft, _ = ask("Where was the designer of the Lantern Bay lighthouse born?")
    assert "designed by Ottilie Brandt" in first_line(draft)
    assert "born in Graufeld" in first_line(draft)


@pytest.mark.contract("L2", "W2")
@pytest.mark.parametrize(
    "task",
    ["How often do tides rise?", "Who designed the Lantern Bay lighthouse?", "list three ropes"],
)
def test_every_claim_is_a_quotation_that_passes_verification(task: str) -> None:
    draft, passages = ask(task)
    checked = check(draft, passages)
    assert checked.claims
    assert not checked.dropped
    known = {passage.source for passage in passages}
    assert {int(n) for n in re.findall(r"\[(\d+)\]", draft.answer)} <= known


@pytest.mark.contract("W6")
def test_no_claim_is_placed_twice() -> None:
    draft, _ = ask("What are tides and how do ropes rot?")
    claims = [text for text, _ in cited(draft.answer)]
    assert len(claims) == len(set(claims)) > 1


@pytest.mark.contract("W1")
def test_parts_of_a_question_are_headings() -> None:
    draft, _ = ask("How often do tides rise and why do hemp ropes rot?")
    assert "Tides rise twice a day" in draft.answer
    assert "Hemp ropes rot when stored wet." in draft.answer


@pytest.mark.contract("W10")
def test_of_two_parts_a_table_that_answers_one_keeps_its_lines() -> None:
    codes = "# Exit codes\n\n| Code | Meaning |\n|---|---|\n| 3 | nothing was found |\n"
    docs = DOCS | {"Exit codes": codes}
    draft, passages = ask("How often do tides rise and what do the exit codes mean?", docs)
    assert "\n> | 3 | nothing was found |" in draft.answer
    assert check(draft, passages).found


@pytest.mark.contract("W5")
@pytest.mark.parametrize(
    "task",
    [
        "Who chaired the Quillmoor parish council in 1887?",
        "how do I bake sourdough bread at home",
        "What is the capital of Mongolia?",
    ],
)
def test_what_the_sources_do_not_answer_is_reported_as_not_found(task: str) -> None:
    draft, passages = ask(task)
    assert not draft.found
    assert "Not found" in draft.answer
    assert "first words" in draft.answer
    assert "other words" in draft.answer
    assert not check(draft, passages).found


@pytest.mark.contract("W5")
def test_a_part_that_is_not_there_is_named() -> None:
    draft, _ = ask("How often do tides rise and who invented the Kessel barometer?")
    assert draft.found
    assert re.search(r"^Not found in the sources: .*Kessel barometer", draft.answer, re.MULTILINE)


@pytest.mark.contract("W5", "R4")
def test_without_a_passage_nothing_is_pretended() -> None:
    draft, _ = ask("How often do tides rise?", {})
    assert not draft.found
    assert not draft.citations


@pytest.mark.contract("W5")
def test_a_query_that_ends_like_a_sentence_does_not_end_the_note_that_names_it() -> None:
    draft, passages = ask("Who chaired Quillmoor in 1887?", asked=("who was it? Moor.", "b c"))
    assert not draft.found
    assert "_Searched for: who was it Moor; b c_" in draft.answer
    assert check(draft, passages).dropped == ()


@pytest.mark.contract("W6")
def test_a_task_that_asks_for_items_gets_as_many() -> None:
    draft, _ = ask("list three facts about ropes")
    assert re.findall(r"^(\d)\. ", draft.answer, re.MULTILINE) == ["1", "2", "3"]


@pytest.mark.contract("W6")
def test_too_few_items_are_counted() -> None:
    draft, _ = ask("list nine facts about hemp ropes")
    found = len(re.findall(r"^\d\. ", draft.answer, re.MULTILINE))
    assert 0 < found < 9
    assert f"more than {found} of the 9 items" in draft.answer


@pytest.mark.contract("P7")
def test_a_chinese_question_is_answered_in_chinese() -> None:
    docs = {
        "闭包": "闭包是函数和其词法环境的组合。闭包让函数可以访问外部作用域的变量。",
        "潮汐": "潮汐每天涨落两次。春潮出现在新月之后。",
    }
    draft, passages = ask("什么是闭包？", docs)
    assert draft.found
    assert first_line(draft).startswith("闭包是函数和其词法环境的组合。")
    assert not check(draft, passages).dropped
    missing, _ = ask("火星上有多少座火山？", docs)
    assert not missing.found
    assert "未找到" in missing.answer


@pytest.mark.contract("R8")
def test_the_same_question_and_passages_give_the_same_report() -> None:
    assert ask("How often do tides rise?") == ask("How often do tides rise?")


@pytest.mark.contract("W2")
@pace(max_examples=40)
@given(
    st.lists(st.text(alphabet=st.characters(codec="utf-8"), max_size=200), max_size=4),
    st.text(min_size=1, max_size=80),
)
def test_whatever_the_passages_hold_every_cited_line_is_in_them(
    texts: list[str], task: str
) -> None:
    draft, passages = ask(task, {f"doc {n}": text for n, text in enumerate(texts)})
    for text, number in cited(draft.answer):
        held = [one.text for one in passages if one.source == number]
        assert any(locate(text, page) for page in held)


@pytest.mark.contract("W10")
def test_wrapped_lines_read_as_one_and_emphasis_takes_no_blank_with_it() -> None:
    text = (
        "**Browse.** *Harbours* lists every harbour with its tides; choose two and see how\n"
        "often the tides of one differ from those of *the other* and by how many feet they do."
    )
    draft, _ = ask("Where does one see every harbour with its tides?", {"Browsing": text})
    shown = " ".join(draft.answer.splitlines())
    assert "Browse. Harbours lists every harbour with its tides" in shown
    assert "and see how often the tides of one differ" in draft.answer
