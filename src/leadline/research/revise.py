"""Evaluation and revision: the report is scored, failing sentences are patched, the best ships.

Only sentences that a failed item names are changed; each patch is checked as any claim is, and one
that no source bears out leaves the sentence as it was. Nothing here rewrites or adds.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, Literal, TypeVar

from leadline.check.claims import Part, Unit, cited_ids, cut
from leadline.check.quality import Shown, less_verified, quality
from leadline.check.verify import Asked, verify
from leadline.errors import BudgetSpent, ReasonerFailed
from leadline.ports import Embedder, Evaluator, Reviser, Run
from leadline.types import (
    BY_RULE,
    Checked,
    Draft,
    Grade,
    Issue,
    Made,
    Opinion,
    Passage,
    Patch,
    Patches,
    Quality,
    Revision,
    Round,
    Sentence,
    Source,
    State,
)
from leadline.types.judging import Outcome
from leadline.values import replace

PASS = 9.0
FAULTS = ("repeated", "stub")  # what no report passes with
ROUND_S = 4.0  # seconds that must be left for a model to be asked once more
UNCHANGED = "the text no longer changes"
LESS_VERIFIED = "a version with less that is verified was turned down"

Asks = TypeVar("Asks", Grade, Patches)


@dataclass(frozen=True)
class Editing:
    """How a report is revised: rounds at most, who scores and who mends."""

    rounds: int
    evaluator: Evaluator
    reviser: Reviser


@dataclass(frozen=True)
class Attempt:
    """A report with patches in it, checked; `refused` are those that no source bears out."""

    checked: Checked
    patched: int = 0
    refused: tuple[str, ...] = ()


async def improve(
    checked: Checked,
    state: State,
    passages: tuple[Passage, ...],
    embedder: Embedder,
    editing: Editing | None,
    run: Run,
) -> Checked:
    """The best version of the report that could be had, with its `revision`."""
    if editing is None or not checked.found:
        ended = "no model was to revise it" if checked.found else "nothing was found"
        only = Round(quality(_shown(checked, state)))
        return replace(checked, revision=Revision(only, ended=ended))
    return await _Desk(state, passages, embedder, editing, run).best_of(checked)


@dataclass(slots=True)
class _Desk:
    """Where one report is revised."""

    state: State
    passages: tuple[Passage, ...]
    embedder: Embedder
    editing: Editing
    run: Run
    made: Made = BY_RULE

    async def best_of(self, first: Checked) -> Checked:
        """The best version of all rounds, never one with less that is verified."""
        now = best = first
        shipped, seen = 0, {first.answer}
        rounds: list[Round] = []
        try:
            rounds.append(Round(await self._graded(first)))
            while not (ended := self._over(rounds)):
                attempt = await self._attempt(now, rounds[-1].quality.issues)
                now = attempt.checked
                if now.answer in seen:
                    stuck = attempt.refused and not attempt.patched
                    ended = "no patch is borne out by a source" if stuck else UNCHANGED
                    break
                seen.add(now.answer)
                grade = await self._graded(now)
                outcome: Outcome = "no better"
                if less_verified(now.claims, best.claims):
                    outcome = "less verified"
                elif grade.total > rounds[shipped].quality.total:
                    outcome, best, shipped = "better", now, len(rounds)
                rounds.append(Round(grade, outcome, attempt.patched, attempt.refused))
        except (ReasonerFailed, BudgetSpent) as error:
            ended = f"no model could be asked: {error}"
        opening = rounds[0] if rounds else Round(quality(_shown(first, self.state)))
        revision = Revision(opening, tuple(rounds[1:]), shipped, ended, self.made)
        return replace(best, revision=revision)

    def _over(self, rounds: Sequence[Round]) -> str:
        """Why there is no further round, or "" when there is."""
        issues = [_issues(one.quality) for one in rounds]
        last = rounds[-1].quality
        passes = last.total >= PASS and not any(issue.kind in FAULTS for issue in last.issues)
        reasons = {
            LESS_VERIFIED: rounds[-1].outcome == "less verified",
            "it passes": passes,
            "nothing fails that could be mended": not any(one.sentence for one in last.issues),
            "the same issues again": issues[-1] in issues[:-1],
            "all rounds are used": len(rounds) > self.editing.rounds,
        }
        return next((reason for reason, holds in reasons.items() if holds), "")

    async def _graded(self, checked: Checked) -> Quality:
        shown = _shown(checked, self.state)
        ask = self.editing.evaluator.evaluate
        grade = await self._asked("evaluate", ask, shown.task, shown.sentences)
        return quality(shown, grade)

    async def _attempt(self, now: Checked, issues: Sequence[Issue]) -> Attempt:
        """The reviser's patches of the sentences that the issues name, put in and checked."""
        state, shown = self.state, _shown(now, self.state)
        named = [issue for issue in issues if issue.sentence]
        ask = self.editing.reviser.revise
        answer = await self._asked("revise", ask, shown.task, shown.sentences, named, self.passages)
        numbers = {issue.sentence for issue in named}
        # What was not found stays said: a note is answered, never just taken out.
        notes = {sentence.number for sentence in shown.sentences if sentence.kind == "note"}
        patches = tuple(
            patch
            for patch in answer.patches
            if patch.sentence in numbers and (patch.text or patch.sentence not in notes)
        )
        asked = Asked(state.task, state.plan.wanted_items, state.plan.language)
        args = (now, patches, self.passages, self.embedder, state.sources, asked)
        return await self.run.last_step("recheck", recheck, *args)

    async def _asked(self, name: str, ask: Callable[..., Awaitable[Asks]], *args: Any) -> Asks:
        """What a model says, in a step of that name, where there is time for it."""
        left = self.state.limits.max_execution_time_s - self.run.elapsed
        if left < ROUND_S:
            raise ReasonerFailed(f"{max(left, 0.0):.1f} s were left of the run's time")
        answer = await self.run.last_step(name, ask, *args)
        calls, notes = self.made.calls + answer.made.calls, self.made.notes + answer.made.notes
        self.made = replace(self.made, calls=calls, notes=notes)
        return answer


