"""The page when things go wrong: a killed service, hostile pages, failures, keys, scripts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from page_world import REPORT, World, browser_there, new_key, world
from playwright.sync_api import Browser, Page, expect
from small_web import EVIL_LINK, HOSTILE, LONG

pytestmark = [pytest.mark.slow, browser_there]


@pytest.fixture
def here(browser: Browser, tmp_path: Path) -> Iterator[World]:
    with world(browser, tmp_path / "data") as found:
        yield found


@pytest.mark.contract("U1", "R9")
def test_a_service_that_is_killed_under_the_page_comes_back_to_it(here: World) -> None:
    here.web.hold_after(2)
    with here.tab() as (page, seen):
        here.ask(page)
        page.wait_for_selector(".novelty[role=img]")
        seen.expect("ERR_")  # the browser's own, of the gap
        here.service.kill()
        expect(page.get_by_text("The connection was lost")).to_be_visible()
        here.web.release()
        here.service.start()
        page.wait_for_selector(REPORT)
        expect(page.get_by_text("The connection was lost")).to_have_count(0)


@pytest.mark.contract("U1")
@pytest.mark.parametrize("slow", ["**/runs?limit=5", "**/estimate"])
def test_a_view_that_is_left_before_its_answers_came_says_nothing(here: World, slow: str) -> None:
    with here.tab() as (page, _):
        page.route(slow, lambda _: None)  # the answer never comes
        with page.expect_request(slow):
            page.goto("/")
            page.fill("#question", "Which machine drew tides?")
        page.goto("/?view=cache") if slow == "**/estimate" else page.press("#question", "Enter")
        page.wait_for_selector("table.list" if slow == "**/estimate" else REPORT)


@pytest.mark.contract("U1")
def test_what_a_service_that_is_gone_cannot_do_is_told_where_it_was_asked(here: World) -> None:
    with here.tab() as (page, seen):
        here.finished(page)
        seen.expect("ERR_")
        here.service.kill()
        page.get_by_role("button", name="Copy").click()
        expect(page.get_by_role("alert").first).to_contain_text("does not answer")


@pytest.mark.contract("X3")
def test_hostile_titles_snippets_and_pages_are_shown_as_text(here: World) -> None:
    here.web.hostile = True
    with here.tab(viewport={"width": 1000, "height": 800}) as (page, seen):
        here.web.hold_after(2)
        here.ask(page)
        page.wait_for_selector(".novelty[role=img]")
        page.locator(".searches summary").first.click()
        expect(page.locator(".hits").first).to_contain_text(HOSTILE)
        _harmless(page)
        here.web.release()
        page.wait_for_selector(REPORT)
        _harmless(page)
        page.get_by_role("link", name="How it was found").click()
        page.wait_for_selector(".searches summary")
        _harmless(page)
        assert LONG[:50] not in " ".join(seen.requests)


def _harmless(page: Page) -> None:
    """Nothing of the text became an element, a script or a link, and nothing is too wide."""
    assert page.locator("#view img").count() == 0
    assert page.locator("#view script").count() == 0
    assert page.locator(f"a[href^='{EVIL_LINK.partition(':')[0]}']").count() == 0
    inline = "() => [...document.querySelectorAll('#view *')].some(e => e.onerror || e.onclick)"
    assert page.evaluate(inline) is False
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 1000


@pytest.mark.contract("X3", "U1")
def test_a_hostile_question_and_file_name_stay_text(here: World, tmp_path: Path) -> None:
    file = tmp_path / "a <img src=x onerror=alert(1)>.md"
    file.write_text(f"# Tides\n\nThe tides of Ruritania are {HOSTILE} very low.\n")
    with here.tab(viewport={"width": 1000, "height": 800}) as (page, _):
        page.goto("/")
        page.locator("input[type=file]").set_input_files(str(file))
        expect(page.locator(".chips li")).to_contain_text("onerror=alert(1)")
        page.fill("#question", f"How low are the tides of Ruritania {HOSTILE}")
        page.press("#question", "Enter")
        page.wait_for_selector(REPORT)
        _harmless(page)
        page.goto("/?view=runs")
        expect(page.locator("tbody")).to_contain_text("onerror")
        _harmless(page)


@pytest.mark.contract("U1", "R4")
def test_a_run_without_any_source_says_so(here: World) -> None:
    here.web.broken = True
    with here.tab() as (page, _):
        here.ask(page, "What do the tides of Ruritania depend on?")
        page.wait_for_selector(".paper")
        expect(page.locator(".paper")).to_contain_text("Why there is no answer")
        page.get_by_role("link", name="How it was found").click()
        expect(page.locator(".part.trouble")).to_be_visible()
        expect(page.locator(".phase")).to_have_text("Finished without an answer")


@pytest.mark.contract("H4", "U1")
def test_a_key_is_asked_for_once_and_kept_for_the_tab(browser: Browser, tmp_path: Path) -> None:
    folder = tmp_path / "data"
    secret = new_key(folder)
    with (
        world(browser, folder, RESEARCH_SERVE_REQUIRE_KEYS="true") as here,
        here.tab() as (page, seen),
    ):
        seen.expect("401", "403")  # the browser itself notes them
        page.goto("/")
        page.fill("#key", "ll_wrong")
        page.press("#key", "Enter")
        expect(page.get_by_text("That key opens nothing here.")).to_be_visible()
        page.fill("#key", secret)
        page.press("#key", "Enter")
        page.wait_for_selector("#question")
        here.finished(page)
        page.reload()
        page.wait_for_selector(REPORT)
        page.locator(".menu summary").click()
        with page.expect_download() as got:
            page.locator(".menu a").first.click()
        assert got.value.path().stat().st_size > 100
        assert secret not in page.content()
        assert not any(secret in one for one in seen.requests)
        page.get_by_role("link", name="Memory").click()
        expect(page.get_by_text("Only the local user")).to_be_visible()


@pytest.mark.contract("U1", "P7")
@pytest.mark.parametrize(
    ("text", "question", "direction"),
    [
        ("عاصمة روريتانيا هي مدينة سترلساو منذ عام 1894.", "ما هي عاصمة روريتانيا؟", "rtl"),
        ("卢里塔尼亚的首都是斯特雷尔绍，自1894年以来如此。", "卢里塔尼亚的首都是哪里？", "ltr"),
    ],
)
def test_right_to_left_and_chinese_keep_their_direction(
    here: World, tmp_path: Path, text: str, question: str, direction: str
) -> None:
    file = tmp_path / "notes.md"
    file.write_text(f"# {question}\n\n{text}\n")
    with here.tab() as (page, _):
        page.goto("/")
        page.locator("input[type=file]").set_input_files(str(file))
        expect(page.locator(".chips li button")).to_be_visible()
        page.uncheck("label:has-text('Web') input")
        page.fill("#question", question)
        way = "e => getComputedStyle(e).direction"
        assert page.locator("#question").evaluate(way) == direction
        page.press("#question", "Enter")
        page.wait_for_selector(REPORT)
        assert page.locator(".paper h1").evaluate(way) == direction
        said = page.locator(f"{REPORT} p", has_text="1894").first
        assert said.evaluate(way) == direction
