"""axe-core finds nothing serious in any view, in both themes and at both widths."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import axe_playwright_python
import pytest
from page_world import REPORT, World, browser_there, world
from playwright.sync_api import Browser, Page, expect

pytestmark = [pytest.mark.slow, browser_there]
AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text("utf-8")
RULES = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
}


@pytest.fixture(scope="module")
def here(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with world(browser, tmp_path_factory.mktemp("everyone")) as found:
        yield found


def _problems(page: Page) -> list[str]:
    page.evaluate(AXE)
    found: dict[str, Any] = page.evaluate("rules => axe.run(document, rules)", RULES)
    return [
        f"{one['impact']} {one['id']}: {node['html'][:160]} {node['failureSummary'][:200]}"
        for one in found["violations"]
        for node in one["nodes"][:2]
    ]


@pytest.mark.contract("U1")
@pytest.mark.parametrize(
    ("theme", "width", "question"),  # another each time: what is known is not searched for
    [
        ("light", 360, "Who built machines that predict the tides?"),
        ("dark", 360, "Which landings did Doodson predict the tides for?"),
        ("light", 1280, "Which tables of Liverpool were kept secret?"),
        ("dark", 1280, "What is the largest constituent in most ports?"),
    ],
)
def test_no_view_keeps_anybody_out(here: World, theme: str, width: int, question: str) -> None:
    size = {"width": width, "height": 800}
    look: dict[str, Any] = {"color_scheme": theme, "viewport": size, "reduced_motion": "reduce"}
    with here.tab(**look) as (page, _):
        page.goto("/")
        page.fill("#question", question)
        expect(page.locator("#estimate")).to_contain_text("Expect")
        assert _problems(page) == []
        here.web.hold_after(2)
        page.press("#question", "Enter")
        page.wait_for_selector(".novelty[role=img], .paper")
        page.locator(".searches summary").first.click()
        assert _problems(page) == []
        here.web.release()
        page.wait_for_selector(REPORT)
        page.check("#colour")
        page.locator(".cite button").first.click()
        assert _problems(page) == []
        page.locator(".pop:popover-open").get_by_text("as it was read").click()
        expect(page.locator("dialog .text mark")).to_be_visible()
        assert _problems(page) == []
        for view in ("runs", "memory", "cache", "doctor"):
            page.goto(f"/?view={view}")
            page.wait_for_selector("tbody tr")
            assert _problems(page) == [], view
