"""Manuals of all makers are read as clean Markdown: no navigation, no contents, no permalinks."""

from __future__ import annotations

import pytest

from growth import LINEAR, growth
from leadline.read.html import whole_page

DOCBOOK = """<body><div class="navheader"><table width="100%"><tr><th colspan="3">7.2. Locks</th>
</tr><tr><td><a accesskey="p" href="a.html">Prev</a> </td><th>Chapter 7. Running</th>
<td><a accesskey="n" href="b.html">Next</a></td></tr></table><hr></div>
<div class="sect1"><h2 class="title"><a name="x"></a>7.2. Locks</h2>
<div class="toc"><dl><dt><a href="#s">7.2.1. Sluices</a></dt></dl></div>
<dl class="variablelist"><dt><span class="term"><code class="varname">gate_timeout</code>
 (<code>integer</code>)</span></dt><dd><p>How long a gate waits.
 The default is <code>1s</code>.</p><p>Only a keeper can change it.</p></dd>
<dt><span class="term">-g</span></dt><dt><span class="term">--gates</span></dt>
<dd><p>Lists the gates.</p></dd></dl>
<div class="note"><h3 class="title">Note</h3><p>Gates freeze.</p></div></div>
<div class="navfooter"><hr><table><tr><td><a accesskey="p" href="a.html">Prev</a></td>
<td><a accesskey="u" href="c.html">Up</a></td></tr><tr><td>7.1. Weirs</td></tr></table></div>"""
SPHINX = """<body><div class="related" role="navigation"><h3>Navigation</h3><ul><li>
<a href="x.html" accesskey="N">next</a></li></ul></div><div class="body" role="main"><section>
<h1>weir — the weir<a class="headerlink" href="#w" title="Link to this heading">¶</a></h1>
<dl class="py function"><dt class="sig" id="w.open">weir.open(<em>turns</em>)
<a class="headerlink" href="#w.open">¶</a></dt><dd><p>Opens it by <em>turns</em>.</p>
<div class="admonition warning"><p class="admonition-title">Warning</p><p>Not in a flood.</p></div>
<div class="highlight"><pre><span></span><span class="gp">&gt;&gt;&gt; </span>weir.open(3)
40
</pre></div></dd></dl></section></div>
<div class="sphinxsidebar" role="navigation"><h4>Previous topic</h4></div>
<div class="footer">© 2026, The Keepers. Created using Sphinx 5.3.0.</div>"""
TEXINFO = """<body><div class="header"><p>Next: <a href="b.html" accesskey="n" rel="next">Bars</a>,
Previous: <a href="a.html" accesskey="p" rel="prev">Weirs</a> &nbsp; [<a href="t.html">Contents</a>]
</p></div><h3 class="section">3.1 Locks</h3><p>A lock has two gates.</p>
<ul class="section-toc"><li><a href="1.html">One</a></li><li><a href="2.html">Two</a></li>
<li><a href="3.html">Three</a></li></ul><table><tr><td><samp>-q</samp></td><td>Be quiet.</td></tr>
<tr><td><samp>-v</samp></td><td>Be loud.</td></tr></table>"""


def markdown(body: str) -> str:
    return whole_page(f"<!doctype html><html><head><title>T</title></head>{body}</html>", "a").text


@pytest.mark.contract("E2", "D1")
def test_docbook_terms_stand_with_their_text_and_rows_of_navigation_go() -> None:
    assert markdown(DOCBOOK) == (
        "## 7.2. Locks\n\ngate_timeout (integer)\nHow long a gate waits. The default is `1s`.\n\n"
        "Only a keeper can change it.\n\n-g\n--gates\nLists the gates.\n\nNote\nGates freeze."
    )


@pytest.mark.contract("E2", "D1")
def test_sphinx_signatures_and_warnings_stand_with_their_text_and_permalinks_go() -> None:
    assert markdown(SPHINX) == (
        "# weir — the weir\n\nweir.open(turns)\nOpens it by turns.\n\nWarning\nNot in a flood.\n\n"
        "```\n>>> weir.open(3)\n40\n```"
    )


@pytest.mark.contract("E2", "D1")
def test_texinfo_keeps_its_tables_and_loses_its_headers_and_menus() -> None:
    assert markdown(TEXINFO) == (
        "### 3.1 Locks\n\nA lock has two gates.\n\n| `-q` | Be quiet. |\n| --- | --- |\n"
        "| `-v` | Be loud. |"
    )


@pytest.mark.contract("E2")
def test_a_page_of_nothing_but_links_is_not_empty() -> None:
    page = "<body><nav><a href=x>Home</a></nav><ul>" + "<li><a href=a.html>Weirs</a>" * 4 + "</ul>"
    assert markdown(page) == "- Weirs\n- Weirs\n- Weirs\n- Weirs"


LINKS = "<ul>" + "<li><a href=a.html>Weirs</a>" * 3 + "</ul>"


