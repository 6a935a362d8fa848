"""Loading pairs of sentences that people judged: MRPC, STS and SICK, told apart by what is in
the files, so that any part of those sets can be measured."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from leadline.errors import BadInput

SAME_MEANING = 4.0  # of 5, as STS and SICK grade likeness
OTHER_FACT = 3.0

Collection = Literal["mrpc", "sts", "sick"]


@dataclass(frozen=True)
class Pair:
    """`grade` is 0–5; MRPC's yes is 5 and its no, a like sentence with another fact, is 2."""

    first: str
    second: str
    grade: float
    collection: Collection
    file: str

    @property
    def same(self) -> bool:
        return self.grade >= SAME_MEANING


def load_pairs(data: Path) -> tuple[Pair, ...]:
    """Every judged pair of a folder, or of one file. MRPC's training part is left out where
    another part of MRPC is present, since the weights have seen it."""
    files = [data] if data.is_file() else sorted(p for p in data.iterdir() if p.is_file())
    parts = {path: tuple(read_pairs(path)) for path in files}
    pairs = [pair for found in parts.values() for pair in found]
    unseen = [pair for pair in pairs if not _is_training(pair)]
    if any(pair.collection == "mrpc" for pair in unseen):
        pairs = unseen
    if not pairs:
        raise BadInput(f"{data} holds no MRPC, STS or SICK pairs")
    return tuple(pairs)


def _is_training(pair: Pair) -> bool:
    return pair.collection == "mrpc" and "train" in pair.file.lower()


def read_pairs(path: Path) -> Iterator[Pair]:
    """The judged pairs of one file; none when it is something else."""
    if path.suffix.lower() not in {".tsv", ".txt", ".csv"}:
        return
    lines = path.read_text("utf-8-sig", "replace").splitlines()
    cells = [line.split("\t") for line in lines if line.strip()]
    name = path.name.split(".")[0]
    if cells and cells[0][0] == "Quality":
        for row in cells[1:]:
            yield Pair(row[3], row[4], 5.0 if row[0] == "1" else 2.0, "mrpc", name)
    elif cells and "sentence_A" in cells[0]:
        first, second, grade = map(
            cells[0].index, ("sentence_A", "sentence_B", "relatedness_score")
        )
        for row in cells[1:]:
            yield Pair(row[first], row[second], float(row[grade]), "sick", name)
    else:
        yield from _graded(cells, name)


def _graded(cells: list[list[str]], name: str) -> Iterator[Pair]:
    """STS: a grade and two sentences, or the benchmark's form with four columns before them."""
    for row in cells:
        place = 4 if len(row) >= 7 else 0
        if len(row) >= place + 3 and (grade := _grade(row[place])) is not None:
            yield Pair(row[place + 1].strip(), row[place + 2].strip(), grade, "sts", name)


def _grade(cell: str) -> float | None:
    try:
        grade = float(cell)
    except ValueError:
        return None
    return grade if 0.0 <= grade <= 5.0 else None
