"""Evaluation and revision: the report is scored, failing sentences are patched, the best ships.

Only sentences that a failed item names are changed; each patch is checked as any claim is, and one
that no source bears out leaves the sentence as it was. Nothing here rewrites the whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from leadline.check.claims import cited_ids, cut
from leadline.check.quality import Shown, less_verified, quality
from leadline.check.verify import Asked, verify
from leadline.errors import BudgetSpent, ReasonerFailed
from leadline.ports import Embedder, Evaluator, Reviser, Run
from leadline.research.patching import apply_patches, numbered_sentences
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


async def recheck(
    checked: Checked,
    patches: tuple[Patch, ...],
    passages: tuple[Passage, ...],
    embedder: Embedder,
    sources: tuple[Source, ...],
    asked: Asked,
) -> Attempt:
    """The report with those patches that are proven, all of it checked anew."""
    told = tuple(
        Opinion(one.text, one.verdict, judge=one.judge) for one in checked.claims if one.judge
    )
    args = (passages, embedder, sources)
    good, refused = await _proven(patches, asked.language, *args)
    text = apply_patches(checked.answer, good)
    if not good or text == checked.answer:
        return Attempt(checked, 0, refused)
    again = await verify(Draft(text), *args, asked, told)
    dropped = (*checked.dropped, *(one for one in again.dropped if one not in checked.dropped))
    notes = (*checked.notes, *(one for one in again.notes if one not in checked.notes))
    return Attempt(replace(again, dropped=dropped, notes=notes), len(good), refused)


async def _proven(
    patches: Sequence[Patch],
    language: str,
    passages: tuple[Passage, ...],
    embedder: Embedder,
    sources: tuple[Source, ...],
) -> tuple[list[Patch], tuple[str, ...]]:
    """The patches whose every sentence its sources say, as they may ship; and the others."""
    known = {passage.source for passage in passages}
    told = [one for one in patches if one.text and set(cited_ids(one.text)) <= known]
    good = [one for one in patches if not one.text]
    if told:
        draft = Draft("\n\n".join(one.text for one in told), found=False)
        checked = await verify(draft, passages, embedder, sources, Asked(language=language))
        lost = {claim.text for claim in checked.dropped}
        kept = {claim.text for claim in checked.claims}
        for one in told:
            said = _said(one.text)
            if said & kept and not said & lost:
                good.append(one)
    refused = tuple(one.text for one in patches if one not in good)
    return good, refused


def _said(text: str) -> set[str]:
    return {part.text for unit in cut(text) for stretch in unit.stretches for part in stretch}


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
        """All rounds; the best version, never one with less that is verified."""
        now, ended = first, ""
        grade, failed = await self._first(first)
        rounds = [Round(grade)]
        best, shipped = first, 0
        seen = {first.answer}
        try:
            while not (ended := failed or self._over(rounds)):
                attempt = await self._attempt(now, rounds[-1].quality.issues)
                if attempt.checked.answer in seen:
                    ended = _stuck(attempt)
                    break
                seen.add(attempt.checked.answer)
                made = await self._judged(attempt.checked)
                rounds.append(_round(made, attempt, best, rounds[shipped].quality))
                if rounds[-1].outcome == "better":
                    best, shipped = attempt.checked, len(rounds) - 1
                elif rounds[-1].outcome == "less verified":
                    ended = "a version with less that is verified was turned down"
                    break
                now = attempt.checked
        except (ReasonerFailed, BudgetSpent) as error:
            ended = f"no further round: {error}"
        revision = Revision(rounds[0], tuple(rounds[1:]), shipped, ended, self.made)
        return replace(best, revision=revision)

    async def _first(self, checked: Checked) -> tuple[Quality, str]:
        """How good the first version is, and what went wrong in asking."""
        try:
            return await self._judged(checked), ""
        except (ReasonerFailed, BudgetSpent) as error:
            return quality(_shown(checked, self.state)), f"the evaluator was of no help: {error}"

    async def _judged(self, checked: Checked) -> Quality:
        shown, evaluator = _shown(checked, self.state), self.editing.evaluator
        if evaluator is None or not self.editing.rounds:
            return quality(shown)
        self._in_time()
        grade: Grade = await self.run.last_step(
            "evaluate", evaluator.evaluate, shown.task, shown.sentences
        )
        self._took(grade.made)
        return quality(shown, grade)

    async def _attempt(self, now: Checked, issues: Sequence[Issue]) -> Attempt:
        """The reviser's patches of the sentences that the issues name, put in and checked."""
        shown, reviser = _shown(now, self.state), self.editing.reviser
        assert reviser is not None, "without one there is no round"
        self._in_time()
        made: Patches = await self.run.last_step(
            "revise", reviser.revise, shown.task, shown.sentences, issues, self.passages
        )
        self._took(made.made)
        named = {issue.sentence for issue in issues}
        # What was not found stays said: a note is answered, never just taken out.
        notes = {sentence.number for sentence in shown.sentences if sentence.kind == "note"}
        patches = tuple(
            patch
            for patch in made.patches
            if patch.sentence in named and (patch.text or patch.sentence not in notes)
        )
        plan = self.state.plan
        return await self.run.last_step(
            "recheck",
            recheck,
            now,
            patches,
            self.passages,
            self.embedder,
            self.state.sources,
            Asked(self.state.task, plan.wanted_items, plan.language),
        )

    def _over(self, rounds: Sequence[Round]) -> str:
        """Why there is no further round, or "" when there is."""
        last = rounds[-1].quality
        passes = last.total >= PASS and not any(issue.kind in FAULTS for issue in last.issues)
        reasons = {
            "revision is off": not self.editing.rounds,
            "there is no model to revise it": self.editing.reviser is None,
            "it passes": passes,
            "nothing fails that could be mended": not last.issues,
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


def _round(made: Quality, attempt: Attempt, best: Checked, until: Quality) -> Round:
    told = Round(made, "no better", attempt.patched, attempt.refused)
    if less_verified(attempt.checked.claims, best.claims):
        return replace(told, outcome="less verified")
    return replace(told, outcome="better") if made.total > until.total else told


def _issues(one: Quality) -> frozenset[tuple[str, str, str]]:
    return frozenset((issue.kind, issue.what, issue.text) for issue in one.issues)


def _stuck(attempt: Attempt) -> str:
    if attempt.refused and not attempt.patched:
        return "no patch is borne out by a source"
    return "the text no longer changes"
