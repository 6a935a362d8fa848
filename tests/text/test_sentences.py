"""Sentences: exact offsets, no false ends, nothing glued across blocks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from growth import LINEAR, growth
from leadline.text.sentences import MAX_SPAN, flat, is_prose, sentences

PIECES = st.lists(
    st.sampled_from(
        [
            *("A sentence. ", "Dr. No. 5 ", "e.g. this ", "\n", "\n\n", "# Head\n", "- item\n"),
            *(
                "> quote\n",
                "```\ncode. Code.\n```\n",
                "| a | b |\n",
                "…",
                '"Yes!" ',
                "中文。",
                "3.11 ",
            ),
            *(
                "---\n",
                "Title\n=====\n",
                "\r\n",
                "\t",
                "x" * 30,
                " ",
                "http://a.b/c.d ",
                "***",
                "~~~\n",
            ),
        ]
    ),
    max_size=30,
).map("".join)


def texts_of(text: str) -> list[str]:
    return [span.text for span in sentences(text)]


@pytest.mark.contract("C3")
@given(st.text(max_size=400) | PIECES)
def test_a_span_is_exactly_what_stands_at_its_offsets(text: str) -> None:
    last = 0
    for span in sentences(text):
        assert text[span.start : span.end] == span.text
        assert span.text.strip() == span.text != ""
        assert last <= span.start < span.end
        assert span.end - span.start <= MAX_SPAN
        last = span.end


@pytest.mark.contract("C3")
@given(PIECES)
def test_no_letter_of_a_page_is_lost(text: str) -> None:
    kept = "".join(texts_of(text))
    for word in ("sentence", "item", "code", "quote", "Head", "中文"):
        assert kept.count(word) == text.count(word)


@pytest.mark.parametrize(
    "sentence",
    [
        "Dr. Smith met G. Stanley Hall in the U.S. Senate at 3 p.m. yesterday.",
        "It is No. 5 of vol. 3, pp. 10–12 (see Fig. 3).",
        "Python 3.11 and version v2.0.1 are listed at https://example.org/a.html?b=1.2 today.",
        "Open config.toml or main.py, e.g. with an editor, i.e. a program.",
        '"Why did you go?" he asked.',
        "Apple Inc. and J. R. R. Tolkien vs. Mr. X signed on Jan. 5 in St. Louis.",
        "He waited … and left.",
        "The work of Smith et al. (2019) costs $3.5 million.",
        "Yahoo! is a company.",
    ],
)
def test_a_stop_inside_a_sentence_does_not_end_it(sentence: str) -> None:
    assert texts_of(f"{sentence} Another one follows.") == [sentence, "Another one follows."]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('He said "Go." Then he left.', ['He said "Go."', "Then he left."]),
        ("It grew (by half.) It shrank.", ["It grew (by half.)", "It shrank."]),
        ("It is so.[1][23] That is all.", ["It is so.[1][23]", "That is all."]),
        ("He lives in the U.S. The city is big.", ["He lives in the U.S.", "The city is big."]),
        ("Take vitamin C. It helps.", ["Take vitamin C.", "It helps."]),
        ("Really?! Yes.", ["Really?!", "Yes."]),
        ("这是第一句。这是第二句！对吗？", ["这是第一句。", "这是第二句！", "对吗？"]),
        ("all is small. here too.", ["all is small.", "here too."]),
        ("Read on. 4. Close it.", ["Read on.", "4. Close it."]),
    ],
)
def test_a_stop_at_the_end_of_a_sentence_ends_it(text: str, wanted: list[str]) -> None:
    assert texts_of(text) == wanted


def test_headings_items_rows_code_and_quotes_stand_alone() -> None:
    page = (
        "# Title\nFirst paragraph runs\nover two lines.\n## Part\n- one item\n- two. Items.\n"
        "| a | b |\n| 1 | 2 |\n```py\nx = 1. Y\n```\n> Quoted words\n> go on.\nAfter.\n"
    )
    assert [(span.kind, span.text) for span in sentences(page)] == [
        ("heading", "# Title"),
        ("prose", "First paragraph runs\nover two lines."),
        ("heading", "## Part"),
        ("item", "one item"),
        ("item", "two."),
        ("item", "Items."),
        ("table", "| a | b |"),
        ("table", "| 1 | 2 |"),
        ("code", "```py\nx = 1. Y\n```"),
        ("quote", "Quoted words\n> go on."),
        ("quote", "After."),
    ]


def test_a_title_above_text_and_the_entries_of_a_menu_are_not_glued() -> None:
    page = (
        "Home\nAbout us\nContact\n\nHistory\nThe town was founded in 1820 by two brothers and grew."
    )
    assert texts_of(page) == [
        "Home",
        "About us",
        "Contact",
        "History",
        "The town was founded in 1820 by two brothers and grew.",
    ]


def test_a_name_at_a_line_end_of_wrapped_text_does_not_end_the_sentence() -> None:
    page = "The society was founded long ago in New\nYork City by the brothers and their\nfriends."
    assert texts_of(page) == [page]


def test_a_page_cut_inside_a_code_block_does_not_turn_the_rest_into_code() -> None:
    page = "let x = 1;\n```\n\nThis is prose again. It has two sentences.\n"
    assert "This is prose again." in texts_of(page)


def test_text_without_a_stop_is_cut_at_a_space() -> None:
    spans = sentences("word " * 2000)
    assert len(spans) >= 5
    assert all(span.text.endswith("word") for span in spans)


@pytest.mark.parametrize(
    "unit",
    ["a.", "...", "```js\n", "| a", "\n\n", "> ", "((", '."', "- ", "x. Y", "{{", "<a ", "# "],
)
def test_time_grows_with_length_and_not_with_its_square(unit: str) -> None:
    def cut(length: int) -> None:
        for span in sentences((unit * length)[:length]):
            is_prose(span.text)

    assert growth(cut, 12_000) < LINEAR


def test_flat_shows_a_wrapped_quote_on_one_line() -> None:
    assert flat("Quoted words\n> go on   here.") == "Quoted words go on here."


@pytest.mark.parametrize(
    "text",
    [
        "The `aria-checked` attribute indicates the current state of checkboxes.",
        "It is located in Little Rock, Arkansas.",
        "The {{domxref('Event')}} interface represents an event which takes place on a target.",
        "Ann Reinking (born November 10, 1949) is an American actress, dancer, and choreographer.",
        "Use the [Fetch API](/en-US/docs/Web/API/Fetch_API) to request resources from a server.",
        "这种方法可以减少训练所需要的数据。",
        "Die Stadt wurde im Jahr 1820 gegründet.",
    ],
)
def test_a_sentence_of_running_text_may_be_quoted(text: str) -> None:
    assert is_prose(text)


@pytest.mark.parametrize(
    "text",
    [
        "## Browser compatibility",
        "Home | About | Contact",
        "| a | b | c |",
        "|---|---|",
        "```js\nfoo.bar();\n```",
        "![A chart of sales over many years in Europe](chart.png)",
        "[Using the Web Audio API](/en-US/docs/Web/API/Web_Audio_API)",
        "{{Compat}}",
        "<td>cell of a table</td>",
        "const x = foo(bar) => { return x; };",
        "Table of contents",
        "The values are as follows:",
        "See also",
        "https://example.org/a/b/c.html",
        "",
    ],
)
def test_what_is_not_a_sentence_may_not_be_quoted(text: str) -> None:
    assert not is_prose(text)
