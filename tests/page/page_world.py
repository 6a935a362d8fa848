"""A service over a small web, and a browser to look at it: what tests of the page begin with."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest
from browser import Seen, chromium, opened
from playwright.sync_api import Browser, Page
from small_web import QUESTION, SmallWeb, small_web

from held_port import HeldPort

browser_there = pytest.mark.skipif(not chromium(), reason="there is no Chromium here")
REPORT = ".paper article"
_SERVE = "from leadline.cli import main; main()"
PATIENCE_S = 120.0  # for a service to begin on a busy machine


@dataclass
class Served:
    """A service in a process of its own, that can be killed and come back."""

    data_dir: Path
    port: int
    web: SmallWeb
    more: dict[str, str]
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Begin and wait until it answers."""
        command = [sys.executable, "-c", _SERVE, "serve", "--port", str(self.port)]
        self.data_dir.mkdir(parents=True, exist_ok=True)
        with self.told.open("ab") as told:
            self.process = subprocess.Popen(command, env=self.environment(), stderr=told)
        self._answering()

    @property
    def told(self) -> Path:
        """What it writes for whoever looks for the cause of a failure."""
        return self.data_dir / "stderr.txt"

    def environment(self) -> dict[str, str]:
        """What it, and a worker beside it, is told."""
        return {
            **_own_code(),
            "RESEARCH_DATA_DIR": str(self.data_dir),
            "RESEARCH_SEARCH_PROVIDERS": "searxng",
            "RESEARCH_SEARXNG_URL": self.web.url,
            "RESEARCH_FETCH_ALLOW_HOSTS": self.web.host,
            "RESEARCH_SEARCH_QUALITY_FLOOR": "0",
            "RESEARCH_SEARCH_TIMEOUT_S": "120",  # a search that is held is waited for
            "RESEARCH_NO_MODEL": "true",
            **self.more,
        }

    def _answering(self) -> None:
        until = time.monotonic() + PATIENCE_S
        while time.monotonic() < until:
            try:
                httpx2.get(f"{self.url}/page/mark.svg", timeout=2)
            except httpx2.TransportError:
                assert self.process is not None
                assert self.process.poll() is None, self.told.read_text()
            else:
                return
        raise AssertionError(f"the service does not answer: {self.told.read_text()}")

    def kill(self) -> None:
        """As a power cut would."""
        if self.process is not None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
            self.process = None


@dataclass
class World:
    """A browser, a service and a web."""

    browser: Browser
    service: Served
    web: SmallWeb

    @contextmanager
    def tab(self, **given: Any) -> Iterator[tuple[Page, Seen]]:
        """A tab that must end without an error, a dialog or a request to anybody else."""
        with opened(self.browser, self.service.url, **given) as (page, seen):
            yield page, seen
            elsewhere = seen.elsewhere(self.service.url)
            assert seen.unexpected() == [], seen.errors
            assert seen.dialogs == [], seen.dialogs
            assert elsewhere == [], elsewhere

    def ask(self, page: Page, question: str = QUESTION) -> str:
        """Ask on the first view; the id of the run."""
        page.goto("/")
        page.fill("#question", question)
        page.press("#question", "Enter")
        page.wait_for_url("**/?run=*")
        return page.url.partition("run=")[2]

    def finished(self, page: Page, question: str = QUESTION) -> str:
        """Ask and wait for the report."""
        run_id = self.ask(page, question)
        page.wait_for_selector(REPORT)
        return run_id


def _own_code() -> dict[str, str]:
    """What leads a process to the code that the tests run with, and nothing else of ours."""
    return {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}


def new_key(folder: Path) -> str:
    """A key of the service that keeps its data there."""
    command = [sys.executable, "-c", "from leadline.cli import main; main()"]
    made = subprocess.run(
        [*command, "keys", "create", "--owner", "anna"],
        env={"RESEARCH_DATA_DIR": str(folder), **_own_code()},
        capture_output=True,
        check=True,
    )
    return made.stdout.decode().strip()


@contextmanager
def world(browser: Browser, folder: Path, **more: str) -> Iterator[World]:
    """A new service over a new web."""
    with small_web() as web:
        held = HeldPort()  # also while it is killed and comes back
        service = Served(folder, held.number, web, more)
        try:
            service.start()
            yield World(browser, service, web)
        finally:
            web.release()
            service.kill()
            held.give_up()
