"""Stopping for good: the report of what was found, now; and plans that wait for another process."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from page_world import REPORT, World, browser_there, world
from playwright.sync_api import Browser, expect

from many_machines import Servers, servers

pytestmark = [pytest.mark.slow, browser_there]
TWO_ROUNDS = 4  # searches: those answered, and those held


@pytest.fixture(scope="module")
def here(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with world(browser, tmp_path_factory.mktemp("endings")) as found:
        yield found


@pytest.mark.contract("U1", "R4")
def test_the_report_is_written_now_from_what_was_found(here: World) -> None:
    here.web.hold_after(2)
    before = len(here.web.queries)
    with here.tab() as (page, _):
        here.ask(page, "Which port kept secret tables of the tides?")
        page.wait_for_selector(".novelty[role=img]")
        page.get_by_role("button", name="Write the report now").click()
        page.wait_for_selector(REPORT)  # although the search is still held
        expect(page.locator(".paper")).to_contain_text("asked for before the search was over")
        assert page.locator(f"{REPORT} .cite").count() > 0
        assert len(here.web.queries) <= before + TWO_ROUNDS
        here.web.release()


@pytest.mark.contract("U1", "R4", "R10")
def test_a_run_that_was_stopped_can_still_write_its_report(here: World) -> None:
    here.web.hold_after(2)
    before = len(here.web.queries)
    with here.tab() as (page, _):
        here.ask(page, "Who wrote down the heights of high water at Liverpool?")
        page.wait_for_selector(".novelty[role=img]")
        page.get_by_role("button", name="Stop").click()
        expect(page.locator(".phase")).to_have_text("Stopped")
        expect(page.get_by_role("button", name="Go on")).to_be_visible()
        page.get_by_role("button", name="Write the report now").click()
        page.wait_for_selector(REPORT)
        expect(page.locator(".paper")).to_contain_text("asked for before the search was over")
        assert len(here.web.queries) <= before + TWO_ROUNDS
        here.web.release()


def _many_machines(both: Servers) -> dict[str, str]:
    """Settings with which the service carries nothing out by itself."""
    there = both.machines()
    return {"RESEARCH_STORE_URL": there.url, "RESEARCH_ENGINE_URL": there.engine_url}


@contextmanager
def _worker(here: World) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-c", "from leadline.cli import main; main()", "worker"]
    with here.service.told.open("ab") as told:
        process = subprocess.Popen(command, env=here.service.environment(), stderr=told)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@pytest.mark.contract("P6", "H5", "R9")
def test_a_plan_waits_in_the_store_for_a_worker_that_may_die(
    browser: Browser, tmp_path: Path
) -> None:
    with (
        servers(tmp_path) as both,
        world(browser, tmp_path / "data", **_many_machines(both)) as here,
        here.tab() as (page, _),
    ):
        with _worker(here):
            page.goto("/")
            page.fill("#question", "How did dock masters predict the tides of Liverpool?")
            page.check("label:has-text('Show me the plan first') input")
            page.press("#question", "Enter")
            line = page.locator(".plan-lines input").first
            expect(line).to_be_focused()
            assert here.web.queries == []
        line.fill("Hutchinson dock master high water records")
        page.get_by_role("button", name="Begin").click()  # nobody is at the run now
        expect(page.locator(".plan-lines")).to_have_count(0)
        with _worker(here):
            page.wait_for_selector(REPORT)
        assert "Hutchinson dock master high water records" in here.web.queries


@pytest.mark.contract("R4", "R9")
def test_a_run_of_another_worker_is_told_to_write_its_report(
    browser: Browser, tmp_path: Path
) -> None:
    with (
        servers(tmp_path) as both,
        world(browser, tmp_path / "data", **_many_machines(both)) as here,
        here.tab() as (page, _),
        _worker(here),
    ):
        here.web.hold_after(2)
        here.ask(page)
        page.wait_for_selector(".novelty[role=img]")
        page.get_by_role("button", name="Write the report now").click()
        page.wait_for_selector(REPORT)
        expect(page.locator(".paper")).to_contain_text("asked for before the search was over")
