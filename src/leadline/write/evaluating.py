"""Language models as `ports.Evaluator` and `ports.Reviser`: one scores, the other mends.

Neither is taken at its word: scores are clamped, a number that no sentence has is dropped, and what
is written in a sentence's place is checked like any claim afterwards.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Annotated

from msgspec import Meta

from leadline.frozen import frozen
from leadline.ports import Model
from leadline.prompts import load
from leadline.question.language import language, named
from leadline.text.tokens import Counter
from leadline.text.words import content_words
from leadline.types import Ask, Grade, Issue, Made, Passage, Patch, Patches, Sentence
from leadline.write.ask_model import Build, structured
from leadline.write.call_count import Tally
from leadline.write.prompt_fit import Section, assemble, numbered, section
from leadline.write.report import tidy

EVALUATE_TOKENS, REVISE_TOKENS = 700, 1200
EVALUATE_WINDOW, REVISE_WINDOW = 6000, 9000  # what one question may take
MOST_ISSUES = 6
LONGEST = 700  # characters of one patch
Score = Annotated[float, Meta(ge=0, le=10)]


@frozen
class Problem:
    sentence: Annotated[int, Meta(description="its number; 0: missing", ge=0)]
    problem: Annotated[str, Meta(description="what is wrong and what to change", min_length=1)]


@frozen
class GradeAnswer:
    """What the evaluator is asked for."""

    depth: Score
    relevance: Score
    completeness: Score
    specificity: Score
    structure: Score
    problems: tuple[Problem, ...] = ()


@frozen
class Mended:
    sentence: Annotated[int, Meta(description="its number; 0 adds one", ge=0)]
    text: Annotated[str, Meta(description="the sentence with its [n]; empty: none")] = ""


@frozen
class ReviseAnswer:
    """What the producer is asked for."""

    patches: tuple[Mended, ...]


@frozen
class Manner:
    """What shapes the prompts of a run."""

    today: datetime
    prompts: Path | None = None
    salt: str = ""


class ModelEvaluator:
    """Satisfies `ports.Evaluator` over one model, best another than the one that wrote."""

    def __init__(self, model: Model, manner: Manner) -> None:
        self.name = model.name
        self._model, self._manner = model, manner

    async def evaluate(self, task: str, sentences: Sequence[Sentence]) -> Grade:
        """Five scores, and at most six failed items, each by a sentence or what is missing."""
        tally = Tally(self._model, "evaluator")
        sections = [_listed(sentences), _task(task)]
        build = _builder(
            tally, "evaluate", sections, (EVALUATE_TOKENS, EVALUATE_WINDOW), self._manner
        )
        answer = await structured(tally, build, GradeAnswer, prompts=self._manner.prompts)
        said = answer.value
        return Grade(
            depth=said.depth,
            relevance=said.relevance,
            completeness=said.completeness,
            specificity=said.specificity,
            structure=said.structure,
            issues=_issues(said.problems, sentences),
            judge=self.name,
            made=Made(tuple(tally.calls)),
        )


class ModelReviser:
    """Satisfies `ports.Reviser` over the model that writes."""

    def __init__(self, model: Model, manner: Manner) -> None:
        self._model, self._manner = model, manner

    async def revise(
        self,
        task: str,
        sentences: Sequence[Sentence],
        issues: Sequence[Issue],
        passages: Sequence[Passage],
    ) -> Patches:
        """The named sentences as they should be; whatever else the model changed is left out."""
        tally = Tally(self._model, "producer")
        ids = sorted({passage.source for passage in passages})
        shown = [
            numbered(one.source, "", one.text, one.section)
            for one in _nearest(passages, sentences, issues)
        ]
        sections = [
            replace(section("passages", *shown), share=5.0),
            replace(_listed(sentences), share=2.0),
            section("problems", *map(_problem, issues), needed=True),
            _task(task),
        ]
        given = {"ids": ", ".join(map(str, ids))}
        size = (REVISE_TOKENS, REVISE_WINDOW)
        build = _builder(tally, "revise", sections, size, self._manner, given)
        answer = await structured(tally, build, ReviseAnswer, prompts=self._manner.prompts)
        return Patches(_patches(answer.value, issues), Made(tuple(tally.calls)))


def _task(task: str) -> Section:
    return section("task", task, outside=False, needed=True, share=2.0)


def _listed(sentences: Sequence[Sentence]) -> Section:
    return section("sentences", *(_line(one) for one in sentences), needed=True)


def _line(one: Sentence) -> str:
    ids = "".join(f"[{number}]" for number in one.ids)
    mark = "# " if one.kind == "heading" else ""
    return f"{one.number}: {mark}{one.text} {ids}".rstrip()


def _problem(one: Issue) -> str:
    return f"Sentence {one.sentence}: {one.what}" if one.sentence else f"0 (missing): {one.what}"


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


def _patches(said: ReviseAnswer, issues: Sequence[Issue]) -> tuple[Patch, ...]:
    """One patch a named sentence; of added ones, no more than things that are missing."""
    named = {one.sentence for one in issues}
    room = sum(not one.sentence for one in issues)
    found: list[Patch] = []
    seen: set[int] = set()
    for one in said.patches:
        text = " ".join(tidy(one.text).split())
        if one.sentence not in named or len(text) > LONGEST:
            continue
        if one.sentence == 0:
            room -= 1
            if room < 0 or not text:
                continue
        elif one.sentence in seen:
            continue
        seen.add(one.sentence)
        found.append(Patch(one.sentence, text))
    return tuple(found)


def _nearest(
    passages: Sequence[Passage], sentences: Sequence[Sentence], issues: Sequence[Issue]
) -> list[Passage]:
    """The passages, those first that share most words with what is to be mended."""
    texts = {one.number: one.text for one in sentences}
    told = " ".join(f"{one.what} {one.text} {texts.get(one.sentence, '')}" for one in issues)
    wanted = set(content_words(told))

    def shares(passage: Passage) -> int:
        return -len(wanted & set(content_words(passage.text)))

    return sorted(passages, key=shares)


def _builder(
    model: Model,
    prompt: str,
    sections: Sequence[Section],
    size: tuple[int, int],
    manner: Manner,
    given: Mapping[str, str] | None = None,
) -> Build:
    counter = Counter(model.chars_per_token)
    task = sections[-1].pieces[0].text
    max_tokens, most = size
    values = {"today": f"{manner.today:%Y-%m-%d}", "language": named(language(task))}

    def build(window: int) -> Ask:
        return assemble(
            load(prompt, manner.prompts),
            values | dict(given or {}),
            sections,
            window=min(window, most + counter.count(task)),
            counter=counter,
            max_tokens=max_tokens,
            salt=manner.salt,
            last=True,
        ).ask

    return build
