"""The product, asked whole questions over a folder: no model, no memory, one index a folder."""

from __future__ import annotations

import asyncio
import re
import resource
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from benchmarks.options import Figures, Options
from leadline.render.markdown import markdown
from leadline.session import open_session
from leadline.settings import load


@dataclass(frozen=True)
class Answer:
    """A report as Markdown; `printed` has the sources and notes that a terminal shows with it."""

    report: str
    printed: str
    found: bool

    @property
    def paragraphs(self) -> tuple[str, ...]:
        return paragraphs(self.report)

    @property
    def direct(self) -> str:
        """The first paragraph that is no heading."""
        return next(iter(self.paragraphs), "")


def paragraphs(report: str) -> tuple[str, ...]:
    """The blocks of a report between blank lines, quotation marks off; headings do not count."""
    blocks: list[list[str]] = [[]]
    fenced = False
    for line in report.split("\n"):
        bare = re.sub(r"^\s*(?:>\s?)+", "", line)
        heading = not fenced and re.match(r"#{1,6} ", bare)
        if bare.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        if heading or (not bare.strip() and not fenced):
            blocks.append([])
        if not heading:
            blocks[-1].append(bare)
    joined = ("\n".join(block).strip() for block in blocks)
    return tuple(block for block in joined if re.sub(r"\[\d+\]", "", block).strip(" *-_\n"))


def ask_all(questions: Sequence[str], docs: Path, name: str, options: Options) -> list[Answer]:
    """Each question answered in turn; the index of `docs` is kept under WORK/product/`name`."""
    overrides: dict[str, object] = {
        "docs": [docs.absolute()],
        "data_dir": options.work / "product" / name,
        "no_model": True,
        "memory": False,
        **options.settings,
    }
    settings = load(overrides=overrides)

    async def answered() -> list[Answer]:
        async with open_session(settings) as session:
            session.prepare()
            responses = [await session.response(await session.start(text)) for text in questions]
        return [Answer(one.final_answer, markdown(one), one.found) for one in responses]

    return asyncio.run(answered())


class Cost:
    """Processor time and memory of what happens from here on, processes it started included."""

    def __init__(self) -> None:
        self._begun = _cpu_s()

    def figures(self, questions: int) -> Figures:
        spent = (_cpu_s() - self._begun) / (questions or 1)
        peak = max(resource.getrusage(who).ru_maxrss for who in _WHO) / 1024
        return {"cpu_s_a_question.product": round(spent, 3), "peak_mb.product": round(peak)}


_WHO = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)


def _cpu_s() -> float:
    return sum(used.ru_utime + used.ru_stime for used in map(resource.getrusage, _WHO))


def lengths(answers: Sequence[Answer]) -> Figures:
    """Words of the reports, and of what a terminal prints."""
    words = [len(answer.report.split()) for answer in answers] or [0]
    printed = [len(answer.printed.split()) for answer in answers] or [0]
    return {
        "words_median.product": round(median(words)),
        "words_max.product": max(words),
        "printed_words_median.product": round(median(printed)),
        "printed_words_max.product": max(printed),
    }
