#!/usr/bin/env python3
"""The smallest research system there is: one search, three pages, one report. The arena's baseline.

    once.py QUESTION REPORT STATE_DIR      endpoints in the environment, as the rig has it

With ONCE_MODEL=1 a model is asked once over the text; without, the text itself is the report.
"""

from __future__ import annotations

import html
import json
import os
import re
import sys
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any

PAGES, CHARS = 3, 12_000


def get(url: str, body: dict[str, Any] | None = None) -> str:
    data = json.dumps(body).encode() if body else None
    headers = {"Content-Type": "application/json", "Authorization": "Bearer none"}
    request = urllib.request.Request(url, data, headers if body else {})
    with urllib.request.urlopen(request, timeout=60) as reply:
        return str(reply.read().decode("utf-8", "replace"))


def text_of(page: str) -> str:
    bare = re.sub(r"(?s)<(script|style)\b.*?</\1>|<[^>]+>", " ", page)
    return re.sub(r"\s+", " ", html.unescape(bare))[:CHARS]


def main() -> None:
    question, report = sys.argv[1], Path(sys.argv[2])
    words = urllib.parse.urlencode({"q": question, "format": "json"})
    results = json.loads(get(f"{os.environ['SEARX_URL']}/search?{words}"))["results"][:PAGES]
    texts = [f"[{at}] {text_of(get(one['url']))}" for at, one in enumerate(results, 1)]
    answer = "\n\n".join(texts)
    if os.environ.get("ONCE_MODEL"):
        asked = f"Answer with citations [n].\n\nQuestion: {question}\n\nSources:\n\n{answer}"
        body = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": asked}]}
        reply = json.loads(get(f"{os.environ['OPENAI_BASE_URL']}/chat/completions", body))
        answer = reply["choices"][0]["message"]["content"]
    listed = "\n".join(f"[{at}] {one['title']} {one['url']}" for at, one in enumerate(results, 1))
    report.write_text(f"{answer}\n\n## Sources\n\n{listed}\n", "utf-8")


if __name__ == "__main__":
    main()
