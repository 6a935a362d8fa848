"""A real model: what it answers closed book, with one plain retrieval, and under Leadline.

Question by question in turn, so that a busy machine is unfair to none. Every prompt and reply is
kept in RESULTS.jsonl, and ANSWERS.md lists what each system says first, to be read: whether an
answer states what was asked is not for gold strings alone to say.
"""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

import httpx2

from benchmarks.baselines import Baselines
from benchmarks.call_log import logged
from benchmarks.folders import as_folder
from benchmarks.gold import Question, answers, mean, read_questions, read_rows, refuses, words_of
from benchmarks.options import Figures, Options
from benchmarks.product import Answer
from leadline.render.markdown import markdown
from leadline.session import open_session
from leadline.settings import load
from leadline.types import AgentResponse

SETS = ("hotpotqa", "2wikimultihopqa", "musique")
MULTIHOP, MANUAL = 24, 12  # questions, where no --limit is given; with one, two thirds and a third
SHOWN = 8  # paragraphs of the plain retrieval
ANSWER_TOKENS = 120
TIMEOUT_S = 1800
_CLOSED = "Answer in one sentence.\n\nQuestion: {question}"
_PLAIN = (
    "{passages}\n\nQuestion: {question}\n\nAnswer the question from the passages in one sentence."
)


@dataclass(frozen=True)
class Item:
    """A question over a folder: gold strings for multi-hop, patterns for a manual."""

    id: str
    question: str
    docs: Path
    gold: tuple[str, ...] = ()
    manual: Question | None = None

    def stated_in(self, text: str) -> bool:
        """Whether `text` holds the answer; an echo of the question does not count."""
        if self.manual:
            return answers(self.manual, text)
        shown = words_of(text.replace(self.question, ""))
        return any(words_of(one) in shown for one in self.gold)


@dataclass(frozen=True)
class Said:
    """What a system answers, and what it holds back as not proven."""

    direct: str
    whole: str
    found: bool = True
    dropped: tuple[str, ...] = ()
    claims: int = 0


def run(options: Options) -> Figures:
    if not (options.endpoint and options.model):
        raise SystemExit("with_model needs --endpoint URL and --model NAME")
    rows: list[dict[str, Any]] = []
    folder = options.work / "with_model"
    folder.mkdir(parents=True, exist_ok=True)
    with logged(options.endpoint) as (address, calls):
        for item in _items(options):
            for system in ("closed_book", "plain", *options.tiers, "no_model"):
                since, before = time.monotonic(), len(calls)
                said = _asked(system, item, address, options)
                rows.append(_row(item, system, said, calls[before:], time.monotonic() - since))
                with (folder / "RESULTS.jsonl").open("a", encoding="utf-8") as file:
                    file.write(json.dumps(rows[-1], ensure_ascii=False) + "\n")
            _list(folder / "ANSWERS.md", rows)
    return figures_of(rows)


