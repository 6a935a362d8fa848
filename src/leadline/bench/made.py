"""Made-up data for the benches that need none from outside: invented towns, people and companies.

It shows that the machinery works and what it costs; how good it is only real data tells.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random

COMPANIES = 400
QUESTIONS = 60
_STARTS = "Bel Cor Dra Fen Gal Hol Jar Kel Lom Mar Nor Oss Pel Quin Ros Sel Tor Ul Ver Wen Yar Zel"
_ENDS = "andra beck dale ford gard heim ingen low mere nack oria pool rith stead ton vale wick zano"
_JOBS = "chemist surveyor weaver botanist printer clockmaker shipwright geologist"
_THINGS = "glass salt bells paper cider lace pottery rope tiles honey"
_MIDDLES = "a e i o u an er il os ur"


def write_made(folder: Path, seed: int = 0, companies: int = COMPANIES) -> Path:
    """A corpus of three documents a company, with questions over one and over three of them."""
    folder.mkdir(parents=True, exist_ok=True)
    dice = Random(seed)  # noqa: S311 - made-up text
    names = _names(dice, 4 * companies)
    documents: list[dict[str, str]] = []
    hops: list[dict[str, object]] = []
    queries: list[tuple[str, str]] = []
    for at in range(companies):
        person, town, region, company = (next(names) for _ in range(4))
        own = _documents(dice, at, person, town, region, company)
        documents += own
        gold = [document["_id"] for document in own]
        asked = f"In which region was the founder of {company} Works born?"
        hops.append({"question": asked, "answers": [region], "gold_doc_ids": gold})
        queries.append((f"What is the town of {town} known for?", own[2]["_id"]))
    chosen = dice.sample(range(companies), min(QUESTIONS, companies))
    _write(folder / "corpus.jsonl", documents)
    _write(folder / "questions.jsonl", [hops[at] for at in chosen])
    _write(folder / "queries.jsonl", [{"_id": f"q{at}", "text": queries[at][0]} for at in chosen])
    lines = ["query-id\tcorpus-id\tscore", *(f"q{at}\t{queries[at][1]}\t1" for at in chosen)]
    (folder / "qrels.tsv").write_text("\n".join(lines) + "\n", "utf-8")
    return folder


def write_pages(folder: Path, corpus: Path) -> Path:
    """The documents of a corpus as files of their own, for the index."""
    folder.mkdir(parents=True, exist_ok=True)
    for line in corpus.read_text("utf-8").splitlines():
        row = json.loads(line)
        page = f"# {row['title']}\n\n{row['text']}\n"
        (folder / f"{row['_id']}.md").write_text(page, "utf-8")
    return folder


def _names(dice: Random, count: int) -> Iterator[str]:
    starts, middles, ends = _STARTS.split(), _MIDDLES.split(), _ENDS.split()
    every = [s + m + e for s in starts for m in middles for e in ends]
    if count <= len(every):
        return iter(dice.sample(every, count))
    pairs = dice.sample(range(len(every) ** 2), count)
    return (f"{every[at // len(every)]} {every[at % len(every)]}" for at in pairs)


def _documents(
    dice: Random, at: int, person: str, town: str, region: str, company: str
) -> list[dict[str, str]]:
    job, thing = dice.choice(_JOBS.split()), dice.choice(_THINGS.split())
    year = dice.randint(1790, 1960)
    first = f"{company} Works is a maker of {thing}. It was founded in {year} by Ada {person}."
    first += f" The works employ {dice.randint(20, 900)} people and publish a yearly catalogue."
    second = f"Ada {person} was a {job} born in {town} in {year - dice.randint(25, 60)}."
    second += f" {person} travelled for {dice.randint(2, 19)} years and wrote letters about it."
    third = f"{town} is a town in the region of {region}, known for its {thing}."
    third += f" It has {dice.randint(2, 90)},{dice.randint(100, 999)} inhabitants and a market."
    return [
        {"_id": f"company-{at}", "title": f"{company} Works", "text": first},
        {"_id": f"person-{at}", "title": f"Ada {person}", "text": second},
        {"_id": f"town-{at}", "title": town, "text": third},
    ]


def _write(path: Path, rows: list[dict[str, str]] | list[dict[str, object]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
