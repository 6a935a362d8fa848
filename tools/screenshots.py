"""Makes the pictures of the page in docs/images: a real service, a real browser, a small web.

    .venv/bin/python tools/screenshots.py

Every picture is what a person would see; each is reduced to 256 colours and must stay small.
"""

from __future__ import annotations

import sys
import tempfile
from io import BytesIO
from pathlib import Path

from playwright.sync_api import Page

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests" / "page"), str(ROOT / "tests")]

from browser import browsing, opened  # noqa: E402
from page_world import REPORT, World, world  # noqa: E402
from small_web import QUESTION  # noqa: E402

IMAGES = ROOT / "docs" / "images"
MOST_BYTES = 150_000
WIDE = {"width": 1280, "height": 800}
TALL = {"width": 1280, "height": 1000}
PHONE = {"width": 390, "height": 780}


def keep(page: Page, name: str) -> None:
    """The picture, with a palette of its own."""
    from PIL import Image

    page.wait_for_timeout(400)  # fonts and the last movement
    picture = Image.open(BytesIO(page.screenshot())).convert("RGB")
    path = IMAGES / f"{name}.png"
    picture.quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(
        path, optimize=True
    )
    size = path.stat().st_size
    assert size < MOST_BYTES, f"{path.name} has {size} bytes"
    sys.stdout.write(f"{path.relative_to(ROOT)}  {size / 1000:.0f} kB\n")


def first(here: World) -> None:
    """Before anything was asked."""
    with opened(here.browser, here.service.url, viewport=WIDE) as (page, _):
        page.goto("/")
        page.fill("#question", QUESTION)
        page.wait_for_selector('#estimate:has-text("Expect")')
        keep(page, "page-ask")


def running_and_finished(here: World) -> str:
    """One run, as it goes on and as it is read."""
    here.web.hold_after(3)
    with opened(here.browser, here.service.url, viewport=WIDE) as (page, _):
        run_id = here.ask(page)
        page.wait_for_selector(".searches > li:nth-child(3) .novelty[role=img]")
        page.wait_for_timeout(1500)
        keep(page, "page-watch")
        here.web.release()
        page.wait_for_selector(REPORT)
        page.mouse.move(640, 790)
        page.locator(".cite button").nth(1).hover()
        keep(page, "page-read")
    return run_id


def dark_and_phone(here: World, run_id: str) -> None:
    """The same report at night, and in a hand."""
    with opened(here.browser, here.service.url, viewport=WIDE, color_scheme="dark") as (page, _):
        page.goto(f"/?run={run_id}")
        page.wait_for_selector(REPORT)
        page.check("#colour")
        keep(page, "page-dark")
    phone = {"viewport": PHONE, "device_scale_factor": 2, "has_touch": True, "is_mobile": True}
    with opened(here.browser, here.service.url, **phone) as (page, _):
        page.goto(f"/?run={run_id}")
        page.wait_for_selector(REPORT)
        page.locator(".cite button").first.scroll_into_view_if_needed()
        page.locator(".cite button").first.tap()
        keep(page, "page-phone")


def compared_and_planned(here: World, run_id: str) -> None:
    """Two runs side by side, a plan before it is carried out, and what memory holds."""
    with opened(here.browser, here.service.url, viewport=WIDE) as (page, _):
        other = here.finished(page, "Which machines predicted tides for the United States?")
        page.goto(f"/?compare={run_id},{other}")
        page.wait_for_selector(".three")
        keep(page, "page-compare")
        page.goto("/")
        page.fill("#question", "How did dock masters predict the tides of Liverpool?")
        page.check("label:has-text('Show me the plan first') input")
        page.press("#question", "Enter")
        page.wait_for_selector(".plan-lines input")
        keep(page, "page-plan")
        page.goto("/?view=runs")
        page.wait_for_selector("tbody tr:nth-child(3)")
        keep(page, "page-runs")


def failed(here: World) -> None:
    """A run whose searches all fail."""
    here.web.broken = True
    with opened(here.browser, here.service.url, viewport=TALL) as (page, _):
        here.ask(page, "What do the tides of Ruritania depend on?")
        page.wait_for_selector(REPORT, timeout=60_000)
        page.get_by_role("link", name="How it was found").click()
        page.wait_for_selector(".part.trouble li")
        keep(page, "page-failed")


def main() -> None:
    """All of them, in the order of a person's day."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        browsing() as browser,
        world(browser, Path(folder) / "data") as here,
    ):
        first(here)
        run_id = running_and_finished(here)
        dark_and_phone(here, run_id)
        compared_and_planned(here, run_id)
        failed(here)


if __name__ == "__main__":
    main()
