"""How much of a page's text is read, over folders of HTML: what a change of the readers cuts off.

Articles with gold text say whether too much is read or too little of them; manuals, references and
lists have none, and lose whole chapters unseen. Any folder of HTML will do, such as those that
packages of documentation install. Save the lengths before a change and compare after it.

    python bench/shares.py DIR... [--pages 40] [--seed 5] [--save FILE] [--against FILE]
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from leadline.errors import SourceLost
from leadline.read.article import read_article
from leadline.read.tree import parse_html

LARGEST = 1_500_000  # bytes; lists of everything there is
LITTLE = 0.3  # of a page's text: a list of links, or a page that is not read
CHANGED = 0.1


def text_of(file: Path) -> str:
    raw = file.read_bytes()
    return (gzip.decompress(raw) if file.suffix == ".gz" else raw).decode("utf-8", "replace")


def lengths(page: str) -> tuple[int, int]:
    """Characters that are read, and those of the body without its frame."""
    try:
        read = len(read_article(page, "https://site.example/page").text)
    except SourceLost:
        read = 0
    body = parse_html(page).body
    if body is None:
        return read, 0
    for node in body.css("script, style, nav, header, footer"):
        node.decompose()
    return read, len(" ".join(body.text(separator=" ").split()))


def sampled(folders: list[Path], most: int, seed: int) -> Iterator[Path]:
    """At most so many pages of each folder that has pages, in the same order every time."""
    by_folder: dict[Path, list[Path]] = defaultdict(list)
    for folder in folders:
        for file in sorted(folder.rglob("*.htm*")):
            if file.is_file() and file.stat().st_size <= LARGEST:
                by_folder[file.parent].append(file)
    draw = random.Random(seed)
    for files in by_folder.values():
        yield from draw.sample(files, min(most, len(files)))


def compared(now: dict[str, tuple[int, int]], before: dict[str, list[int]]) -> list[str]:
    return [
        f"{name}: {before[name][0]} -> {read} of {whole}"
        for name, (read, whole) in now.items()
        if name in before and abs(read - before[name][0]) > CHANGED * max(before[name][0], 1)
    ]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("folders", nargs="+", type=Path, metavar="DIR")
    options.add_argument("--pages", type=int, default=40, help="of each folder")
    options.add_argument("--seed", type=int, default=5)
    options.add_argument("--save", type=Path, metavar="FILE", help="the lengths, as JSON")
    options.add_argument("--against", type=Path, metavar="FILE", help="lengths saved before")
    given = options.parse_args()
    found = {
        str(file): lengths(text_of(file))
        for file in sampled(given.folders, given.pages, given.seed)
    }
    shares = {name: read / whole for name, (read, whole) in found.items() if whole}
    for name, share in sorted(shares.items(), key=lambda one: one[1]):
        if share < LITTLE:
            print(f"{share:.2f} of {found[name][1]:>7}  {name}")
    middle = median(shares.values()) if shares else 0.0
    little = sum(share < LITTLE for share in shares.values())
    print(f"{len(shares)} pages, half of them above {middle:.2f}, {little} under {LITTLE}")
    if given.against:
        changed = compared(found, json.loads(given.against.read_text("utf-8")))
        print(*changed, f"{len(changed)} changed by more than {CHANGED:.0%}", sep="\n")
    if given.save:
        given.save.write_text(json.dumps(found), "utf-8")


if __name__ == "__main__":
    main()
