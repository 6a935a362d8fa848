"""Text after the last paragraph of an article, in boxes of its own, belongs to it or does not."""

from __future__ import annotations

import pytest

from leadline.read.article import read_article

URL = "https://site.example/story"
TOLD = (
    "The observatory on the hill will open its dome to visitors again after nine years of repairs.",
    "Water had come in through the slit and ruined the gears that turned the roof with the stars.",
    "A workshop in the valley cast new wheels from the old drawings, which a janitor had kept.",
    "The first evening is on the second Friday in March, if the sky over the valley is clear.",
)
STORY = "".join(f"<p>{one}</p>" for one in TOLD)
AFTER = "Ann Lee has written of science and its instruments since she left the university in 2009."


def _read(after: str, story: str = f"<div class='story'>{STORY}</div>") -> str:
    head = "<!doctype html><html><head><title>Dome to open</title></head>"
    page = f"{head}<body><main><h1>Dome to open</h1>{story}{after}</main></body></html>"
    return read_article(page, URL).text


@pytest.mark.contract("E2")
@pytest.mark.parametrize(
    "after",
    [
        f"<div class='desk'><p>{AFTER}</p></div>",
        f"<section class='x9f'><h3>Who wrote this</h3><p>{AFTER}</p></section>",
        f"<div class='low'><div><div class='desk'><p>{AFTER}</p><p>A desk.</p></div></div></div>",
        f"<div class='copyright'><p>{AFTER}</p></div>",
    ],
)
def test_a_little_text_in_a_box_of_its_own_goes(after: str) -> None:
    assert _read(after) == "\n\n".join(TOLD)


@pytest.mark.contract("E2")
def test_of_what_follows_only_the_box_goes() -> None:
    text = _read(f"<p>Visitors should bring a coat.</p><div class='desk'><p>{AFTER}</p></div>")
    assert text == "\n\n".join((*TOLD, "Visitors should bring a coat."))


@pytest.mark.contract("E2")
@pytest.mark.parametrize(
    "after",
    [
        f"<div><p>{AFTER}</p></div>",
        f"<p>{AFTER}</p>",
        f"<div class='review-faq'><h3>Who may come?</h3><p>{AFTER}</p></div>",
        f"<div class='footnotes'><p>{AFTER}</p></div>",
        f"<div class='verdict'><p>{AFTER}</p></div>",
        f"<div class='desk'><p>{AFTER}</p><ul><li>one coat</li><li>a red lamp</li></ul></div>",
        f"<div class='desk'><p>{AFTER}</p><pre>dome.open()</pre></div>",
        f"<div class='desk'><p>{AFTER}</p><table><tr><th>Day<tr><td>9</table></div>",
    ],
    ids=["no class", "no box", "faq", "notes", "verdict", "list", "code", "table"],
)
def test_what_may_be_a_part_of_the_article_stays(after: str) -> None:
    assert AFTER in _read(after)


@pytest.mark.contract("E2")
@pytest.mark.parametrize(
    "story",
    [
        f"<div class='story'>{STORY}<div class='desk'><p>{AFTER}</p></div></div>",
        f"<div class='story'>{STORY}<div class='desk'><p>Bring a coat.</p></div><p>{TOLD[1]} And"
        f" {TOLD[2]}</p></div>"
        f"<div class='desk'><p>{AFTER}</p></div>",
        f"<div class='story'><p>{TOLD[0]} {TOLD[1]}</p><p>{TOLD[2]} {TOLD[3]}</p></div>"
        f"<div class='desk'><p>{AFTER}</p></div>",
        f"<ul><li>{TOLD[3]}</li><li>{TOLD[2]}</li></ul><div class='story'>{STORY}</div>"
        f"<div class='desk'><p>{AFTER}</p></div>",
        f"<dl><dt>dome</dt><dd>{STORY}</dd></dl><div class='desk'><p>{AFTER}</p></div>",
    ],
    ids=["inside", "of a kind seen before", "after little", "text in two places", "an entry"],
)
def test_where_the_article_has_no_one_place_or_knows_the_box_it_stays(story: str) -> None:
    assert AFTER in _read("", story)


@pytest.mark.contract("E2")
@pytest.mark.parametrize(("lines", "kept"), [(8, False), (12, True)])
def test_of_much_text_it_is_not_believed(lines: int, kept: bool) -> None:
    story = "".join(f"<p>In year {at}: {one}</p>" for at in range(1, 9) for one in TOLD)
    after = "".join(f"<p>{at}. {AFTER}</p>" for at in range(lines))
    text = _read(f"<div class='desk'>{after}</div>", f"<div class='story'>{story}</div>")
    assert (AFTER in text) == kept


@pytest.mark.contract("E2")
def test_after_a_long_article_more_may_go() -> None:
    told = "".join(f"<p>{one} {at}</p>" for at in range(16) for one in TOLD)
    cards = "".join(f"<p>{AFTER} {at}</p>" for at in range(13))
    assert AFTER not in _read(
        f"<div class='desk'>{cards}</div>", f"<div class='story'>{told}</div>"
    )


@pytest.mark.contract("E2")
def test_paragraphs_of_chinese_show_the_place_of_an_article_though_they_are_short() -> None:
    lines = ("山上的天文台九年来第一次开放。", "雨水漏进屋顶，齿轮全部生锈，无法转动。") * 3
    story = "".join(
        f"<p>{one}山谷里的工匠按照旧图纸重新铸造。{at}</p>" for at, one in enumerate(lines)
    )
    after = "<div class='desk'><p>李安从二零零九年起为本报撰写科学文章，住在山谷里。</p></div>"
    assert "李安" not in _read(after, f"<div class='story'>{story}</div>")