@pytest.mark.contract("E2")
@pytest.mark.parametrize(
    ("html", "text"),
    [
        (f"<h1>T</h1><p>x<h2>See also</h2>{LINKS}", "# T\n\nx"),
        (f"<h1>T</h1><h2>More</h2>{LINKS}<p>x<h2>End</h2>", "# T\n\n## More\n\nx\n\n## End"),
        (f"<p>These gates freeze:{LINKS}", "These gates freeze:\n\n- Weirs\n- Weirs\n- Weirs"),
        ("<p>x<p><i>This page last modified on 2022-02-08 12:34:22 UTC</i>", "x"),
    ],
)
def test_what_only_leads_elsewhere_is_left_out_and_what_a_text_announces_is_not(
    html: str, text: str
) -> None:
    assert markdown(f"<body>{html}") == text


def test_a_page_is_as_old_as_its_foot_says() -> None:
    page = whole_page("<body><p>Weirs.<p>Last updated: 2022-02-08.", "a")
    assert (page.text, page.date) == ("Weirs.", "2022-02-08")


@pytest.mark.contract("E2")
@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>10<sup>3</sup> and x<sup>st</sup>", "10^3 and xst"),
        ("<p><code>a</code><code>b</code> <code></code>c", "`ab` c"),
        ("<ul><li>a<ul><li>b</ul><li><p>c<p>d</ul>", "- a\n  - b\n- c\n\n  d"),
        ("<ol><li>a<pre>x\n  y</pre><li>b</ol>", "1. a\n\n   ```\n   x\n     y\n   ```\n2. b"),
        ("<pre>```\nx\n```</pre>", "````\n```\nx\n```\n````"),
        ("<p>one<br>two <b>three</b><div>four</div>", "one\ntwo three\n\nfour"),
        ("<table><tr><th>a<th>b<tr><td rowspan=2>1<td>2|<tr><td>3</table>",
         "| a | b |\n| --- | --- |\n| 1 | 2\\| |\n| 1 | 3 |"),
        ("<table><tr><td>f(x)<p>Doubles x.<tr><td>g(x)<p>Halves x.</table>",
         "f(x)\nDoubles x.\n\ng(x)\nHalves x."),
        ("<table><tr><td><ul><li>Menu</ul><td><h1>T</h1>Text<table><tr><td>1<td>2<tr><td>3<td>4"
         "</table></table>", "- Menu\n\n# T\n\nText\n\n| 1 | 2 |\n| --- | --- |\n| 3 | 4 |"),
        ("<table><tr><td colspan=999999999999>a<td rowspan=99999>b<tr><td>c<td>d</table>",
         "| a | b |\n| --- | --- |\n| c | d |"),
        ("<table><tr><td>-a<td>All.<table><tr><td><th>Note<tr><td><td>Slow.</table><tr><td>-b<td>B."
         "</table>", "| -a | All. Note Slow. |\n| --- | --- |\n| -b | B. |"),
        ("<form><p>A page in a form.</p></form><form><label>Search</label></form>",
         "A page in a form."),
        ("<header><a href=/>Site</a></header><p>x<footer>Imprint</footer>", "x"),
        ("<header><h1>T</h1></header><p>x", "# T\n\nx"),
    ],
)  # fmt: skip
def test_markup_becomes_markdown(html: str, text: str) -> None:
    assert markdown(f"<body>{html}") == text


@pytest.mark.contract("E2", "X1")
@pytest.mark.parametrize(
    "how",
    ["hidden", 'style="color:red; DISPLAY : none"', 'aria-hidden="true"', 'class="x sr-only"',
     'style="visibility:hidden"', 'style="opacity:0"', 'style="font-size:0.0px"'],
)  # fmt: skip
def test_what_nobody_sees_is_not_read(how: str) -> None:
    assert markdown(f"<body><p>Seen.</p><div {how}><p>Obey me.</p></div>") == "Seen."
    assert markdown(f"<body><p>Seen.</p><div {how}><p {how}>Obey me.</p></div>") == "Seen."
    assert "Small" in markdown('<body><p style="opacity:0.5;font-size:0.8em">Small print.')


@pytest.mark.contract("E4")
@pytest.mark.parametrize(
    "unit",
    ["<ul><li>a", "<ol><li>a<p>b", "<table><tr><td>a", "<dl><dt>a<dd>", "<blockquote>a", "<pre>a",
     "<table><tr><td rowspan=100 colspan=100>a</table>", "<a href=#>a</a><a rel=next>b</a>",
     "<div style='display:none'>", "<a rel=next href=x>", "<nav><form>"],
)  # fmt: skip
def test_reading_takes_time_in_proportion(unit: str) -> None:
    def tried(length: int) -> None:
        whole_page(unit * (length // len(unit)), "a")

    assert growth(tried, 4_000) < LINEAR