def _items(options: Options) -> Iterator[Item]:
    """The questions, multi-hop and manual in turn."""
    lot = random.Random(options.seed)
    most = options.limit or MULTIHOP + MANUAL
    hops, manual = [], _manuals(options, lot, most // 3)
    for place, name in enumerate(SETS):
        count = (most - most // 3 + len(SETS) - 1 - place) // len(SETS)
        hops.append(_multihop(name, options, lot, count))
    turns = [one for group in zip_longest(*hops) for one in group if one]
    for pair in zip_longest(turns[::2], turns[1::2], manual):
        yield from (one for one in pair if one)


def _multihop(name: str, options: Options, lot: random.Random, count: int) -> list[Item]:
    corpus = read_rows(options.data / name / "corpus.jsonl")
    texts = ((row["_id"], row.get("title", ""), row["text"]) for row in corpus)
    docs = as_folder(texts, options.work / "folders" / name)
    rows = read_rows(options.data / name / "questions.jsonl")
    rows = [row for row in rows if row["answers"][0].lower() not in ("yes", "no")]
    some = lot.sample(rows, min(count, len(rows)))
    return [Item(row["_id"], row["question"], docs, tuple(row["answers"])) for row in some]


def _manuals(options: Options, lot: random.Random, count: int) -> list[Item]:
    asked = read_questions(options.data / "manuals" / "questions.jsonl")
    asked = [one for one in asked if one.answerable]
    some = lot.sample(asked, min(count, len(asked)))
    return [Item(one.id, one.text, options.manuals / one.folder, manual=one) for one in some]


# ── the systems ─────────────────────────────────────────────────────────────────────────────


def _asked(system: str, item: Item, address: str, options: Options) -> Said:
    if system == "closed_book":
        return _one_call(_CLOSED.format(question=item.question), address, options.model)
    if system == "plain":
        name = item.docs.name
        plain = Baselines(item.docs, options.work / "baselines" / name)
        best = plain.best_by_words(item.question, SHOWN)
        passages = "\n\n".join(f"[{n}] {one.heading}\n{one.text}" for n, one in enumerate(best, 1))
        prompt = _PLAIN.format(passages=passages, question=item.question)
        return _one_call(prompt, address, options.model)
    return asyncio.run(_product(system, item, address, options))


def _one_call(prompt: str, address: str, model: str) -> Said:
    body = {
        "model": model,
        "messages": [{"role": "user", "content": prompt}],
        "max_tokens": ANSWER_TOKENS,
        "temperature": 0,
    }
    reply = httpx2.post(f"{address}/chat/completions", json=body, timeout=TIMEOUT_S)
    text = str(reply.json()["choices"][0]["message"]["content"] or "")
    return Said(text, text)


async def _product(system: str, item: Item, address: str, options: Options) -> Said:
    with_model = system != "no_model"
    overrides: dict[str, object] = {
        "docs": [item.docs.absolute()],
        "data_dir": options.work / "product" / item.docs.name,
        "memory": False,
        "max_execution_time_s": TIMEOUT_S,
        "model_timeout_s": TIMEOUT_S,
        "no_model": not with_model,
        **({"model": f"vllm:{options.model}@{address}", "tier": system} if with_model else {}),
        **options.settings,
    }
    async with open_session(load(overrides=overrides)) as session:
        session.prepare()
        response = await session.response(await session.start(item.question))
    return _said(response)


def _said(response: AgentResponse) -> Said:
    shown = Answer(response.final_answer, markdown(response), response.found)
    dropped = tuple(f"{one.text} ({one.why})" for one in response.dropped)
    direct = "" if refuses(response.found, "", "") else shown.direct
    return Said(direct, response.final_answer, response.found, dropped, len(response.claims))


# ── what came of it ─────────────────────────────────────────────────────────────────────────


def _row(
    item: Item, system: str, said: Said, calls: Sequence[dict[str, Any]], seconds: float
) -> dict[str, Any]:
    used = [call["reply"].get("usage") or {} for call in calls if isinstance(call["reply"], dict)]
    return {
        "id": item.id,
        "question": item.question,
        "gold": item.gold or [list(part) for part in item.manual.parts]
        if item.manual
        else item.gold,
        "kind": "manual" if item.manual else "multihop",
        "system": system,
        "direct": said.direct,
        "whole": said.whole,
        "found": said.found,
        "states": item.stated_in(said.direct),
        "holds": item.stated_in(said.whole),
        "dropped": said.dropped,
        "dropped_right": [one for one in said.dropped if item.stated_in(one)],
        "calls": len(calls),
        "prompt_tokens": sum(one.get("prompt_tokens", 0) for one in used),
        "answer_tokens": sum(one.get("completion_tokens", 0) for one in used),
        "seconds": round(seconds, 1),
        "kept": list(calls),
    }


def figures_of(rows: Sequence[dict[str, Any]]) -> Figures:
    """Shares and means by kind of question and system; a wrong answer is one that is shown first,
    as found, without the gold."""
    figures: Figures = {}
    for kind in dict.fromkeys(row["kind"] for row in rows):
        for system in dict.fromkeys(row["system"] for row in rows):
            some = [row for row in rows if (row["kind"], row["system"]) == (kind, system)]
            wrong = [bool(row["found"] and row["direct"] and not row["states"]) for row in some]
            measures: dict[str, list[float]] = {
                "states": [row["states"] for row in some],
                "holds": [row["holds"] for row in some],
                "wrong_first": [float(one) for one in wrong],
                "dropped_right": [float(bool(row["dropped_right"])) for row in some],
                "calls": [row["calls"] for row in some],
                "prompt_tokens": [row["prompt_tokens"] for row in some],
                "answer_tokens": [row["answer_tokens"] for row in some],
                "seconds": [row["seconds"] for row in some],
            }
            figures[f"questions.{kind}.{system}"] = len(some)
            figures |= {f"{name}.{kind}.{system}": mean(v) for name, v in measures.items()}
    return figures


def _list(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    """What each system says first, question by question."""
    lines: list[str] = []
    for row in rows:
        if row["system"] == "closed_book":
            lines += ["", f"## {row['question']}", "", f"Gold: {row['gold']}", ""]
        mark = "+" if row["states"] else " "
        said = " ".join((row["direct"] or "(not found)").split())
        lines.append(f"- {mark} **{row['system']}**: {said}")
        lines += [f"  - dropped: {one}" for one in row["dropped"][:3]]
    path.write_text("\n".join(lines) + "\n", "utf-8")
