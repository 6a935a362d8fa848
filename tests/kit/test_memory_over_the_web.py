"""Over the web only the very same question, lately answered, saves its searches."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

import pytest

from leadline.render.markdown import markdown
from leadline.session import run_research_sync
from leadline.settings import Settings
from leadline.types import AgentResponse, Stop

QUESTION = "On which port does the Lantern gateway listen?"
OLD = "The Lantern gateway listens on port 9090. It accepts connections from the harbour network."
NEW = "Since release 2 the Lantern gateway listens on port 7777. Certificates are renewed daily."


class Web:
    """A SearXNG and the pages that it finds."""

    def __init__(self) -> None:
        self.pages = [("The Lantern gateway", OLD)]
        web = self

        class Answers(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                path = urlsplit(self.path).path
                found = path.startswith("/page/")
                body = web.page(int(path[6:])) if found else json.dumps({"results": web.results()})
                self.send_response(200 if path != "/robots.txt" else 404)
                self.send_header("Content-Type", "text/html" if found else "application/json")
                self.end_headers()
                self.wfile.write(body.encode())

            def log_message(self, format: str, *args: Any) -> None:
                """Nobody reads it."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
        self.place = f"127.0.0.1:{self.server.server_port}"

    def page(self, number: int) -> str:
        title, text = self.pages[number]
        main = f"<article><h1>{title}</h1><p>{text}</p></article>"
        return f"<html><head><title>{title}</title></head><body>{main}</body></html>"

    def results(self) -> list[dict[str, str]]:
        return [
            {"url": f"http://{self.place}/page/{n}", "title": title, "content": text}
            for n, (title, text) in enumerate(self.pages)
        ]


@pytest.fixture
def web() -> Iterator[Web]:
    made = Web()
    thread = Thread(target=made.server.serve_forever)
    thread.start()
    yield made
    made.server.shutdown()
    made.server.server_close()
    thread.join()


def ask(web: Web, folder: Path, question: str = QUESTION, **given: Any) -> AgentResponse:
    settings = Settings(
        data_dir=folder,
        no_model=True,
        search_providers=("searxng",),
        searxng_url=f"http://{web.place}",
        fetch_allow_hosts=(web.place,),
        search_quality_floor=0,
        **given,
    )
    return run_research_sync(question, settings=settings)


@pytest.mark.contract("P3", "M5", "M7")
def test_the_very_same_question_is_answered_from_the_kept_pages_and_that_is_said(
    web: Web, tmp_path: Path
) -> None:
    first, second = ask(web, tmp_path), ask(web, tmp_path, f" {QUESTION.lower()} ")
    assert first.usage.searches > 0
    assert (second.usage.searches, second.stop_reason) == (0, Stop.SUFFICIENT)
    assert {claim.quote.text for claim in second.claims if claim.quote} == {
        claim.quote.text for claim in first.claims if claim.quote
    }
    assert "no search was made" in markdown(second).split("\n\n")[1]


@pytest.mark.contract("M7")
@pytest.mark.parametrize(
    ("again", "given"),
    [
        ("Which port does the Lantern gateway use?", {"search_cache_ttl_s": 3600}),
        (QUESTION, {"search_cache_ttl_s": 0}),
    ],
    ids=["in other words", "too long ago"],
)
def test_what_is_newer_is_seen_beside_what_was_remembered(
    web: Web, tmp_path: Path, again: str, given: dict[str, Any]
) -> None:
    assert "9090" in ask(web, tmp_path, **given).final_answer
    web.pages.append(("Lantern release notes", NEW))
    second = ask(web, tmp_path, again, **given)
    assert second.usage.searches > 0
    assert "7777" in second.final_answer
    assert "searched for anew" in markdown(second).split("\n\n")[1]


@pytest.mark.contract("M5")
def test_what_memory_leads_to_is_cited_from_its_stored_page_where_the_page_is_gone(
    web: Web, tmp_path: Path
) -> None:
    first = ask(web, tmp_path)
    web.pages = [("Lantern harbour", "The Lantern harbour has nine tugs. They are painted red.")]
    second = ask(web, tmp_path, "Which port does the Lantern gateway listen on?")
    assert "9090" in second.final_answer
    assert {claim.quote.page for claim in second.claims if claim.quote} & {
        claim.quote.page for claim in first.claims if claim.quote
    }
