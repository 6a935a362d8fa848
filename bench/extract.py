"""How much of an article's text is found, and how little else: token F1 beside trafilatura's.

Pages come from `templates.py` (half of the templates were never tuned to) with sentences of the
collections in --data, and from the HTML with accepted Markdown in its `documents.tar.gz`; first of
all from `layouts.py`, by another hand and without --data, beside three settings of trafilatura.

    python bench/extract.py [--data DIR] [--pages 20] [--seed 1] [--worst]
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tarfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from statistics import mean

from layouts import layouts, made
from leadline.errors import SourceLost
from leadline.read.article import read_article
from templates import SEEN, UNSEEN, Template, make

_WORD = re.compile(r"\w+")
_SENTENCE = re.compile(r"[A-Z][^.!?\n]{30,220}[.!?](?=\s|$)")
URL = "https://site.example/page"
Extract = Callable[[str], str]


def ours(page: str) -> str:
    try:
        return read_article(page, URL).text
    except SourceLost:
        return ""


def trafilatura(page: str, precise: bool = False, generous: bool = False) -> str:
    from trafilatura import extract

    found = extract(
        page, url=URL, include_comments=False, favor_precision=precise, favor_recall=generous
    )
    return found or ""


SYSTEMS: dict[str, Extract] = {"ours": ours, "trafilatura": trafilatura}
MORE_SYSTEMS = SYSTEMS | {
    "precise": partial(trafilatura, precise=True),
    "generous": partial(trafilatura, generous=True),
}


def f1(found: str, gold: str) -> float:
    """Over words as a multiset, case aside."""
    got, wanted = (Counter(_WORD.findall(text.lower())) for text in (found, gold))
    shared = (got & wanted).total()
    return 2 * shared / (got.total() + wanted.total()) if shared else 0.0


def untitled(text: str, title: str) -> str:
    """Without the title, which neither system is judged by."""
    first, _, rest = text.lstrip().partition("\n")
    return rest if first.strip("# ").casefold() == title.casefold() else text


def sentences(data: Path, most: int = 4000) -> list[str]:
    """Sentences of a collection of paragraphs."""
    found: list[str] = []
    for line in (data / "hotpotqa" / "corpus.jsonl").read_text("utf-8").splitlines():
        found += _SENTENCE.findall(json.loads(line)["text"])
        if len(found) >= most:
            break
    return found


def measure(
    templates: Sequence[Template], text: Sequence[str], pages: int, seed: int
) -> Iterator[tuple[str, dict[str, float]]]:
    for template in templates:
        scores: dict[str, list[float]] = {name: [] for name in SYSTEMS}
        for number in range(pages):
            page, gold, title = make(template, text, seed * 1000 + number)
            for name, extract in SYSTEMS.items():
                scores[name].append(f1(untitled(extract(page), title), gold))
        yield template.__name__, {name: mean(some) for name, some in scores.items()}


def other_hand(group: str, pages: int, seed: int) -> str:
    """A table of the layouts of a set; the last line counts runs of four words."""
    rows: list[tuple[str, dict[str, float]]] = []
    fours: dict[str, list[float]] = {name: [] for name in MORE_SYSTEMS}
    for layout in layouts(group):
        scores: dict[str, list[float]] = {name: [] for name in MORE_SYSTEMS}
        for number in range(pages):
            one = made(layout, seed * 1000 + number)
            for name, extract in MORE_SYSTEMS.items():
                found = extract(one.page)
                scores[name].append(one.f1(found))
                fours[name].append(one.f1(found, run=4))
        rows.append((layout.name, {name: mean(some) for name, some in scores.items()}))
    last = "".join(f"{mean(some):>13.3f}" for some in fours.values())
    return table(rows, f"layouts, {group}", MORE_SYSTEMS) + f"{'runs of four words':<27}{last}\n\n"


def documents(data: Path) -> Iterator[tuple[str, str, str]]:
    """Name, page and accepted Markdown of the HTML in `documents.tar.gz`."""
    held: dict[str, str] = {}
    with tarfile.open(data / "documents.tar.gz") as archive:
        for member in archive:
            file = archive.extractfile(member) if "/html/" in member.name else None
            if file is not None:
                held[member.name] = file.read().decode("utf-8", "replace")
    for name, page in sorted(held.items()):
        gold = held.get(name.replace("/sources/", "/groundtruth/") + ".md")
        if "/sources/" in name and gold:
            yield Path(name).stem, page, gold


def table(
    rows: Sequence[tuple[str, dict[str, float]]], label: str, systems: Iterable[str] = SYSTEMS
) -> str:
    lines = [f"{name:<27}" + "".join(f"{row[one]:>13.3f}" for one in systems) for name, row in rows]
    whole = "".join(f"{mean(row[one] for _, row in rows):>13.3f}" for one in systems)
    head = f"{label:<27}" + "".join(f"{one:>13}" for one in systems)
    return "\n".join([head, *lines, f"{'mean':<27}{whole}", ""])


def show_worst(text: Sequence[str], seed: int) -> None:
    """For each tuned template what is missing and what is too much."""
    for template in SEEN:
        page, gold, title = make(template, text, seed * 1000)
        got = Counter(_WORD.findall(untitled(ours(page), title).lower()))
        wanted = Counter(_WORD.findall(gold.lower()))
        missing, extra = (wanted - got).total(), (got - wanted).total()
        sys.stdout.write(f"{template.__name__}: {missing} words missing, {extra} too many\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--pages", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--worst", action="store_true")
    given = parser.parse_args()
    if given.data is None:
        if given.worst:
            parser.error("--worst needs --data DIR, the folder of the collections")
        for group in ("first", "dev", "second", "third"):
            sys.stdout.write(other_hand(group, given.pages, given.seed))
        return
    text = sentences(given.data)
    if given.worst:
        show_worst(text, given.seed)
        return
    began = time.perf_counter()
    for group in ("first", "dev", "second", "third"):
        sys.stdout.write(other_hand(group, given.pages, given.seed))
    for label, templates in (("seen", SEEN), ("held out", UNSEEN)):
        rows = list(measure(templates, text, given.pages, given.seed))
        sys.stdout.write(table(rows, label) + "\n")
    pages = []
    for name, page, gold in documents(given.data):
        title = gold.lstrip().partition("\n")[0].strip("# ")
        wanted = untitled(gold, title)
        scores = {n: f1(untitled(extract(page), title), wanted) for n, extract in SYSTEMS.items()}
        pages.append((name, scores))
    sys.stdout.write(table(pages, "documents.tar.gz"))
    sys.stdout.write(f"{time.perf_counter() - began:.1f} s\n")


if __name__ == "__main__":
    main()
