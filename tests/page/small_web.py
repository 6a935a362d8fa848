"""A web of a few pages on loopback, with a search engine of its own that can be made to wait."""

from __future__ import annotations

import html
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

QUESTION = "How were tides predicted before computers, and who built the first machines?"
PAGES: dict[str, tuple[str, str]] = {
    "/kelvin": (
        "Kelvin's tide-predicting machine",
        """William Thomson, later Lord Kelvin, devised the first tide-predicting machine in 1872.
        The machine was built in London by the Legé company from 1872 to 1873. It combined ten tidal
        components, each turned by its own gear. A wire ran over all the pulleys and moved a pen.
        The pen drew the height of the tide on a roll of paper. The machine could run off a year of
        tides for one port in about four hours. It is now kept in the Science Museum in London.""",
    ),
    "/harmonic": (
        "Harmonic analysis of the tides",
        """Tides are predicted by adding up simple waves, one for each motion of the moon and sun.
        Harmonic analysis splits a year of tide-gauge records into these constituents. The largest
        constituent in most ports is M2, the principal lunar tide with a period of 12.42 hours.
        George Darwin published a standard method of harmonic analysis in 1883. Arthur Doodson
        extended it in 1921 to nearly 400 constituents. Computing one year by hand took months.""",
    ),
    "/roberts": (
        "Edward Roberts and the India Office machine",
        """Edward Roberts calculated the gear ratios of the first tide-predicting machine. In 1879
        the India Office had a second machine built, which combined twenty components. Roberts
        supervised it and produced tide tables for the ports of India. In 1906 Roberts designed a
        machine with forty components for his own family business in Broadstairs.""",
    ),
    "/ferrel": (
        "Ferrel's machine in the United States",
        """William Ferrel designed a tide-predicting machine for the United States Coast and
        Geodetic Survey. It was built by Fauth and Company and entered service in 1883. Ferrel's
        machine showed the times and heights of high and low water on dials. It was replaced in 1910
        by a machine with 37 components, known as Old Brass Brains, which served until 1965.""",
    ),
    "/liverpool": (
        "Tide tables from Liverpool",
        """Before machines, tide tables for ports such as Liverpool were family secrets. Richard and
        George Holden published tables for Liverpool from 1770, based on a method by Bernoulli and
        the records of William Hutchinson. Hutchinson, a dock master, had written down the time and
        height of high water at Liverpool from 1764 to 1793.""",
    ),
    "/dday": (
        "The tides of D-Day",
        """Arthur Doodson predicted the tides for the Normandy landings of June 1944. Two machines
        in Liverpool, kept apart so that one bomb could not destroy both, ran the sums by day and
        night. The landings needed low water soon after dawn, so that obstacles on
        the beach were dry.""",
    ),
}
HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)</script>"
EVIL_LINK = "javascript:alert(3)"
LONG = "w" * 10_000
HELD_S = 600  # until `release`: longer than anybody waits
_WORD = re.compile(r"[a-z]{3,}")


@dataclass
class SmallWeb:
    """The server: its address, what was asked of it, and how it behaves."""

    url: str = ""
    queries: list[str] = field(default_factory=list)
    hostile: bool = False
    broken: bool = False
    free: int = 10**9  # so many searches are answered at once; the others wait for `release`
    going: threading.Event = field(default_factory=threading.Event)

    def hold_after(self, count: int) -> None:
        self.free = len(self.queries) + count
        self.going.clear()

    def release(self) -> None:
        self.free = 10**9
        self.going.set()

    @property
    def host(self) -> str:
        return urlsplit(self.url).netloc

    def settings(self) -> dict[str, Any]:
        """What a service needs to search here alone."""
        return {
            "search_providers": ("searxng",),
            "searxng_url": self.url,
            "fetch_allow_hosts": (self.host,),
            "search_quality_floor": 0,
        }

    def found(self, query: str) -> list[dict[str, str]]:
        asked = set(_WORD.findall(query.lower()))
        rows = []
        for path, (title, text) in PAGES.items():
            shared = len(asked & set(_WORD.findall(f"{title} {text}".lower())))
            snippet = ". ".join(" ".join(text.split()).split(". ")[:3]).rstrip(".") + "."
            rows.append((shared, {"url": self.url + path, "title": title, "content": snippet}))
        rows.sort(key=lambda row: -row[0])
        found = [row for _, row in rows[:4]]
        if self.hostile:
            found[0] = dict(found[0], title=f"{HOSTILE} {found[0]['title']}")
            found[1] = dict(found[1], content=f"{found[1]['content']} {HOSTILE} {LONG}")
            found.append({"url": EVIL_LINK, "title": "A link", "content": "Tides. " + HOSTILE})
        return found

    def page(self, path: str) -> str:
        title, text = PAGES[path]
        body = "".join(
            f"<p>{html.escape(' '.join(part.split()))}</p>" for part in text.split("\n\n")
        )
        bad = f"<p>The tides say {html.escape(HOSTILE)} {LONG}.</p>" if self.hostile else ""
        name = html.escape(f"{HOSTILE} {title}" if self.hostile else title)
        return f"<!doctype html><title>{name}</title><article><h1>{name}</h1>{body}{bad}</article>"


@contextmanager
def small_web(port: int = 0) -> Iterator[SmallWeb]:
    """Serve it while the block lasts."""
    web = SmallWeb()

    class Talk(BaseHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            pass

        def do_GET(self) -> None:
            asked = urlsplit(self.path)
            if asked.path == "/search":
                self._search(parse_qs(asked.query).get("q", [""])[0])
            elif asked.path in PAGES:
                self._send(web.page(asked.path).encode(), "text/html; charset=utf-8")
            else:
                self.send_error(404)

        def _search(self, query: str) -> None:
            web.queries.append(query)
            if len(web.queries) > web.free:
                web.going.wait(HELD_S)
            if web.broken:
                with suppress(ConnectionError):
                    self.send_error(500)
                return
            self._send(json.dumps({"results": web.found(query)}).encode(), "application/json")

        def _send(self, data: bytes, kind: str) -> None:
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            with suppress(ConnectionError):  # who asked may be gone: some are killed
                self.wfile.write(data)

    server = ThreadingHTTPServer(("127.0.0.1", port), Talk)
    server.daemon_threads = True
    web.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield web
    finally:
        web.release()
        server.shutdown()
        server.server_close()
