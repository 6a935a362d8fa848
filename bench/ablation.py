"""What each stage is worth: one thing changed at a time, on multi-hop questions and on the rig.

    python bench/ablation.py --data DIR [--data DIR …] [--rig RIG] [--limit 100] --work DIR
        [--more FILE] [--only VARIANT …]

Rows go to WORK/ablation.jsonl, one a question and variant; what is there is not run again. Without
`--rig` only the collections are measured. On the rig (its README says what it is) the whole product
runs over a served web with a scripted model: evidence in the last prompt, calls, tokens and time.
`--more` adds questions to the rig's own (`bench/arena/questions.json` has ours), `--only` takes
some variants of the rig. `bench/ablation_reports.py` has what comes after the search.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from leadline.bench.data import Document, load_corpus, one_of
from leadline.bench.multihop import KEPT, RESULTS, SEARCHES, Asked, load_questions
from leadline.documents import DocIndex
from leadline.fakes.run import MemoryRun
from leadline.ports import Embedder
from leadline.question.planning import make_plan
from leadline.reader.static import StaticEmbedder
from leadline.research.loop import Kit, gather
from leadline.research.state import begin
from leadline.search.documents import DocumentSearcher
from leadline.search.policies import from_provider
from leadline.stats.intervals import bootstrap_mean
from leadline.text.sentences import sentences
from leadline.types import Limits, Novelty, Rules, Tier
from leadline.values import replace
from leadline.write.extractive import ExtractiveReasoner
from rig_questions import with_questions

HERE = Path(__file__).resolve().parent
SEEN_SCORES = (2.0, 3.0, 2.0, 3.0, 3.0)  # what models were measured to say, over and over

COPY = "~"
PHRASES = (
    ("Welcome to our page on {0}.", "Share this article with your friends."),
    ("Here is all you need to know about {0}.", "Read more on this site, and subscribe."),
    ("{0}: the facts in short.", "All rights reserved; see our cookie policy."),
)

DEFAULT = Rules(results_per_search=RESULTS)
RULES: dict[str, Rules] = {
    "default": DEFAULT,
    "gate none": replace(DEFAULT, gate="none"),
    "gate heuristic": replace(DEFAULT, gate="heuristic"),
    "gate model (scripted)": replace(DEFAULT, gate="model"),
    "epsilon 0": replace(DEFAULT, novelty_epsilon=0.0),
    "policy fixed": replace(DEFAULT, policy="fixed"),
    "policy saturation": replace(DEFAULT, policy="saturation"),
    "saturation, gate none": replace(DEFAULT, policy="saturation", gate="none"),
    "saturation, gate heuristic": replace(DEFAULT, policy="saturation", gate="heuristic"),
    "saturation, epsilon 0": replace(DEFAULT, policy="saturation", novelty_epsilon=0.0),
    "stop gate": replace(DEFAULT, stop_rule="gate"),
    "stop unchanged": replace(DEFAULT, stop_rule="unchanged"),
    "stop parts": replace(DEFAULT, stop_rule="parts"),
    "stop value": replace(DEFAULT, stop_rule="value"),
    "one query a round": replace(DEFAULT, queries_per_round=1),
}
ON_THE_RIG: dict[str, dict[str, str]] = {
    "default": {},
    "gate none": {"RESEARCH_GATE": "none"},
    "gate heuristic": {"RESEARCH_GATE": "heuristic"},
    "gate model (scripted)": {"RESEARCH_GATE": "model"},
    "epsilon 0": {"RESEARCH_NOVELTY_EPSILON": "0"},
    "policy fixed": {"RESEARCH_POLICY": "fixed"},
    "policy saturation": {"RESEARCH_POLICY": "saturation"},
    "no pages read": {"RESEARCH_URL_ENRICH_COUNT": "0"},
    "chunker pieces": {"RESEARCH_CHUNKER": "pieces"},
    "chunker first": {"RESEARCH_CHUNKER": "first"},
    "no model": {"LEADLINE_RIG_MODEL": ""},
    "no model, stop gate": {"LEADLINE_RIG_MODEL": "", "RESEARCH_STOP_RULE": "gate"},
    "memory off": {"RESEARCH_MEMORY": "false"},
    "revision, same model": {"RESEARCH_REVISE": "3"},
    "revision, a judge named": {
        "RESEARCH_REVISE": "3",
        "RESEARCH_EVALUATOR_MODEL": "openai:gpt-4o",
    },
}


@dataclass(frozen=True)
class Row:
    """One question under one variant; `found` is 0–1, `context` in letters or tokens."""

    where: str
    variant: str
    question: str
    found: float
    share: float
    searches: float
    context: float
    seconds: float
    calls: float = 0.0
    seen: float = 0.0


class Scripted(ExtractiveReasoner):
    """Scores novelty as language models were measured to: two or three, whatever it reads."""

    def __init__(self, embedder: Embedder) -> None:
        super().__init__(embedder)
        self._asked = 0

    async def novelty(self, task: str, knowledge: str, findings: str) -> Novelty:
        self._asked += 1
        return Novelty(SEEN_SCORES[self._asked % len(SEEN_SCORES)])


class Rows:
    """The rows so far, in a file that survives a kill."""

    def __init__(self, path: Path) -> None:
        self._path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        self.all = list(self._read())
        self._have = {(row.where, row.variant, row.question) for row in self.all}

    def _read(self) -> Iterator[Row]:
        for line in self._path.read_text().splitlines() if self._path.exists() else ():
            try:
                yield Row(**json.loads(line))
            except (ValueError, TypeError):
                continue  # torn by a kill

    def has(self, where: str, variant: str, question: str) -> bool:
        return (where, variant, question) in self._have

    def add(self, row: Row) -> None:
        self.all.append(row)
        self._have.add((row.where, row.variant, row.question))
        with self._path.open("a") as file:
            file.write(json.dumps(asdict(row)) + "\n")


def over_collection(data: Path, limit: int, seed: int, rows: Rows, copies: int = 0) -> None:
    where = f"{data.name}, {copies} copies" if copies else data.name
    names = [name for name in RULES if not copies or name == "default" or "gate" in name]
    questions = load_questions(one_of(data, "questions.jsonl", "questions*"))
    questions = random.Random(seed).sample(questions, min(limit, len(questions)))
    missing = [
        (name, one) for name in names for one in questions if not rows.has(where, name, one.text)
    ]
    if not missing:
        return
    embedder = StaticEmbedder()
    corpus = load_corpus(data)
    texts = [text for one in corpus for text in as_on_the_web(one, copies)]
    index = DocIndex.in_memory(texts, embedder)
    for name, one in missing:
        rows.add(asyncio.run(gathered(where, name, one, index, embedder)))


def as_on_the_web(one: Document, copies: int) -> Iterator[tuple[str, str, str]]:
    """A document, and sites that tell the same in another order between their own phrases."""
    yield one.id, one.title, one.text
    said = [span.text for span in sentences(one.text)]
    for number in range(1, copies + 1):
        turned = [*said[number:], *said[:number]] if len(said) > number else said
        opening, ending = PHRASES[number % len(PHRASES)]
        text = " ".join([opening.format(one.title), *turned, ending])
        yield f"{one.id}{COPY}{number}", one.title, text


async def gathered(where: str, name: str, asked: Asked, index: DocIndex, embedder: Embedder) -> Row:
    """One question through the loop's search rounds, as `bench multihop` has it."""
    rules, searcher = RULES[name], DocumentSearcher(index)
    limits = Limits(max_iters=SEARCHES, max_queries=SEARCHES, max_sources=KEPT)
    kit = Kit(
        reasoner=Scripted(embedder),
        find=from_provider(searcher),
        fetcher=searcher,
        embedder=embedder,
        rules=dict.fromkeys(Tier, rules),
        limits=dict.fromkeys(Tier, limits),
    )
    run = MemoryRun(seed=len(asked.text))
    start = time.process_time()
    state = begin(asked.text, make_plan(asked.text, ()), limits, run.started)
    state = await gather(state, rules, kit, run)
    spent = time.process_time() - start
    urls = {source.id: source.url for source in state.sources}
    kept = asked.gold & {urls[number].split(COPY)[0] for number in state.kept}
    return Row(
        where,
        name,
        asked.text,
        float(len(kept) == len(asked.gold)),
        len(kept) / len(asked.gold),
        len(state.asked),
        sum(len(hit.text) for hit in state.search_results),
        round(spent, 4),
    )


