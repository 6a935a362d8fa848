"""Language models as `ports.Evaluator` and `ports.Reviser`: one scores, the other mends.

Neither is taken at its word: scores are clamped, a number that no sentence has is dropped, and what
is written in a sentence's place is checked like any claim afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from leadline.ports import Model
from leadline.text.tokens import Counter
from leadline.types import Grade, Issue, Passage, Patch, Patches, Sentence
from leadline.values import replace
from leadline.write.ask_model import Tally, Ways, task_section
from leadline.write.prompt_fit import Section, numbered, section
from leadline.write.report import tidy

EVALUATE_TOKENS, REVISE_TOKENS = 700, 1200
EVALUATE_WINDOW, REVISE_WINDOW = 6000, 9000  # what one question may take
MOST_ISSUES = 6
LONGEST = 700  # characters of one patch
SCORED = ("depth", "relevance", "completeness", "specificity", "structure")
Score = Annotated[float, Meta(ge=0, le=10)]


@dataclass(frozen=True)
class Problem:
    sentence: Annotated[int, Meta(description="its number; 0: missing", ge=0)]
    problem: Annotated[str, Meta(description="what is wrong and what to change", min_length=1)]


@dataclass(frozen=True)
class GradeAnswer:
    """What the evaluator is asked for."""

    depth: Score
    relevance: Score
    completeness: Score
    specificity: Score
    structure: Score
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True)
class Mended:
    sentence: Annotated[int, Meta(description="its number; 0 adds one", ge=0)]
    text: Annotated[str, Meta(description="the sentence with its [n]; empty: none")] = ""


@dataclass(frozen=True)
class ReviseAnswer:
    """What the producer is asked for."""

    patches: tuple[Mended, ...]


class ModelEvaluator:
    """Satisfies `ports.Evaluator` over one model, best another than the one that wrote."""

    def __init__(self, model: Model, ways: Ways) -> None:
        self.name = model.name
        self._model, self._ways = model, ways

    async def evaluate(self, task: str, sentences: Sequence[Sentence]) -> Grade:
        """Five scores, and at most six failed items, each by a sentence or what is missing."""
        tally = Tally(self._model, "evaluator", self._ways)
        sections = [_listed(sentences), task_section(task)]
        most = EVALUATE_WINDOW + Counter(self._model.chars_per_token).count(task)
        size = {"max_tokens": EVALUATE_TOKENS, "most": most, "last": True}
        grade = await tally.value(GradeAnswer, "evaluate", sections, task, **size)
        scores = {name: getattr(grade, name) for name in SCORED}
        issues = _issues(grade.problems, sentences)
        return Grade(**scores, issues=issues, judge=self.name, made=tally.made)


class ModelReviser:
    """Satisfies `ports.Reviser` over the model that writes."""

    def __init__(self, model: Model, ways: Ways) -> None:
        self._model, self._ways = model, ways

    async def revise(
        self,
        task: str,
        sentences: Sequence[Sentence],
        issues: Sequence[Issue],
        passages: Sequence[Passage],
    ) -> Patches:
        """The named sentences as they should be; whatever else the model changed is left out."""
        tally = Tally(self._model, "producer", self._ways)
        shown = [numbered(one.source, one.section, one.text) for one in passages]
        problems = [f"Sentence {one.sentence}: {one.what}" for one in issues]
        sections = [
            section("passages", *shown, share=5.0),
            replace(_listed(sentences), share=2.0),
            section("problems", *problems, needed=True),
            task_section(task),
        ]
        ids = ", ".join(map(str, sorted({passage.source for passage in passages})))
        most = REVISE_WINDOW + Counter(self._model.chars_per_token).count(task)
        size = {"max_tokens": REVISE_TOKENS, "most": most, "given": {"ids": ids}, "last": True}
        answer = await tally.value(ReviseAnswer, "revise", sections, task, **size)
        return Patches(_patches(answer, issues), tally.made)


def _listed(sentences: Sequence[Sentence]) -> Section:
    return section("sentences", *(_line(one) for one in sentences), needed=True)


def _line(one: Sentence) -> str:
    ids = "".join(f"[{number}]" for number in one.ids)
    mark = "# " if one.kind == "heading" else ""
    return f"{one.number}: {mark}{one.text} {ids}".rstrip()


def _issues(problems: Sequence[Problem], sentences: Sequence[Sentence]) -> tuple[Issue, ...]:
    """Problems that name a sentence there is, or say that something is missing; each once."""
    texts = {one.number: one.text for one in sentences} | {0: ""}
    found: dict[tuple[int, str], Issue] = {}
    for one in problems:
        what = " ".join(one.problem.split())[:300]
        if one.sentence in texts and what:
            issue = Issue("opinion", what, one.sentence, texts[one.sentence])
            found.setdefault((one.sentence, what), issue)
    return tuple(found.values())[:MOST_ISSUES]


def _patches(answer: ReviseAnswer, issues: Sequence[Issue]) -> tuple[Patch, ...]:
    """One patch a named sentence."""
    named = {issue.sentence for issue in issues}
    patches: dict[int, Patch] = {}
    for mended in answer.patches:
        text = " ".join(tidy(mended.text).split())
        if mended.sentence in named and len(text) <= LONGEST:
            patches.setdefault(mended.sentence, Patch(mended.sentence, text))
    return tuple(patches.values())
