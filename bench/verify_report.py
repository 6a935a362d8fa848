"""How long the check of a whole report takes: sixty claims over twenty sources, in processor time.

    python bench/verify_report.py --data DIR [--claims 60] [--sources 20]

The claims and pages are WiCE's (`bench verify` reads the same folder): each source is a page, each
claim cites one, some cite a second, some none. Prints one JSON object.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from pathlib import Path

from leadline.bench.claims import Case, load_cases
from leadline.check.verify import verify
from leadline.reader.static import StaticEmbedder
from leadline.types import Draft, Passage, Source

PAGE_CHARS = 8000  # what one page may bring into the context
EVERY_SECOND_ID, EVERY_UNCITED = 5, 10


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True, type=Path)
    parser.add_argument("--claims", type=int, default=60)
    parser.add_argument("--sources", type=int, default=20)
    chosen = parser.parse_args()
    pages = _pages(load_cases(chosen.data), chosen.sources)
    cases = [(n, case.claim) for n, some in enumerate(pages.values(), 1) for case in some]
    passages = tuple(Passage(n, text, f"page {n}", 0, len(text)) for n, text in enumerate(pages, 1))
    sources = tuple(Source(n, f"page{n}", "") for n in range(1, len(pages) + 1))
    claims = [cases[at % len(cases)] for at in range(chosen.claims)]
    embedder = StaticEmbedder()
    embedder.embed(["load the weights"])
    began = time.process_time()
    checked = asyncio.run(verify(_draft(claims, len(pages)), passages, embedder, sources))
    spent = time.process_time() - began
    figures = {
        "claims": len(claims),
        "sources": len(pages),
        "cpu_seconds": round(spent, 3),
        "ms_per_claim": round(1000 * spent / len(claims), 1),
        "kept": len(checked.claims),
        "dropped": len(checked.dropped),
        "doubts": len(checked.doubts),
    }
    sys.stdout.write(json.dumps(figures) + "\n")


def _pages(cases: tuple[Case, ...], most: int) -> dict[str, list[Case]]:
    """The pages that most claims are about, each with its claims."""
    found: dict[str, list[Case]] = {}
    for case in cases:
        found.setdefault("\n\n".join(case.sentences)[:PAGE_CHARS], []).append(case)
    best = sorted(found, key=lambda page: -len(found[page]))[:most]
    return {page: found[page] for page in best}


def _draft(claims: list[tuple[int, str]], sources: int) -> Draft:
    lines = []
    for at, (number, text) in enumerate(claims):
        second = f"[{number % sources + 1}]" if at % EVERY_SECOND_ID == 0 else ""
        cited = "" if at % EVERY_UNCITED == 1 else f" [{number}]{second}"
        lines.append(f"- {' '.join(text.split())}{cited}")
    return Draft("\n".join(lines))


if __name__ == "__main__":
    main()