def over_rig(rig: Path, work: Path, rows: Rows, only: Sequence[str]) -> None:
    known = [one["id"] for one in json.loads((rig / "questions.json").read_text("utf-8"))]
    for question in known:
        for name in only or ON_THE_RIG:
            if not rows.has("rig", name, question):
                found = on_rig(rig, work, name, question, ON_THE_RIG[name])
                rows.add(_rig_row(name, question, found))


def on_rig(
    rig: Path, work: Path, name: str, question: str, changed: dict[str, str]
) -> dict[str, Any]:
    adapter = HERE / "rig_adapter"
    command = [sys.executable, str(rig / "bench.py"), "--name", name.replace(" ", "-")]
    command += ["--cmd", str(adapter), "-q", question, "--work", str(work / "rig")]
    command += ["--results", str(work / "rig.jsonl")]
    env = os.environ | {"LEADLINE_RIG_MODEL": "1"} | changed
    done = subprocess.run(
        command, check=False, env=env, capture_output=True, text=True, timeout=600
    )
    if done.returncode:
        sys.exit(f"the rig failed on {name}, {question}: {done.stderr[-500:]}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    if found["rc"] and not found["report_chars"]:
        sys.exit(f"leadline failed on {name}, {question}: see {work / 'rig'}")
    return found


def _rig_row(name: str, question: str, found: dict[str, Any]) -> Row:
    total = found["gold_total"]
    last = found["gold_last_prompt"] if found["llm_calls"] else found["gold_report"]
    return Row(
        "rig",
        name,
        question,
        float(last == total),
        last / total,
        found["searches"],
        found["prompt_tok"],
        found["wall_s"],
        found["llm_calls"],
        found["gold_seen"] / total,
    )


def table(rows: Sequence[Row]) -> str:
    """Each variant beside the default, with the interval of the paired difference in share."""
    lines: list[str] = []
    for where in dict.fromkeys(row.where for row in rows):
        here = [row for row in rows if row.where == where]
        lines += [f"\n{where}\n", "| variant | n | all found | share | against default "]
        lines[-1] += "| searches | context | calls | seconds |"
        lines.append("|---|---|---|---|---|---|---|---|---|")
        base = {row.question: row for row in here if row.variant == "default"}
        lines += [_line(name, here, base) for name in dict.fromkeys(row.variant for row in here)]
    return "\n".join(lines) + "\n"


def _line(name: str, here: Sequence[Row], base: dict[str, Row]) -> str:
    own = [row for row in here if row.variant == name]
    apart = [row.found - base[row.question].found for row in own if row.question in base]
    told = ""
    if name != "default" and apart:
        interval = bootstrap_mean(apart, 0)
        told = f"{_mean(apart):+.3f} [{interval.low:+.3f}, {interval.high:+.3f}]"
    figures = [_mean([getattr(row, what) for row in own]) for what in ("found", "share")]
    rest = [_mean([getattr(r, what) for r in own]) for what in ("searches", "context", "calls")]
    seconds = _mean([row.seconds for row in own])
    return (
        f"| {name} | {len(own)} | {figures[0]:.3f} | {figures[1]:.3f} | {told} | {rest[0]:.2f} "
        f"| {rest[1]:,.0f} | {rest[2]:.1f} | {seconds:.2f} |"
    )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, action="append", default=[])
    parser.add_argument("--rig", type=Path)
    parser.add_argument("--more", type=Path, help="questions beside the rig's own, in its form")
    parser.add_argument("--only", nargs="*", default=[], choices=ON_THE_RIG, metavar="VARIANT")
    parser.add_argument("--limit", type=int, default=100)
    parser.add_argument("--copies", type=int, default=0, help="of each document, as on the web")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--work", type=Path, required=True)
    given = parser.parse_args()
    rows = Rows(given.work / "ablation.jsonl")
    for data in given.data:
        over_collection(data, given.limit, given.seed, rows, given.copies)
    if given.rig:
        rig = given.rig.resolve()
        rig = with_questions(rig, given.more, given.work) if given.more else rig
        over_rig(rig, given.work, rows, given.only)
    print(table(rows.all))


if __name__ == "__main__":
    main()
