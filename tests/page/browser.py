"""Chromium for the tests of the page; it notes every request, error and dialog."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Browser, Page, expect, sync_playwright

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
WAIT_MS = 120_000  # a machine may be busy; nothing waits longer than it must


@dataclass
class Seen:
    """What a page did that nobody would see."""

    requests: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)
    expected: list[str] = field(default_factory=list)

    def expect(self, *parts: str) -> None:
        """Errors with these words belong to the test, whenever the browser notes them."""
        self.expected.extend(parts)

    def unexpected(self) -> list[str]:
        return [one for one in self.errors if not any(part in one for part in self.expected)]

    def watch(self, page: Page) -> None:
        page.on("request", lambda one: self.requests.append(one.url))
        page.on("pageerror", lambda error: self.errors.append(f"{error}"))

        def said(line: Any) -> None:
            if line.type == "error":
                self.errors.append(line.text)

        page.on("console", said)

        def dialog(found: Any) -> None:
            self.dialogs.append(found.message)
            found.dismiss()

        page.on("dialog", dialog)

    def elsewhere(self, url: str) -> list[str]:
        """Requests to anybody but the service."""
        own = (url, "data:", f"blob:{url}")
        return [one for one in self.requests if not one.startswith(own)]


def chromium() -> str:
    """Where it is; "" where there is none."""
    return shutil.which("chromium") or shutil.which("chromium-browser") or ""


@contextmanager
def browsing() -> Iterator[Browser]:
    """A browser while the block lasts."""
    expect.set_options(timeout=WAIT_MS)
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium(), args=FLAGS, timeout=WAIT_MS)
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def opened(browser: Browser, url: str, **given: Any) -> Iterator[tuple[Page, Seen]]:
    """A tab on the page, and what it did."""
    context = browser.new_context(base_url=url, **given)
    context.set_default_timeout(WAIT_MS)
    page, seen = context.new_page(), Seen()
    seen.watch(page)
    try:
        yield page, seen
    finally:
        context.close()
