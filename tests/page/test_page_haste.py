"""A person who is quicker than the service: nothing is lost, done twice or shown out of turn."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from page_world import REPORT, World, browser_there, world
from playwright.sync_api import Browser, FilePayload, Page, Route, expect

pytestmark = [pytest.mark.slow, browser_there]
UPLOADS = "**/uploads?*"
EVENTS = "**/events"
Answer = Callable[[Route], None]


@pytest.fixture(scope="module")
def here(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with world(browser, tmp_path_factory.mktemp("haste"), RESEARCH_MEMORY="false") as found:
        yield found


class Held:
    """Requests to an address, kept until there is an answer for them, one after the other."""

    def __init__(self, page: Page, address: str) -> None:
        self._waiting: list[Route] = []
        self._answers: list[Answer] = []
        self._free = False
        self.count = 0
        page.route(address, self._hold)

    def _hold(self, route: Route) -> None:
        self.count += 1
        self._waiting.append(route)
        self._settle()

    def _settle(self) -> None:
        while self._waiting and (self._answers or self._free):
            answer = self._answers.pop(0) if self._answers else Route.continue_
            answer(self._waiting.pop(0))

    def go(self) -> None:
        """All of them, and those that come later."""
        self._free = True
        self._settle()

    def answer(self, answer: Answer) -> None:
        """The first that waits, or the next that comes."""
        self._answers.append(answer)
        self._settle()


def refused(status: int, why: str) -> Answer:
    said = {"type": "refused", "message": why}
    return lambda route: route.fulfill(status=status, json=said)


def told(**step: Any) -> Answer:
    """One event of a run, after which the connection is cut."""
    row = {"child": "", "elapsed": 1, "finished_at": "2026-01-01T00:00:00Z", **step}
    body = f"event: step\nid: 1\ndata: {json.dumps(row)}\n\n"
    return lambda route: route.fulfill(content_type="text/event-stream", body=body)


def _file(name: str, text: str) -> FilePayload:
    return {"name": name, "mimeType": "text/markdown", "buffer": f"# {name}\n\n{text}\n".encode()}


def _runs(names: list[str]) -> dict[str, Any]:
    shown = {"status": "finished", "reason": "", "stop_reason": "", "created_at": "2026-01-01"}
    return {"runs": [{"id": one, "task": one, **shown} for one in names], "all": 9}


@pytest.mark.contract("U1")
def test_an_answer_to_what_was_typed_before_is_not_shown(here: World) -> None:
    late: list[Route] = []

    def answer(route: Route) -> None:
        if "search=ti&" in route.request.url:
            late.append(route)
        else:
            route.fulfill(json=_runs(["the tides"] if "search=tides" in route.request.url else []))

    with here.tab() as (page, _):
        page.route("**/browse/runs?*", answer)
        page.goto("/?view=runs")
        with page.expect_request("**/browse/runs?search=ti&*"):
            page.fill("#search", "ti")
        with page.expect_event("requestfailed", lambda one: "search=ti&" in one.url):
            page.fill("#search", "tides")
        expect(page.locator("tbody")).to_contain_text("the tides")
        assert len(late) == 1


@pytest.mark.contract("U1", "R11")
def test_an_estimate_of_what_was_asked_before_is_not_shown(here: World) -> None:
    with here.tab() as (page, _):
        page.goto("/")
        held = Held(page, "**/estimate")
        with page.expect_request("**/estimate"):
            page.fill("#question", "Which machine drew tides?")
        with page.expect_event("requestfailed", lambda one: one.url.endswith("/estimate")):
            page.uncheck("label:has-text('Web') input")
        expect(page.locator("#estimate")).to_contain_text("Choose at least one")
        assert held.count == 1


@pytest.mark.contract("U1")
def test_a_view_that_was_left_while_it_loaded_does_not_come_back(here: World) -> None:
    with here.tab() as (page, _):
        page.goto("/")
        held = Held(page, "**/page/runs.js")
        with page.expect_request("**/page/runs.js"):
            page.get_by_role("link", name="Runs", exact=True).click()
        page.get_by_role("link", name="Cache").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Cache")
        page.wait_for_selector("tbody tr")
        held.go()
        page.evaluate("() => import('/page/runs.js')")  # whoever waited for it has it by now
        expect(page.get_by_role("heading", level=1)).to_have_text("Cache")
        assert page.title().startswith("Cache")


@pytest.mark.contract("U1", "R10")
def test_who_leaves_while_a_run_is_taken_up_is_not_called_back(here: World) -> None:
    here.web.hold_after(0)
    with here.tab() as (page, _):
        here.ask(page, "Which constituent has a period of 12.42 hours?")
        page.get_by_role("button", name="Stop").click()
        held = Held(page, "**/resume")
        with page.expect_request("**/resume"):
            page.get_by_role("button", name="Go on").click()
        page.get_by_role("link", name="Cache").click()
        page.wait_for_selector("tbody tr")
        with page.expect_request_finished(lambda one: one.url.endswith("/resume")):
            held.go()
        here.web.release()
        expect(page.get_by_role("heading", level=1)).to_have_text("Cache")
        assert page.url.endswith("?view=cache")


@pytest.mark.contract("U1", "G8")
def test_a_search_that_was_opened_stays_open_when_it_is_judged(here: World) -> None:
    verdict = {"query": "tides", "score": 5.0, "threshold": 3.0, "accepted": True, "hits": 1}
    here.web.hold_after(0)
    with here.tab() as (page, _):
        held = Held(page, EVENTS)
        with page.expect_request(EVENTS):
            here.ask(page, "Who kept the secret tables of Liverpool?")
        with page.expect_request(EVENTS):  # it asks on after that
            held.answer(told(step="search", query="tides", results=1))
            page.locator(".searches summary").click()
        held.answer(told(step="gate", verdicts=[{**verdict, "reason": "first", "repeated": 0}]))
        page.wait_for_selector(".novelty[role=img]")
        expect(page.locator(".searches details")).to_have_attribute("open", "")
        here.web.release()


@pytest.mark.contract("U1", "H3")
def test_events_that_are_refused_are_told(here: World) -> None:
    here.web.hold_after(0)  # a run that is done before the page looks has no events to ask for
    with here.tab() as (page, seen):
        seen.expect("403")
        held = Held(page, EVENTS)
        with page.expect_request(EVENTS):
            here.ask(page, "Who designed the machine of Broadstairs?")
        held.answer(refused(403, "this run is another's"))
        expect(page.get_by_role("alert")).to_have_text("this run is another's")
        here.web.release()


@pytest.mark.contract("U1", "H5")
def test_enter_pressed_twice_asks_once(here: World) -> None:
    with here.tab() as (page, _):
        page.goto("/")
        page.fill("#question", "Who published a method of harmonic analysis in 1883?")
        held = Held(page, "**/run")
        with page.expect_request("**/run"):
            page.press("#question", "Enter")
        page.press("#question", "Enter")
        held.go()
        page.wait_for_selector(REPORT)
        assert held.count == 1
        further = Held(page, "**/ask")
        page.fill("#further", "Who extended it in 1921?")
        with page.expect_request("**/ask"):
            page.press("#further", "Enter")
        page.press("#further", "Enter")
        further.go()
        page.wait_for_url(lambda url: "run=" in url)
        page.wait_for_selector(REPORT)
        assert further.count == 1


@pytest.mark.contract("U1", "D1")
def test_a_file_that_is_still_being_sent_belongs_to_the_question(here: World) -> None:
    first = _file("one.md", "The capital of Ruritania is Strelsau, says the almanac.")
    second = _file("two.md", "The river of Ruritania is the Elfbach, says the almanac.")
    with here.tab() as (page, seen):
        page.goto("/")
        page.uncheck("label:has-text('Web') input")
        page.fill("#question", "What are the capital and the river of Ruritania?")
        held = Held(page, UPLOADS)
        with page.expect_request(UPLOADS):
            page.locator("input[type=file]").set_input_files([first])
        page.locator("input[type=file]").set_input_files([second])
        page.press("#question", "Enter")
        assert held.count <= 1  # the second would make a folder of its own
        held.go()
        page.wait_for_selector(REPORT)
        expect(page.locator(REPORT)).to_contain_text("Strelsau")
        expect(page.locator(REPORT)).to_contain_text("Elfbach")
        assert sum(one.endswith("/run") for one in seen.requests) == 1


@pytest.mark.contract("U1", "D1")
def test_a_file_that_is_refused_is_told_and_stops_the_question_it_belongs_to(
    here: World,
) -> None:
    with here.tab() as (page, seen):
        seen.expect("413")
        page.goto("/")
        page.fill("#question", "What is the capital of Ruritania?")
        held = Held(page, UPLOADS)
        with page.expect_request(UPLOADS):
            page.locator("input[type=file]").set_input_files([_file("one.md", "x")])
        page.press("#question", "Enter")
        held.answer(refused(413, "too much"))
        expect(page.get_by_text("one.md: too much")).to_be_visible()
        expect(page.locator("button[type=submit]")).to_be_enabled()
        expect(page.locator(".chips li")).to_have_count(0)
        expect(page.locator("#estimate")).to_contain_text("Expect")  # also after that it is told
        expect(page.get_by_text("one.md: too much")).to_be_visible()
        assert not any(one.endswith("/run") for one in seen.requests)


@pytest.mark.contract("U1")
def test_a_sheet_goes_with_the_view_that_opened_it(here: World) -> None:
    with here.tab() as (page, _):
        here.finished(page, "Who supervised the machine of the India Office?")
        page.locator(".cite button").first.click()
        page.locator(".pop:popover-open").get_by_text("as it was read").click()
        expect(page.locator("dialog")).to_be_visible()
        page.go_back()
        expect(page.locator("#question")).to_be_visible()
        expect(page.locator("dialog")).to_have_count(0)


@pytest.mark.contract("U1")
def test_a_view_that_cannot_be_loaded_is_told_and_comes_with_the_service(
    browser: Browser, tmp_path: Path
) -> None:
    with world(browser, tmp_path / "data") as here, here.tab() as (page, seen):
        page.goto("/")
        expect(page.locator("#question")).to_be_focused()
        seen.expect("ERR_")
        here.service.kill()
        page.get_by_role("link", name="Cache").click()
        expect(page.locator("main [role=alert]")).to_contain_text("does not answer")
        here.service.start()
        page.get_by_role("link", name="Cache").click()
        page.wait_for_selector("tbody tr")
