"""Sentences of HotpotQA, 2Wiki and MuSiQue, as they stand and nearly so, and the same with a name,
a number or a "not" exchanged: how many of each are called quoted?"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from random import Random

from benchmarks.gold import read_rows
from benchmarks.options import Figures, Options
from leadline.check.prover import Prover
from leadline.question.entities import entities
from leadline.reader.static import StaticEmbedder
from leadline.text.sentences import sentences
from leadline.text.values import values
from leadline.types import Passage, Verdict

SETS = ("hotpotqa", "2wikimultihopqa", "musique")
SENTENCES = 300
_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_SUBJECT = re.compile(r"(?:He|She|It|They)(?= (?:was|is|were|are|has|had|also|[a-z]+ed)\b)")
_BRACKET = re.compile(r"\s*\([^()]{3,60}\)")
_DAY = re.compile(rf"\b(\d{{1,2}}) ({_MONTHS}) (\d{{4}})\b")
_OPENING = re.compile(r"(In|On|At|After|During) ([^,.]{3,30}), (\w[^,]*)\.$")
_CLAUSE = re.compile(r"([A-Z][^,;:]{30,}?), (?:and|but|which|who|where|with) ")
_VERB = re.compile(r"\b(?:is|was|were|are|has|had|can|will|may|must)\b (?!not)")
_LENGTH = range(6, 46)  # words
_SMALL = 31


def run(options: Options) -> Figures:
    dice, embedder = Random(options.seed), StaticEmbedder()
    counts: Counter[str] = Counter()
    for texts in _groups(options, dice):
        passages = [Passage(n, text, f"{n}", 0, len(text)) for n, (_, text) in enumerate(texts, 1)]
        titles = {n: title for n, (title, _) in enumerate(texts, 1)}
        prover = Prover(passages, embedder, titles)
        number = dice.randrange(len(texts)) + 1
        title, text = texts[number - 1]
        told = [one.text.strip() for one in sentences(text) if len(one.text.split()) in _LENGTH]
        if not told:
            continue
        kind, right = dice.choice(list(_nearly(dice.choice(told), title)))
        names = [name for _, other in texts for name in entities(other[:400])]
        wrong = (one for one in _exchanged(right, names, dice) if one[1] != right)
        trials = [(kind, right), *wrong]
        for name, claim in trials:
            group = "right" if name == kind else "wrong"
            ids = (number,) if group == "right" or dice.random() < 1 / 2 else ()
            counts[f"{group}.n"] += 1
            quoted = prover.prove(claim, ids).claim.verdict is Verdict.QUOTED
            counts[f"{group}.quoted"] += quoted
            if quoted != (group == "right"):
                print(f"{group}, {name}: {claim}", file=sys.stderr)
    figures: Figures = {}
    for group in ("right", "wrong"):
        figures[f"{group}.n"] = counts[f"{group}.n"]
        figures[f"{group}.quoted"] = counts[f"{group}.quoted"] / counts[f"{group}.n"]
    return figures


def _groups(options: Options, dice: Random) -> list[list[tuple[str, str]]]:
    """The paragraphs of so many questions, each with its title."""
    found: list[list[tuple[str, str]]] = []
    for name in SETS:
        corpus = {row["_id"]: row for row in read_rows(options.data / name / "corpus.jsonl")}
        for row in read_rows(options.data / name / "questions.jsonl"):
            rows = [corpus[one] for one in row["context_doc_ids"]]
            found.append([(one["title"], one["text"]) for one in rows])
    return dice.sample(found, min(len(found), options.limit or SENTENCES))


def _nearly(text: str, title: str) -> Iterator[tuple[str, str]]:
    """`text` as it stands, and in each way that keeps what it says."""
    name = re.sub(r"\s*\(.*?\)", "", title)
    yield "verbatim", text
    if _SUBJECT.match(text):
        yield "name for a pronoun", _SUBJECT.sub(lambda _: name, text, count=1)
    if text.startswith(f"{name} "):
        yield "pronoun for a name", "It" + text.removeprefix(name)
    if _BRACKET.search(text):
        yield "without a bracket", _BRACKET.sub("", text, count=1)
    if " is " in text:
        yield "inflection", text.replace(" is ", " was ", 1)
    if _DAY.search(text):
        yield "form of a date", _DAY.sub(r"\2 \1, \3", text, count=1)
    if one := _OPENING.match(text):
        yield "moved opening", f"{one[3]} {one[1].lower()} {one[2]}."
    if one := _CLAUSE.match(text):
        yield "first clause", f"{one[1]}."


def _exchanged(text: str, others: Sequence[str], dice: Random) -> Iterator[tuple[str, str]]:
    """`text` with one thing exchanged that makes it say something else."""
    names = [name for name in entities(text) if name[0].isupper()]
    ours = set(text.split())
    fresh = [one for one in others if one[0].isupper() and ours.isdisjoint(one.split())]
    if names and fresh:
        yield "name", text.replace(dice.choice(names), dice.choice(fresh), 1)
    figures = [one for one in values(text) if re.search(r"\d", one.text)]
    if figures:
        one = dice.choice(figures)
        digits = re.findall(r"\d+", one.text)[0]
        other = int(digits) + (1 if int(digits) < _SMALL else -dice.randint(1, 9))
        changed = one.text.replace(digits, str(other), 1)
        yield "number", text[: one.start] + changed + text[one.end :]
    if verb := _VERB.search(text):
        yield "not", f"{text[: verb.end()]}not {text[verb.end() :]}"
