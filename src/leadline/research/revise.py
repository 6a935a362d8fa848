"""Evaluation and revision: the report is scored, failing sentences are patched, the best ships.

Only sentences that a failed item names are changed; each patch is checked as any claim is, and one
that no source bears out leaves the sentence as it was. Nothing here rewrites or adds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import Literal

from leadline.check.claims import Part, Unit, cited_ids, cut
from leadline.check.quality import Shown, less_verified, quality
from leadline.check.verify import Asked, verify
from leadline.errors import BudgetSpent, ReasonerFailed
from leadline.ports import Embedder, Evaluator, Reviser, Run
from leadline.types import (
    BY_RULE,
    Checked,
    Draft,
    Issue,
    Made,
    Opinion,
    Passage,
    Patch,
    Quality,
    Revision,
    Round,
    Sentence,
    Source,
    State,
)
from leadline.values import replace

PASS = 9.0
FAULTS = ("repeated", "stub")  # what no report passes with
ROUND_S = 4.0  # seconds that must be left for a model to be asked once more


@dataclass(frozen=True)
class Editing:
    """How a report is revised: rounds at most, who scores and who mends; never, where nobody."""

    rounds: int = 0
    evaluator: Evaluator | None = None
    reviser: Reviser | None = None


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
    editing: Editing,
    run: Run,
) -> Checked:
    """The best version of the report that could be had, with its `revision`."""
    if not checked.found:
        grade = quality(_shown(checked, state))
        return replace(checked, revision=Revision(Round(grade), ended="nothing was found"))
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
        shipped, ended = 0, ""
        rounds: list[Round] = []
        seen = {first.answer}
        try:
            rounds.append(Round(await self._judged(first)))
            while not (ended := self._over(rounds)):
                attempt = await self._attempt(now, rounds[-1].quality.issues)
                now = attempt.checked
                if now.answer in seen:
                    ended = _stuck(attempt)
                    break
                seen.add(now.answer)
                rounds.append(_round(await self._judged(now), attempt, best, rounds[shipped]))
                if rounds[-1].outcome == "less verified":
                    ended = "a version with less that is verified was turned down"
                    break
                if rounds[-1].outcome == "better":
                    best, shipped = now, len(rounds) - 1
        except (ReasonerFailed, BudgetSpent) as error:
            ended = f"no model could be asked: {error}"
        opening = rounds[0] if rounds else Round(quality(_shown(first, self.state)))
        revision = Revision(opening, tuple(rounds[1:]), shipped, ended, self.made)
        return replace(best, revision=revision)

    async def _judged(self, checked: Checked) -> Quality:
        shown, evaluator = _shown(checked, self.state), self.editing.evaluator
        if evaluator is None or not self.editing.rounds:
            return quality(shown)
        self._in_time()
        grade = await self.run.last_step(
            "evaluate", evaluator.evaluate, shown.task, shown.sentences
        )
        self._took(grade.made)
        return quality(shown, grade)

    async def _attempt(self, now: Checked, issues: Sequence[Issue]) -> Attempt:
        """The reviser's patches of the sentences that the issues name, put in and checked."""
        shown, reviser, plan = _shown(now, self.state), self.editing.reviser, self.state.plan
        assert reviser is not None, "without one there is no round"
        self._in_time()
        named = [issue for issue in issues if issue.sentence]
        answer = await self.run.last_step(
            "revise", reviser.revise, shown.task, shown.sentences, named, self.passages
        )
        self._took(answer.made)
        numbers = {issue.sentence for issue in named}
        # What was not found stays said: a note is answered, never just taken out.
        notes = {sentence.number for sentence in shown.sentences if sentence.kind == "note"}
        patches = tuple(
            patch
            for patch in answer.patches
            if patch.sentence in numbers and (patch.text or patch.sentence not in notes)
        )
        asked = Asked(self.state.task, plan.wanted_items, plan.language)
        sources = self.state.sources
        return await self.run.last_step(
            "recheck", recheck, now, patches, self.passages, self.embedder, sources, asked
        )

    def _over(self, rounds: Sequence[Round]) -> str:
        """Why there is no further round, or "" when there is."""
        last = rounds[-1].quality
        passes = last.total >= PASS and not any(issue.kind in FAULTS for issue in last.issues)
        reasons = {
            "revision is off": not self.editing.rounds,
            "there is no model to revise it": self.editing.reviser is None,
            "it passes": passes,
            "nothing fails that could be mended": not any(one.sentence for one in last.issues),
            "the same issues again": _issues(last) in [_issues(one.quality) for one in rounds[:-1]],
            "all rounds are used": len(rounds) > self.editing.rounds,
        }
        return next((reason for reason, holds in reasons.items() if holds), "")

    def _in_time(self) -> None:
        left = self.state.limits.max_execution_time_s - self.run.elapsed
        if left < ROUND_S:
            raise ReasonerFailed(f"{max(left, 0.0):.1f} s were left of the run's time")

    def _took(self, made: Made) -> None:
        calls, notes = self.made.calls + made.calls, self.made.notes + made.notes
        self.made = replace(self.made, calls=calls, notes=notes)


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


def _round(made: Quality, attempt: Attempt, best: Checked, until: Round) -> Round:
    judged = Round(made, "no better", attempt.patched, attempt.refused)
    if less_verified(attempt.checked.claims, best.claims):
        return replace(judged, outcome="less verified")
    return replace(judged, outcome="better") if made.total > until.quality.total else judged


def _issues(judged: Quality) -> frozenset[tuple[str, str, str]]:
    return frozenset((issue.kind, issue.what, issue.text) for issue in judged.issues)


def _stuck(attempt: Attempt) -> str:
    if attempt.refused and not attempt.patched:
        return "no patch is borne out by a source"
    return "the text no longer changes"


# ── checking patches ────────────────────────────────────────────────────────────────────────


async def recheck(
    checked: Checked,
    patches: tuple[Patch, ...],
    passages: tuple[Passage, ...],
    embedder: Embedder,
    sources: tuple[Source, ...],
    asked: Asked,
) -> Attempt:
    """The report with those patches that are proven, all of it checked anew."""
    opinions = tuple(
        Opinion(claim.text, claim.verdict, judge=claim.judge)
        for claim in checked.claims
        if claim.judge
    )
    known = {passage.source for passage in passages}
    good = [patch for patch in patches if not patch.text]
    for patch in patches:
        if patch.text and set(cited_ids(patch.text)) <= known:
            draft = Draft(patch.text, found=False)
            alone = await verify(draft, passages, embedder, sources, Asked(language=asked.language))
            if alone.claims and not alone.dropped:
                good.append(patch)
    refused = tuple(patch.text for patch in patches if patch not in good)
    text = apply_patches(checked.answer, good)
    if not good or text == checked.answer:
        return Attempt(checked, 0, refused)
    again = await verify(Draft(text), passages, embedder, sources, asked, opinions)
    dropped = (*checked.dropped, *(one for one in again.dropped if one not in checked.dropped))
    notes = (*checked.notes, *(one for one in again.notes if one not in checked.notes))
    return Attempt(replace(again, dropped=dropped, notes=notes), len(good), refused)


# ── sentences by number ─────────────────────────────────────────────────────────────────────


def numbered_sentences(answer: str) -> tuple[Sentence, ...]:
    """Claims, notes and headings, each with the number that a patch calls it by."""
    units = cut(answer)
    return tuple(
        Sentence(number, part.text, part.ids, _kind(part, units[at]), at)
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
