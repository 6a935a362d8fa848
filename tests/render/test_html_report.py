"""The HTML report: self-contained, readable with scripts off, harmless whatever it quotes."""

from __future__ import annotations

import base64
import hashlib
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sample_reports import ARABIC, CHINESE, EVIL, HOSTILE, JAPANESE, LONG_URL, RICH
from selectolax.lexbor import LexborHTMLParser as Parser

from leadline.render.html import as_html
from leadline.render.outline import link_of
from leadline.types import AgentResponse, Citation, Claim, Quote, Verdict
from leadline.values import replace

# Every element that this package writes itself; an `img` or `script` would be somebody else's.
_TAGS = (
    "html head meta title style body a header p h1 div nav h2 ul li main label input span article "
    "button mark section ol blockquote footer svg desc line text polyline circle figure figcaption "
    "details summary table thead tbody tr th td aside strong code em pre h3 h4 h5 h6 hr br s "
    "-text"
)
KNOWN = set(re.split(" ", _TAGS))


def parsed(response: AgentResponse) -> Parser:
    return Parser(as_html(response))


def harmless(page: Parser) -> None:
    for node in page.css("*"):
        assert node.tag in KNOWN, node.tag
        for name, value in node.attributes.items():
            assert not name.startswith("on"), name
            assert name not in ("style", "src", "srcset", "action", "formaction"), name
            if name == "href":
                assert (value or "").startswith(("#", "https://", "http://")), value


@pytest.mark.contract("W8")
@pytest.mark.parametrize("text", [CHINESE, JAPANESE, ARABIC, "by the mark three", LONG_URL])
def test_every_script_table_and_long_address_is_there(text: str) -> None:
    body = parsed(RICH).body
    assert body
    assert text in body.text()


@pytest.mark.contract("W8")
@pytest.mark.parametrize(
    "code",
    [
        " So:\n\n```\nfor one in many:\n    <b>do(one)\n```\n",
        " So:\n\n    for one in many:\n        <b>do(one)\n\nIt ends.",
    ],
)
def test_code_beside_a_quotation_keeps_its_lines(code: str) -> None:
    quote = Quote(1, "A leadline measures depth.", after=code)
    claim = Claim("A leadline measures depth.", (1,), Verdict.QUOTED, 1.0, quote)
    answer = "A leadline measures depth. [1]"
    page = as_html(replace(RICH, final_answer=answer, claims=(claim,)))
    assert '<code class="lines">for one in many:\n    &lt;b&gt;do(one)</code>' in page


@pytest.mark.contract("W8")
def test_a_citation_opens_the_quoted_passage_in_its_context() -> None:
    page = parsed(RICH)
    button = page.css_first("article .cite button")
    assert button is not None
    box = page.css_first(f"#{button.attributes['popovertarget']}")
    assert box is not None
    assert "popover" in box.attributes
    assert "Long before echo sounders" in box.text()
    quoted = box.css_first("mark")
    assert quoted is not None
    assert quoted.text() == "A leadline is a weighted rope that measures depth."
    link = box.css_first("a[href^=https]")
    assert link is not None
    assert str(link.attributes["href"]).endswith(
        "Sounding_line#:~:text=A%20leadline%20is%20a%20weighted%20rope%20that%20measures%20depth."
    )


def test_every_citation_and_jump_has_its_target() -> None:
    page = parsed(RICH)
    ids = [str(node.attributes["id"]) for node in page.css("[id]")]
    assert len(ids) == len(set(ids))
    jumps = [str(node.attributes["href"])[1:] for node in page.css('a[href^="#"]')]
    opened = [str(node.attributes["popovertarget"]) for node in page.css("button")]
    assert len(opened) == 8
    assert set(jumps + opened) <= set(ids)


@pytest.mark.contract("W3")
def test_each_sentence_bears_its_verdict_and_the_style_shows_it_on_demand() -> None:
    page = parsed(RICH)
    claims = {node.text().strip(): node.attributes["class"] for node in page.css("article .claim")}
    assert claims["A leadline is a weighted rope that measures depth."] == "claim quoted"
    sourced = [text for text, kind in claims.items() if kind == "claim sourced"]
    assert sourced == [RICH.claims[1].text]
    assert "sourced, not judged" in as_html(RICH)
    assert page.css_first("input#colour") is not None
    assert "body:has(#colour:checked) .sourced" in as_html(RICH)


@pytest.mark.contract("X3")
def test_the_policy_allows_its_own_style_and_nothing_else() -> None:
    page = parsed(RICH)
    meta = page.css_first('meta[http-equiv="Content-Security-Policy"]')
    style = page.css_first("style")
    assert meta is not None
    assert style is not None
    digest = base64.b64encode(hashlib.sha256(style.text().encode()).digest()).decode()
    assert meta.attributes["content"] == (
        f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )
    assert "url(" not in style.text()
    assert "@import" not in style.text()


