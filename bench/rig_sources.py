"""What of a rig question's gold strings the report was written from, and what of them it says.

The passages are those that the writer was given: the run is gone through again by its records.
The pages are all that it read.

python bench/rig_sources.py RIG_RUN_FOLDER... --rig RIG
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any

from leadline.bundle.contents import RunFile
from leadline.errors import LeadlineError
from leadline.kit.sealed import sealed_kit
from leadline.ports import Run
from leadline.records import RecordedLedger, again
from leadline.research.agent.loop import research
from leadline.results import Record
from leadline.session import open_session
from leadline.settings import Settings, load
from leadline.types import Draft, Passage, State
from leadline.values import replace
from leadline.write.extractive import ExtractiveReasoner


def gold_of(rig: Path) -> dict[str, list[str]]:
    """The gold strings of each question of the rig."""
    questions = json.loads((rig / "questions.json").read_text("utf-8"))
    return {question["id"]: question["gold"] for question in questions}


async def last_run(state: Path) -> RunFile:
    """The newest run of a data folder, with its pages."""
    async with open_session(load(overrides={"data_dir": state})) as session:
        runs = await session.engine.list(1)
        if not runs:
            raise LeadlineError(f"{state} holds no run")
        return (await session.export(runs[0].id)).content


class Rewritten(RecordedLedger):
    """Every step from the records; the writing of each part is done besides."""

    def once(self, name: str, do: Callable[[], Awaitable[Record]]) -> Coroutine[Any, Any, Record]:
        kept = super().once(name, do)
        return _done(do, kept) if name == "write" else kept


async def _done(do: Callable[[], Awaitable[Record]], kept: Coroutine[Any, Any, Record]) -> Record:
    await do()
    return await kept


class Noting(ExtractiveReasoner):
    """Notes what it is to write from; a question in parts is written part by part."""

    passages: tuple[Passage, ...] = ()

    async def write(self, state: State, passages: Sequence[Passage]) -> Draft:
        self.passages += tuple(passages)
        return Draft("")


async def passages_in(content: RunFile) -> list[str]:
    """The text of every passage that the report was written from: the run gone through again."""
    settings = Settings.restore(content.settings, Settings(data_dir=Path()))
    remembers = any(record["name"] in ("recall", "remember") for record in content.records)
    kit = sealed_kit(settings, remembers=remembers)
    writer = Noting(kit.embedder)
    kit = replace(kit, reasoner=writer, plain=writer)

    async def body(run: Run, task: str) -> None:
        await research(task, kit, run)

    about = content.about
    await again(about.id, about.seed, Rewritten(content.records), about.task, body)
    return [passage.text for passage in writer.passages]


def held(gold: Sequence[str], texts: Sequence[str]) -> list[str]:
    """Which gold strings stand in the texts, white space aside."""
    whole = " ".join("\n".join(texts).split())
    return [one for one in gold if one in whole]


def counted(folder: Path, gold: Sequence[str]) -> dict[str, Any]:
    """The counts of one run of the rig."""
    content, report = asyncio.run(last_run(folder / "state")), (folder / "report.md").read_text()
    passages = held(gold, asyncio.run(passages_in(content)))
    return {
        "run": folder.name,
        "gold": len(gold),
        "in_pages": len(held(gold, [kept.page.text for kept in content.pages])),
        "in_passages": len(passages),
        "in_report": len(held(gold, [report])),
        "not_in_passages": [one for one in gold if one not in passages],
    }


def main(args: Sequence[str] | None = None) -> int:
    """Print a line of JSON for each folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--rig", type=Path, required=True)
    given = parser.parse_args(args)
    try:
        gold = gold_of(given.rig)
        for folder in given.folders:
            question = folder.name.split("-")[-2:][0]  # NAME-QUESTION-FAULT
            if question not in gold:
                raise LeadlineError(f"{folder} is named after no question of {given.rig}")
            print(json.dumps(counted(folder, gold[question]), ensure_ascii=False))
    except (LeadlineError, OSError, ValueError, KeyError) as error:
        print(f"rig_sources: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
