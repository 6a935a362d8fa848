"""The check of a draft as steps of a run: computed in one step; with a model, each call is a step
of its own, and the draft is checked again with the answers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence

from leadline.check.claims import cut
from leadline.check.prover import Prover
from leadline.check.verify import Asked, verify
from leadline.errors import BudgetSpent, ReasonerFailed
from leadline.ports import Embedder, Judge, Run
from leadline.types import Checked, Claim, Draft, Loss, Made, Opinion, Passage, State, Verdict
from leadline.values import replace
from leadline.write.judging import CALL_CHARS, CALL_CLAIMS

MOST_JUDGED = 20  # claims in doubt that a model is asked about; they are under a fifth of all
MOST_REWRITTEN = 12

Shown = Mapping[str, tuple[str, ...]]  # claims with the sentences that may say them


async def settle(
    draft: Draft,
    state: State,
    passages: tuple[Passage, ...],
    embedder: Embedder,
    judge: Judge | None,
    run: Run,
) -> Checked:
    """The draft as far as it is proven. Without a judge this is one step, "verify"."""
    asked = Asked(state.task, state.plan.wanted_items, state.plan.language)
    args = (passages, embedder, state.sources, asked)
    checked = await run.last_step("verify", verify, draft, *args)
    if judge is None or not passages:
        return checked
    titles = {source.id: source.title for source in state.sources}
    prover = Prover(passages, embedder, titles)
    opinions: list[Opinion] = []
    doubtful = _texts(checked.doubts)[:MOST_JUDGED]
    if doubtful and judge.examined:
        known = {claim.text: claim.sources for claim in checked.doubts}
        shown = {text: prover.prove(text, known[text]).evidence for text in doubtful}
        opinions += await _judged(judge, state.task, shown, run)
        checked = await verify(draft, *args, tuple(opinions))
    failing = [claim for claim in checked.dropped if claim.sources and claim.quote]
    if failing:
        rewrite = rewriting(judge, prover, failing)
        opinions += _made(await run.each("rewrite", rewrite, _texts(failing)[:MOST_REWRITTEN]))
    if checked.lacking:
        listing = adding(judge, state.task, _items(checked.answer), passages)
        added = _made(await run.each("more", listing, (checked.lacking,)))
        draft = _longer(draft, checked, added)
        opinions += added
    made = _bill(opinions)
    if doubtful and not judge.examined:  # a step, so that a replay says it too
        left = await run.last_step("unjudged", unjudged, len(doubtful), judge.name)
        made = replace(made, notes=(*made.notes, *left.notes))
    if opinions:
        told = _merged(opinions)
        checked = await run.last_step("settle", verify, draft, *args, told)
    return replace(checked, made=made)


async def unjudged(claims: int, name: str) -> Made:
    """What is said of claims that a judge may not judge."""
    why = f"it has passed no examination as a judge: leadline doctor --model {name}"
    return Made(notes=(f"Nobody judged {claims} claims that are only sourced; {why}",))


async def _judged(judge: Judge, task: str, shown: Shown, run: Run) -> list[Opinion]:
    """What the judge says of claims. The first call has the sentence that answers, and is made
    however little time is left; the others as long as there is time to gather."""
    ask = judging(judge, task)
    first, *others = _calls(shown)
    try:
        opinions = [*await run.last_step("judge", ask, first)]
    except BudgetSpent:
        opinions = []
    for answer in await run.each("judge", ask, others):
        opinions += () if isinstance(answer, Loss) else answer
    return opinions


def _calls(shown: Shown) -> Iterator[Shown]:
    """As many claims a call as it may hold, in their order; evidence is cut to what it may hold."""
    call: dict[str, tuple[str, ...]] = {}
    size = 0
    for claim, evidence in shown.items():
        text = " ".join(evidence)[: max(0, CALL_CHARS - len(claim))]
        length = len(claim) + len(text)
        if call and (len(call) == CALL_CLAIMS or size + length > CALL_CHARS):
            yield call
            call, size = {}, 0
        call[claim] = (text,)
        size += length
    yield call


def judging(judge: Judge, task: str) -> Callable[[Shown], Awaitable[tuple[Opinion, ...]]]:
    """The step for one call about claims in doubt: a model that fails has no opinion."""

    async def ask(shown: Shown) -> tuple[Opinion, ...]:
        try:
            return await judge.judge(task, shown)
        except (ReasonerFailed, BudgetSpent) as error:
            return tuple(Opinion(claim, judge=judge.name, error=str(error)) for claim in shown)

    return ask


def rewriting(
    judge: Judge, prover: Prover, claims: Sequence[Claim]
) -> Callable[[str], Awaitable[Opinion]]:
    """The step for one claim that may not ship."""
    failed = {claim.text: claim for claim in claims}

    async def ask(claim: str) -> Opinion:
        evidence = prover.prove(claim, failed[claim].sources).evidence
        why = failed[claim].why.removesuffix("; mended")
        return await _tried(judge.rewrite(claim, evidence, why), claim, judge)

    return ask


def adding(
    judge: Judge, task: str, items: Sequence[str], passages: Sequence[Passage]
) -> Callable[[int], Awaitable[Opinion]]:
    """The step that asks once for the items that are missing."""

    async def ask(lacking: int) -> Opinion:
        return await _tried(judge.more(task, items, passages, lacking), "", judge)

    return ask


async def _tried(asked: Awaitable[Opinion], claim: str, judge: Judge) -> Opinion:
    try:
        return await asked
    except (ReasonerFailed, BudgetSpent) as error:
        return Opinion(claim, judge=judge.name, error=str(error))


def _made(results: Sequence[Opinion | Loss]) -> list[Opinion]:
    """What came back; a claim that time ran out for keeps its computed verdict."""
    return [one for one in results if isinstance(one, Opinion)]


def _texts(claims: Sequence[Claim]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(claim.text for claim in claims))


def _items(answer: str) -> tuple[str, ...]:
    return tuple(unit.raw for unit in cut(answer) if unit.kind == "item")


def _longer(draft: Draft, checked: Checked, added: Sequence[Opinion]) -> Draft:
    """The draft with the further items at the end of its list, numbered on."""
    lines = [line for one in added for line in one.text.splitlines() if line.strip()]
    items = _items(draft.answer)
    if not lines or not items:
        return draft
    last = items[-1]
    count = len(items)
    more = [
        f"{count + at}. {line.strip().lstrip('-*0123456789.) ')}"
        for at, line in enumerate(lines, 1)
    ]
    return replace(draft, answer=draft.answer.replace(last, "\n".join([last, *more]), 1))


def _merged(opinions: Sequence[Opinion]) -> tuple[Opinion, ...]:
    """One opinion a claim: the verdict of its judging, the words of its rewriting."""
    by_claim: dict[str, Opinion] = {}
    for one in opinions:
        known = by_claim.get(one.claim)
        if known is None or known.error:
            by_claim[one.claim] = one
        elif not one.error:
            verdict: Verdict | None = known.verdict or one.verdict
            by_claim[one.claim] = replace(known, verdict=verdict, text=one.text or known.text)
    return tuple(one for one in by_claim.values() if one.claim)


def _bill(opinions: Sequence[Opinion]) -> Made:
    calls = tuple(call for one in opinions for call in one.made.calls)
    errors = dict.fromkeys(one.error for one in opinions if one.error)
    return Made(calls, tuple(f"A claim was checked without a model: {why}" for why in errors))