@pytest.mark.contract("X3")
def test_hostile_text_is_shown_as_text() -> None:
    page = parsed(HOSTILE)
    harmless(page)
    body = page.body
    assert body
    assert EVIL in body.text()
    assert "<script>alert(1)</script> said" in body.text()
    assert "javascript:alert(1)" in body.text()
    assert "[9] is unknown." in body.text()
    assert "W" * 10_000 in body.text()


def test_only_web_addresses_become_links() -> None:
    page = parsed(HOSTILE)
    links = {str(node.attributes["href"]) for node in page.css("a[href^=http]")}
    assert links == {
        "https://fine.example/",
        "https://spy.example/p.png",
        "https://x.example/%22onmouseover=%22alert(1)",
    }
    harmless(parsed(RICH))


@pytest.mark.parametrize(
    ("location", "link"),
    [
        ("https://ja.example/測深索", "https://ja.example/%E6%B8%AC%E6%B7%B1%E7%B4%A2"),
        ("https://bücher.example/a'b", "https://xn--bcher-kva.example/a%27b"),
        ("https://a.example/x?q=%20&b=c#d", "https://a.example/x?q=%20&b=c#d"),
        ("https://[::1", ""),
        ("https://a b.example/", ""),
        ("https://a.example/\u202e", ""),
        ("ftp://a.example/", ""),
    ],
)
def test_an_address_is_linked_as_every_program_takes_it(location: str, link: str) -> None:
    assert link_of(Citation(1, "t", "web", location)) == link


@pytest.mark.contract("G8", "G9")
def test_the_figures_say_in_words_what_they_show() -> None:
    page = parsed(RICH)
    curve = page.css_first("svg.curve")
    assert curve is not None
    assert curve.attributes["role"] == "img"
    assert len(curve.css("circle.in")) == 5
    assert len(curve.css("circle.out")) == 1
    assert "6 searches scored" in curve.css_first("desc").text()  # type: ignore[union-attr]
    table = page.css_first("#novelty table")
    assert table is not None
    assert "leadline fathom marks" in table.text()
    marks = [node.attributes["aria-label"] for node in page.css("svg.part")]
    assert marks == ["supported", "supported", "open"]
    assert "coverage" not in as_html(RICH).lower()


def test_dropped_claims_and_limits_stand_at_the_end() -> None:
    text = as_html(RICH)
    order = ["<article", 'id="evidence"', 'id="left-out"', 'id="limits"', 'id="found"']
    assert [text.index(mark) for mark in order] == sorted(text.index(mark) for mark in order)
    assert "Leadlines were invented in 1700." in text
    assert "the time limit was reached" in text


def test_each_block_finds_its_own_direction() -> None:
    page = parsed(RICH)
    arabic = [node for node in page.css("article li") if ARABIC in node.text()]
    assert [node.attributes["dir"] for node in arabic] == ["auto"]


@pytest.mark.contract("R8")
def test_the_same_response_gives_the_same_bytes() -> None:
    assert as_html(RICH) == as_html(RICH)


def test_a_quote_of_several_blocks_with_a_table_at_its_end_keeps_its_proof() -> None:
    excerpt = "The marks are these.\n\n| Mark | Depth |\n|---|---|\n| red rag | seven |"
    lines = "\n".join(f"> {line}" for line in excerpt.splitlines())
    answer = f"{lines}\n> [1]\n\nMore. [1]"
    claims = tuple(
        Claim(text, (1,), Verdict.QUOTED, 1.0, Quote(1, text)) for text in (excerpt, "More.")
    )
    page = parsed(replace(RICH, final_answer=answer, claims=claims))
    assert len(page.css("article .cite mark")) == 2
    assert page.css("article td .cite") == []


@settings(max_examples=60, deadline=None)
@given(
    st.text(max_size=300),
    st.text(max_size=60),
    st.sampled_from(["https://a.example/", "javascript:", "data:text/html,", "//"]),
    st.text(max_size=40),
)
def test_no_text_can_break_out_of_the_page(answer: str, title: str, scheme: str, rest: str) -> None:
    source = Citation(1, title, "web", scheme + rest, title, title)
    claim = Claim(answer, (1,), Verdict.QUOTED, 1.0, Quote(1, title, "p", 0, 1, answer, rest))
    hostile = replace(
        RICH,
        task=title,
        final_answer=f"{answer} [1]\n\n{rest} [1]",
        sources=(source,),
        claims=(claim,),
        gaps=(title, rest),
    )
    page = parsed(hostile)
    harmless(page)
    assert len(page.css("main")) == len(page.css("footer")) - len(page.css("blockquote footer"))


def test_pictures_of_other_servers_are_never_loaded() -> None:
    page = as_html(replace(RICH, final_answer="![x](https://spy.example/p.png) [1]"))
    assert not re.search(r"<img|src=", page)
