"""Ask, watch, read, go on: the page in a real browser, over a real service and a small web."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from page_world import REPORT, World, browser_there, world
from playwright.sync_api import Browser, Page, Response, expect
from small_web import QUESTION

pytestmark = [pytest.mark.slow, browser_there]
FIRST_PAINT = 100_000


@pytest.fixture(scope="module")
def here(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    # Without memory: a question that was asked before would be answered without a search.
    with world(browser, tmp_path_factory.mktemp("page"), RESEARCH_MEMORY="false") as found:
        yield found


@pytest.mark.contract("U1", "R11")
def test_a_question_is_estimated_before_it_is_asked(here: World) -> None:
    with here.tab() as (page, _):
        page.goto("/")
        expect(page.locator("#question")).to_be_focused()
        page.fill("#question", QUESTION)
        expect(page.locator("#estimate")).to_contain_text("searches")
        expect(page.locator("#estimate")).to_contain_text("Nothing is spent yet")
        page.select_option("#tier", "simple")
        expect(page.locator("#estimate")).to_contain_text("60 s")
        asked = len(here.web.queries)
        page.uncheck("label:has-text('Web') input")
        expect(page.locator("#estimate")).to_contain_text("Choose at least one")
        assert len(here.web.queries) == asked


@pytest.mark.contract("U1", "G8")
def test_a_run_is_watched_as_it_happens_and_then_read(here: World) -> None:
    here.web.hold_after(2)
    with here.tab() as (page, _):
        here.ask(page, "Which machines drew tides on paper before 1900?")
        rows = page.locator(".searches > li")
        expect(rows.first.locator(".novelty[role=img]")).to_have_attribute(
            "aria-label", re.compile(r"Novelty [\d.]+ of 10; the threshold is 3")
        )
        expect(rows.first).to_contain_text("searxng")
        expect(rows.first).to_contain_text("accepted, one of the first")
        expect(page.locator(".queries li").first).to_be_visible()
        expect(page.locator("svg.curve circle").first).to_be_visible()
        expect(page.locator(".meters")).to_contain_text("of 10")
        expect(page.locator(".phase")).to_have_text("Searching")
        assert page.locator(REPORT).count() == 0
        here.web.release()
        page.wait_for_selector(REPORT)
        assert page.title().startswith("Which machines drew tides")


@pytest.mark.contract("U1", "W8", "E3")
def test_a_citation_shows_its_passage_the_site_and_the_snapshot(here: World) -> None:
    with here.tab() as (page, _):
        here.finished(page)
        mark = page.locator(".cite").first
        box = mark.locator(".pop")
        expect(box).to_be_hidden()
        mark.locator("button").hover()
        expect(box).to_be_visible()
        quoted = box.locator("mark").inner_text()
        site = box.get_by_text("open at these words").get_attribute("href") or ""
        assert site.startswith(here.web.url)
        assert "#:~:text=" in site
        page.mouse.move(2, 2)
        expect(box).to_be_hidden()
        mark.locator("button").focus()
        page.keyboard.press("Shift+Tab")
        page.keyboard.press("Tab")
        expect(box).to_be_visible()
        page.keyboard.press("Enter")  # it stays open, and a keyboard reaches its links
        page.keyboard.press("Tab")
        expect(box.get_by_text("open at these words")).to_be_focused()
        box.get_by_text("as it was read").click()
        kept = page.locator("dialog .text mark")
        expect(kept).to_be_visible()
        assert " ".join(kept.inner_text().split()) == " ".join(quoted.split())
        page.keyboard.press("Escape")
        expect(page.locator("dialog")).to_have_count(0)


@pytest.mark.contract("U1")
def test_claims_are_coloured_only_when_asked(here: World) -> None:
    with here.tab() as (page, _):
        here.finished(page)
        claim = page.locator("article .claim.quoted").first
        colour = "e => getComputedStyle(e).backgroundColor"
        before = claim.evaluate(colour)
        page.check("#colour")
        expect(claim).not_to_have_css("background-color", before)


@pytest.mark.contract("U1", "W9")
def test_a_further_question_is_asked_under_the_report(here: World) -> None:
    with here.tab() as (page, _):
        first = here.finished(page)
        page.fill("#further", "How many components did the machine of the India Office combine?")
        page.press("#further", "Enter")
        page.wait_for_url(lambda url: "run=" in url and first not in url)
        page.wait_for_selector(REPORT)
        expect(page.locator(REPORT)).to_contain_text("twenty components")
        page.get_by_text("This follows an earlier report").click()
        page.wait_for_url(f"**/?run={first}")


@pytest.mark.contract("U1", "W8")
def test_the_report_is_exported_in_every_format_and_copied(here: World) -> None:
    with here.tab() as (page, _):
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        here.finished(page)
        page.locator(".menu summary").click()
        names = page.locator(".menu a")
        assert names.count() >= 8
        for number in range(names.count()):
            page.locator(".menu").evaluate("e => { e.open = true }")
            with page.expect_download() as got:
                names.nth(number).click()
            path = got.value.path()
            assert path.stat().st_size > 100, got.value.suggested_filename
        page.get_by_text("Copy with citations").click()
        expect(page.locator("#say")).to_have_text("Copied.")
        copied = page.evaluate("() => navigator.clipboard.readText()")
        assert "[1]" in copied
        assert here.web.url in copied


@pytest.mark.contract("U1", "W8")
def test_a_part_that_is_copied_brings_its_citations_along(here: World) -> None:
    with here.tab() as (page, _):
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        here.finished(page)
        page.locator("article p").first.evaluate("e => getSelection().selectAllChildren(e)")
        page.keyboard.press("Control+C")
        page.wait_for_function(
            "async () => (await navigator.clipboard.readText()).includes('Sources')"
        )
        copied = page.evaluate("() => navigator.clipboard.readText()")
        assert re.search(r"\. \[\d+\]", copied)
        assert re.search(rf"Sources\n\[\d+\] .*{re.escape(here.web.url)}", copied)


@pytest.mark.contract("U1")
def test_light_and_dark_can_be_chosen_and_stay_chosen(here: World) -> None:
    paper = "() => getComputedStyle(document.body).backgroundColor"
    with here.tab(color_scheme="light") as (page, _):
        page.goto("/")
        light = page.evaluate(paper)
        page.get_by_role("button", name="Theme").click()
        assert page.evaluate(paper) == light
        page.get_by_role("button", name="Theme: light").click()
        dark = page.evaluate(paper)
        assert dark != light
        page.reload()
        page.wait_for_selector("#question")
        assert page.evaluate(paper) == dark


@pytest.mark.contract("U1", "V1")
def test_an_image_dropped_on_the_page_becomes_a_part_of_the_question(
    here: World, tmp_path: Path
) -> None:
    from PIL import Image

    file = tmp_path / "tide gauge.png"
    Image.new("RGB", (64, 32), "white").save(file)
    with here.tab() as (page, _):
        page.goto("/")
        expect(page.locator("#question")).to_be_visible()  # who drops, sees the form
        data = page.evaluate_handle(
            """bytes => {
                const given = new DataTransfer();
                const file = new File([new Uint8Array(bytes)], "tide gauge.png");
                given.items.add(file);
                return given;
            }""",
            list(file.read_bytes()),
        )
        page.dispatch_event("body", "dragover", {"dataTransfer": data})
        expect(page.locator(".cover")).to_be_visible()
        page.dispatch_event("body", "drop", {"dataTransfer": data})
        expect(page.locator(".chips li")).to_contain_text("tide gauge.png")
        page.fill("#question", "Which machine drew the tides that this picture shows?")
        page.press("#question", "Enter")
        page.wait_for_selector(REPORT)
        expect(page.locator(".paper")).not_to_contain_text("not in an allowed folder")


@pytest.mark.contract("U1", "R9", "H1")
def test_a_reload_in_the_middle_shows_all_that_was_found(here: World) -> None:
    here.web.hold_after(2)
    with here.tab() as (page, _):
        here.ask(page, "Who designed a machine for tides in the United States?")
        page.wait_for_selector(".novelty[role=img]")
        page.reload()
        page.wait_for_selector(".novelty[role=img]")
        expect(page.locator(".queries li").first).to_be_visible()
        here.web.release()
        page.wait_for_selector(REPORT)


@pytest.mark.contract("U1", "R10")
def test_a_run_is_stopped_keeps_what_it_found_and_goes_on(here: World) -> None:
    here.web.hold_after(2)
    before = len(here.web.queries)
    with here.tab() as (page, _):
        here.ask(page, "Which port kept secret tables of the tides?")
        page.wait_for_selector(".novelty[role=img]")
        page.locator(".searches > li").nth(1).wait_for(state="attached")  # both are written down
        answered = set(here.web.queries[before : before + 2])
        page.get_by_role("button", name="Stop").click()
        expect(page.locator(".phase")).to_have_text("Stopped")
        expect(page.locator(".end")).to_contain_text("What was found is kept")
        assert page.locator(".novelty[role=img]").count() >= 1
        here.web.release()
        asked = len(here.web.queries)
        page.get_by_role("button", name="Go on").click()
        page.wait_for_selector(REPORT)
        assert not set(here.web.queries[asked:]) & answered


@pytest.mark.contract("U1")
def test_two_tabs_watch_one_run(here: World) -> None:
    here.web.hold_after(2)
    with here.tab() as (one, _), here.tab() as (other, _):
        run_id = here.ask(one, "When was the India Office machine for tides built?")
        one.wait_for_selector(".novelty[role=img]")
        other.goto(f"/?run={run_id}")
        other.wait_for_selector(".novelty[role=img]")
        here.web.release()
        one.wait_for_selector(REPORT)
        other.wait_for_selector(REPORT)
        assert one.locator(REPORT).inner_text() == other.locator(REPORT).inner_text()


@pytest.mark.contract("U1", "P6")
def test_a_plan_is_shown_edited_and_then_searched(here: World) -> None:
    with here.tab() as (page, seen):
        page.goto("/")
        page.fill("#question", "How did dock masters predict the tides of Liverpool?")
        page.check("label:has-text('Show me the plan first') input")
        asked = len(here.web.queries)
        page.press("#question", "Enter")
        lines = page.locator(".plan-lines input")
        expect(lines.first).to_be_focused()
        expect(page.locator(".phase")).to_have_text("The plan waits for you")
        page.reload()  # it waits on
        expect(lines.first).to_be_visible()
        assert len(here.web.queries) == asked
        seen.expect("422")  # the browser itself notes it
        lines.first.fill("How did dock masters predict the tides of Liverpool?")
        page.get_by_role("button", name="Begin").click()
        expect(page.locator(".review .bad")).to_contain_text("repeats the question")
        lines.first.fill("Hutchinson dock master high water records")
        page.get_by_role("button", name="Begin").click()
        page.wait_for_selector(REPORT)
        assert "Hutchinson dock master high water records" in here.web.queries[asked:]


@pytest.mark.contract("U1", "D1")
def test_a_file_dropped_on_the_page_is_searched(here: World, tmp_path: Path) -> None:
    file = tmp_path / "notes on Ruritania.md"
    file.write_text("# Ruritania\n\nThe capital of Ruritania is Strelsau, says the almanac.\n")
    with here.tab() as (page, _):
        page.goto("/")
        page.locator("input[type=file]").set_input_files(str(file))
        expect(page.locator(".chips li")).to_contain_text("notes on Ruritania.md")
        page.uncheck("label:has-text('Web') input")
        page.fill("#question", "What is the capital of Ruritania?")
        page.press("#question", "Enter")
        page.wait_for_selector(REPORT)
        expect(page.locator(REPORT)).to_contain_text("Strelsau")


@pytest.mark.contract("U1")
def test_runs_are_listed_searched_and_compared(here: World) -> None:
    with here.tab() as (page, _):
        here.finished(page, "Who devised the first tide-predicting machine?")
        here.finished(page, "What is the largest constituent of tides in most ports?")
        page.goto("/?view=runs")
        page.fill("#search", "constituent")
        expect(page.locator("tbody tr")).to_have_count(1)
        page.fill("#search", "")
        expect(page.locator("tbody tr").nth(1)).to_be_visible()
        page.locator("tbody input").nth(0).check()
        page.locator("tbody input").nth(1).check()
        page.get_by_role("button", name="Compare the two").click()
        expect(page.locator(".sides section")).to_have_count(2)
        expect(page.locator(".three")).to_have_count(2)
        assert page.locator(".three .only li").count() > 0


def _open(page: Page, name: str) -> None:
    page.get_by_role("link", name=name).click()
    expect(page.get_by_role("heading", name=name, level=1)).to_be_visible()


@pytest.mark.contract("U1", "M6", "S2")
def test_memory_cache_and_doctor_are_plain_tables(browser: Browser, tmp_path: Path) -> None:
    with world(browser, tmp_path / "data") as here, here.tab() as (page, _):
        here.finished(page)
        _open(page, "Memory")
        expect(page.locator("tbody tr").first).to_contain_text("tide")
        _open(page, "Cache")
        expect(page.locator("tbody tr").first).to_contain_text("searxng")
        _open(page, "Doctor")
        expect(page.locator("tbody").first).to_contain_text("store")
        expect(page.locator("tbody").last).to_contain_text("wikipedia")


@pytest.mark.contract("U1")
def test_a_question_is_asked_and_a_claim_checked_by_keyboard_alone(here: World) -> None:
    with here.tab() as (page, _):
        page.goto("/")
        expect(page.locator("#question")).to_be_focused()
        page.keyboard.type(QUESTION)
        page.keyboard.press("Enter")
        page.wait_for_selector(REPORT)
        for _ in range(40):
            page.keyboard.press("Tab")
            if page.evaluate("() => document.activeElement.closest('article .cite') !== null"):
                break
        expect(page.locator(".cite .pop:visible")).to_have_count(1)
        ring = page.evaluate("() => getComputedStyle(document.activeElement).outlineStyle")
        assert ring == "solid"
        page.keyboard.press("Escape")
        expect(page.locator(".cite .pop:visible")).to_have_count(0)


@pytest.mark.contract("U1")
def test_the_first_view_is_small(here: World) -> None:
    with here.tab() as (page, _):
        answers: list[Response] = []
        page.on("response", lambda one: answers.append(one))  # noqa: PLW0108 - a builtin will not do
        page.goto("/")
        expect(page.locator("#question")).to_be_focused()
        page.wait_for_load_state("networkidle")
        assert 10_000 < sum(len(one.body()) for one in answers) < FIRST_PAINT


@pytest.mark.contract("U1")
@pytest.mark.parametrize("width", [360, 768, 3840])
def test_no_width_scrolls_sideways(here: World, width: int) -> None:
    with here.tab(viewport={"width": width, "height": 800}) as (page, _):
        run_id = here.finished(page)
        for address in (f"/?run={run_id}", f"/?run={run_id}&show=watch", "/", "/?view=doctor"):
            page.goto(address)
            page.wait_for_selector("h1")
            wide = page.evaluate("() => document.documentElement.scrollWidth")
            assert wide <= width, address


@pytest.mark.contract("U1")
def test_less_motion_is_respected(here: World) -> None:
    with here.tab(reduced_motion="reduce") as (page, _):
        here.finished(page, "What did Doodson predict for the landings in Normandy?")
        page.get_by_role("link", name="How it was found").click()
        page.wait_for_selector(".searches > li")
        moving = "e => getComputedStyle(e).animationName"
        assert page.locator(".searches > li").first.evaluate(moving) == "none"


@pytest.mark.contract("U1", "H3")
def test_an_unknown_run_is_told_in_words(here: World) -> None:
    with here.tab() as (page, seen):
        seen.expect("404")  # the browser itself notes it
        page.goto("/?run=261116-000000-abcdef")
        expect(page.locator("main [role=alert]")).to_contain_text("no run has the id")


def test_the_policy_of_the_page_allows_nothing_inline(here: World) -> None:
    with here.tab() as (page, _):
        answer = page.goto("/")
        assert answer is not None
        policy = answer.headers["content-security-policy"]
    assert "unsafe" not in policy
    assert policy.startswith("default-src 'none'")
    assert json.dumps(policy).count("'self'") == 4