def _shown(checked: Checked, state: State) -> Shown:
    return Shown(
        task=state.task,
        sentences=numbered_sentences(checked.answer),
        claims=checked.claims,
        titles={source.id: source.title for source in state.sources},
        tier=state.plan.tier,
        wanted=state.plan.wanted_items,
        lacking=checked.lacking,
    )


def _issues(judged: Quality) -> frozenset[tuple[str, str, str]]:
    return frozenset((issue.kind, issue.what, issue.text) for issue in judged.issues)


async def recheck(
    checked: Checked,
    patches: tuple[Patch, ...],
    passages: tuple[Passage, ...],
    embedder: Embedder,
    sources: tuple[Source, ...],
    asked: Asked,
) -> Attempt:
    """The report with those patches that are proven, all of it checked anew."""
    known = {passage.source for passage in passages}
    good: list[Patch] = []
    for patch in patches:
        proven = not patch.text
        if patch.text and set(cited_ids(patch.text)) <= known:
            draft = Draft(patch.text, found=False)
            alone = await verify(draft, passages, embedder, sources, Asked(language=asked.language))
            proven = bool(alone.claims) and not alone.dropped
        good += [patch] * proven
    refused = tuple(patch.text for patch in patches if patch not in good)
    text = apply_patches(checked.answer, good)
    if text == checked.answer:
        return Attempt(checked, 0, refused)
    judged = (claim for claim in checked.claims if claim.judge)
    opinions = tuple(Opinion(claim.text, claim.verdict, judge=claim.judge) for claim in judged)
    again = await verify(Draft(text), passages, embedder, sources, asked, opinions)
    dropped = tuple(dict.fromkeys((*checked.dropped, *again.dropped)))
    notes = tuple(dict.fromkeys((*checked.notes, *again.notes)))
    return Attempt(replace(again, dropped=dropped, notes=notes), len(good), refused)


# ── sentences by number ─────────────────────────────────────────────────────────────────────


def numbered_sentences(answer: str) -> tuple[Sentence, ...]:
    """Claims, notes and headings, each with the number that a patch calls it by."""
    units = cut(answer)
    return tuple(
        Sentence(number, part.text, part.ids, _kind(part, units[at]))
        for at, parts in enumerate(_numbered_parts(units))
        for number, part in parts
    )


def apply_patches(answer: str, patches: Sequence[Patch]) -> str:
    """`answer` with these sentences replaced or taken out; the rest stays letter by letter."""
    units = cut(answer)
    texts = {patch.sentence: patch.text for patch in patches}
    lines: list[str] = []
    for unit, parts in zip(units, _numbered_parts(units), strict=True):
        line = _rewritten(unit, parts, texts) if texts.keys() & dict(parts) else unit.raw
        if line is not None:
            lines.append(line)
    return "\n".join(lines)


def _numbered_parts(units: Sequence[Unit]) -> list[list[tuple[int, Part]]]:
    """The sentences of each unit, numbered through; code has none."""
    numbers = count(1)
    return [
        [
            (next(numbers), part)
            for stretch in unit.stretches
            for part in stretch
            if unit.kind not in ("code", "other")
        ]
        for unit in units
    ]


def _kind(part: Part, unit: Unit) -> Literal["claim", "note", "heading"]:
    if unit.kind == "heading":
        return "heading"
    missing = unit.missing and not part.ids
    return "claim" if part.asserted and not missing else "note"


def _rewritten(unit: Unit, parts: Sequence[tuple[int, Part]], texts: dict[int, str]) -> str | None:
    """The unit with those of its sentences changed that have a text; None when none is left."""
    if unit.kind in ("row", "quote"):  # patched as one, or not at all
        text = texts.get(parts[0][0], unit.raw)
        fits = unit.kind == "quote" or not text or text.lstrip().startswith("|")
        return (text or None) if fits else unit.raw
    sentences = [
        " ".join(texts[number].split()) if number in texts else _as_written(part)
        for number, part in parts
    ]
    left = [sentence for sentence in sentences if sentence]
    return unit.lead + " ".join(left) if left else None


def _as_written(part: Part) -> str:
    ids = "".join(f"[{number}]" for number in part.ids)
    return f"{part.text} {ids}" if ids else part.text
