"""The novelty gate: score each batch against what is known, in the order the queries were planned.

Scoring belongs to `rank.novelty`; this step decides. `admit` puts accepted batches into the state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from random import Random

from leadline.ports import Embedder, Reasoner
from leadline.rank.near_duplicates import differing, same_text
from leadline.research.search import MEMORY
from leadline.research.state import took
from leadline.research.stop import circuit_open
from leadline.text.sentences import told
from leadline.text.urls import canonical
from leadline.types import (
    BY_RULE,
    Batch,
    GateVerdict,
    Hit,
    Loss,
    Rules,
    Skip,
    SkipKind,
    Source,
    State,
    Variant,
)
from leadline.types.judging import GateReason
from leadline.values import replace

FEW_HITS = 3
ALWAYS_NEW = 10.0
_LEFT_OUT: dict[str, SkipKind] = {"filter": "filter", "quota": "quota", MEMORY: "memory"}


async def judge(
    state: State,
    batches: tuple[Batch, ...],
    rules: Rules,
    embedder: Embedder,
    dice: Callable[..., Random],
    reasoner: Reasoner | None = None,
) -> tuple[GateVerdict, ...]:
    """One verdict a batch. A batch accepted here is known to the batches after it.

    The `reasoner` is asked for the score only where the rules say so and the score decides.
    """
    known = _sentences(state.search_results)
    knowledge = state.knowledge.text
    verdicts: list[GateVerdict] = []
    accepted = sum(verdict.accepted for verdict in state.verdicts)
    for batch in batches:
        hits = batch.hits[: rules.results_per_search]  # documents bring more, ranked below them
        new, bodies = _sentences(hits), "\n".join(hit.text for hit in hits)
        score, repeated = _score(batch, new, known, knowledge, rules, embedder)
        made = BY_RULE
        if rules.gate == "model" and reasoner and new and accepted >= rules.searches_per_task:
            opinion = await reasoner.novelty(state.task, knowledge, bodies)
            score, made = opinion.score, opinion.made
        luck = dice("gate", len(state.verdicts) + len(verdicts))
        reason = _reason(batch, score, accepted, rules, luck)
        passes = reason in ("first", "novel", "epsilon")
        verdicts.append(
            GateVerdict(
                query=batch.query.text,
                score=round(score, 2),
                threshold=rules.novelty_threshold,
                accepted=passes,
                reason=reason,
                hits=len(batch.hits),
                repeated=round(repeated, 3),
                made=made,
            )
        )
        if passes:
            accepted += 1
            known += new
            knowledge += "\n" + bodies
    return tuple(verdicts)


def _sentences(hits: Iterable[Hit]) -> list[str]:
    return [sentence for hit in hits for sentence in told(hit.text)]


def _score(
    batch: Batch,
    new: Sequence[str],
    known: Sequence[str],
    knowledge: str,
    rules: Rules,
    embedder: Embedder,
) -> tuple[float, float]:
    """How new a batch is, 0–10, and which share of it was seen before."""
    if not new:
        return 0.0, 0.0
    if rules.gate == "none":
        return ALWAYS_NEW, 0.0
    from leadline.rank.novelty import heuristic, semantic  # numpy: not before the first search

    if rules.gate == "heuristic":
        return float(heuristic(knowledge, [hit.text for hit in batch.hits])), 0.0
    novelty = semantic(known, new, embedder)
    return novelty.score, novelty.repeated


def _reason(batch: Batch, score: float, accepted: int, rules: Rules, luck: Random) -> GateReason:
    """Why a batch passes or not. Chance lets one pass only where the gate alone ends a search."""
    if batch.error:
        return "failed"
    if not batch.hits:
        return "empty"
    if accepted < rules.searches_per_task:
        return "first"
    if score >= rules.novelty_threshold:
        return "novel"
    if rules.policy == "saturation" and luck.random() < rules.novelty_epsilon:
        return "epsilon"
    return "discarded"


# ── what enters the state ───────────────────────────────────────────────────────────────────


def admit(
    state: State, batches: Sequence[Batch], verdicts: Sequence[GateVerdict], elapsed: float
) -> State:
    """The state after an iteration: asked queries, accepted hits, numbered sources, failures."""
    for batch, verdict in zip(batches, verdicts, strict=True):
        state = _noted(took(state, "gate", verdict.made), batch)
        if verdict.accepted:
            state = take_in(state, batch)
    searches = sum(batch.provider != MEMORY for batch in batches)
    state = replace(
        state,
        asked=state.asked + tuple(batch.query for batch in batches),
        verdicts=state.verdicts + tuple(verdicts),
        last_round=len(verdicts),
        iteration=state.iteration + 1,
        elapsed=elapsed,
        usage=replace(state.usage, searches=state.usage.searches + searches),
    )
    return replace(state, degraded=state.degraded or circuit_open(state))


def _noted(state: State, batch: Batch) -> State:
    """The state with what a search left out, what went wrong, and whether it brought enough."""
    skipped, log = list(state.skipped), list(state.error_log)
    for note in batch.notes:
        if kind := _LEFT_OUT.get(note.stage):
            skipped.append(Skip(kind, note.what, note.why))
        else:
            log.append(note)
    if batch.error:
        log.append(Loss("search", batch.query.text, batch.error))
    failed = list(state.failed_queries)
    if batch.error or (len(batch.hits) < FEW_HITS and batch.provider != MEMORY):
        failed.append(batch.query.text)
    return replace(
        state,
        injections=state.injections + batch.injections,
        error_log=tuple(log),
        skipped=tuple(skipped),
        failures_in_a_row=state.failures_in_a_row + 1 if batch.error else 0,
        failed_queries=tuple(dict.fromkeys(failed)),
    )


def take_in(state: State, batch: Batch) -> State:
    """Add the hits that are new, number their sources, and note copies that differ in numbers."""
    held = list(state.search_results)
    sources = {canonical(source.url): source for source in state.sources}
    log, skipped, variants = list(state.error_log), list(state.skipped), list(state.variants)
    for hit in batch.hits:
        key = canonical(hit.url)
        twin, same = _twin(hit, held)
        elsewhere = twin is not None and canonical(twin.url) != key
        if same:
            if twin and elsewhere:
                skipped.append(Skip("copy", hit.url, f"says the same as {twin.title or twin.url}"))
            continue
        held.append(hit)
        if key not in sources:
            last = max((source.id for source in sources.values()), default=0)
            sources[key] = Source(last + 1, hit.url, hit.title, hit.kind)
        if twin and elsewhere:
            name = twin.title or twin.url
            why = f"says the same as {name} with other numbers; both are kept"
            log.append(Loss("merge", hit.title or hit.url, why))
            like = sources[canonical(twin.url)].id
            variants.append(Variant(sources[key].id, like, *differing(hit.text, twin.text)))
    return replace(
        state,
        search_results=tuple(held),
        sources=tuple(sources.values()),
        error_log=tuple(log),
        skipped=tuple(skipped),
        variants=tuple(variants),
    )


def _twin(hit: Hit, held: Sequence[Hit]) -> tuple[Hit | None, bool]:
    """The held hit that says what this one does, and whether in the same numbers."""
    for other in held:
        if (other.url, other.start, other.text) == (hit.url, hit.start, hit.text):
            return other, True
        likeness = same_text(other.text, hit.text)
        if likeness != "different":
            return other, likeness == "same"
    return None, False
