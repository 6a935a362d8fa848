"""The benchmarks of whole questions read reports and judge answers as they say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchmarks.baselines import headed_paragraphs
from benchmarks.gold import Question, answers, plain, read_questions, refuses, share_held
from benchmarks.options import options_of, parser
from benchmarks.own_docs import DOCS, QUESTIONS
from benchmarks.own_docs import run as run_own_docs
from benchmarks.product import paragraphs

ALL_DOCS = plain("\n".join(path.read_text("utf-8") for path in sorted(DOCS.rglob("*.md"))))


def test_the_first_paragraph_is_the_first_block_that_is_no_heading() -> None:
    report = "# Q?\n\n## Answer\nYes, it does. [1]\n\n> quoted\n> on\n>\n> more\n> [2]\n"
    assert paragraphs(report) == ("Yes, it does. [1]", "quoted\non", "more\n[2]")


def test_code_stays_one_paragraph_whatever_is_in_it() -> None:
    assert paragraphs("```sh\n# not a heading\n\nmake\n```") == (
        "```sh\n# not a heading\n\nmake\n```",
    )


def test_an_echo_of_the_question_is_no_answer() -> None:
    question = Question("1", "Is port 8470 free?", (("port 8470",),))
    assert not answers(question, "Is port 8470 free?")
    assert answers(question, "It listens on `port` 8470.")


def test_each_part_of_a_question_wants_an_answer() -> None:
    question = Question("1", "Both?", (("red",), ("blue", "azure")))
    assert not answers(question, "red")
    assert answers(question, "Red and azure")


def test_a_report_that_says_it_found_nothing_refuses() -> None:
    assert refuses(True, "The documents do not say this.", "")
    assert not refuses(True, "It is 100.", "It is 100.")


def test_gold_sentences_count_word_for_word_markup_aside() -> None:
    assert share_held(["The port is 8470.", "Never."], "**The port** is `8470`. [3]") == 0.5


def test_paragraphs_of_the_baseline_stand_under_their_headings() -> None:
    text = "# Guide\n\nOne.\n\n## Ports\n\nTwo.\n\nThree."
    assert headed_paragraphs("T", text) == [
        ("T › Guide", "One."),
        ("T › Guide › Ports", "Two.\nThree."),
    ]


@pytest.mark.parametrize("question", read_questions(QUESTIONS), ids=lambda question: question.id)
def test_the_docs_hold_an_answer_to_each_question(question: Question) -> None:
    assert any(re.search(one, ALL_DOCS, re.I | re.S) for one in question.parts[0])


def test_the_bench_of_our_docs_runs_beside_its_baselines(tmp_path: Path) -> None:
    given = parser(("own_docs",)).parse_args(["own_docs", "--limit", "1", "--work", str(tmp_path)])
    figures = run_own_docs(options_of(given))
    assert figures["questions"] == 1
    assert {"first_paragraph.product", "first_paragraph.hybrid"} <= set(figures)
