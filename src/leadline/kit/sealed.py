"""The tools of a replay: the same rules and limits, and nothing that could reach the world."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from leadline.errors import SourceLost
from leadline.kit.documents import embedder, passage_reader
from leadline.kit.memory import SealedMemory
from leadline.ports import Helm
from leadline.research.loop import Kit
from leadline.settings import Settings, agent_steps, doors, limits, rules
from leadline.types import (
    Batch,
    Earlier,
    Grade,
    Hit,
    Issue,
    Move,
    Opinion,
    Page,
    Passage,
    Patches,
    Plan,
    Query,
    Sentence,
    SoFar,
    Tier,
)

if TYPE_CHECKING:
    from leadline.research.revise import Editing

_SEALED = "nothing is searched, fetched or asked in a replay"


class SealedFetcher:
    """Satisfies `ports.Fetcher` and fetches nothing."""

    async def fetch(self, hit: Hit) -> Page:
        raise SourceLost(_SEALED)


class SealedJudge:
    """Satisfies `ports.Judge` and has no opinion: what a model said is on record."""

    name = "sealed"

    async def judge(self, claim: str, evidence: Sequence[str]) -> Opinion:
        raise SourceLost(_SEALED)

    async def rewrite(self, claim: str, evidence: Sequence[str], why: str) -> Opinion:
        raise SourceLost(_SEALED)

    async def more(
        self, task: str, items: Sequence[str], passages: Sequence[Passage], lacking: int
    ) -> Opinion:
        raise SourceLost(_SEALED)


class SealedEditor:
    """Satisfies `ports.Evaluator` and `ports.Reviser`: scores and patches are on record."""

    name = "sealed"

    async def evaluate(self, task: str, sentences: Sequence[Sentence]) -> Grade:
        raise SourceLost(_SEALED)

    async def revise(
        self,
        task: str,
        sentences: Sequence[Sentence],
        issues: Sequence[Issue],
        passages: Sequence[Passage],
    ) -> Patches:
        raise SourceLost(_SEALED)


class SealedPilot:
    """Satisfies `ports.Pilot` and steers nowhere: its moves are on record."""

    name = "sealed"

    async def decide(self, so_far: SoFar) -> Move:
        raise SourceLost(_SEALED)


async def sealed_recall(question: str) -> Earlier:
    """What an earlier run had to say is on record."""
    raise SourceLost(_SEALED)


async def _find(query: Query, k: int) -> Batch:
    raise SourceLost(_SEALED)


async def _review(task: str, plan: Plan) -> Plan | None:
    raise SourceLost(_SEALED)


def _editing(settings: Settings, judged: bool) -> Editing | None:
    from leadline.research.revise import Editing

    if not settings.revise:
        return None
    if not (judged and settings.writes_with_model):
        return Editing(settings.revise)
    return Editing(settings.revise, SealedEditor(), SealedEditor())


def sealed_kit(settings: Settings, *, judged: bool = False, remembers: bool = False) -> Kit:
    """A kit whose steps must all be on record; what is computed between steps is computed here.

    `judged` where the run had a model to ask about claims in doubt, `remembers` where it had a
    memory.
    """
    from leadline.write.extractive import ExtractiveReasoner

    plain = ExtractiveReasoner(embedder(), passage_reader(settings))
    return Kit(
        reasoner=plain,
        plain=plain,
        find=_find,
        fetcher=SealedFetcher(),
        embedder=embedder(),
        judge=SealedJudge() if judged else None,
        editing=_editing(settings, judged),
        long=settings.long,
        rules={tier: rules(settings, tier) for tier in Tier},
        limits={tier: limits(settings, tier) for tier in Tier},
        tier=settings.tier,
        review=_review if settings.review_plan else None,
        memory=SealedMemory() if remembers else None,
        helm=_helm(settings),
        doors=doors(settings),
    )


def _helm(settings: Settings) -> Helm | None:
    """What a model was offered decides how its calls are read."""
    if not settings.agent:
        return None
    from leadline.kit import uses_web

    steps = {tier: agent_steps(settings, tier) for tier in Tier}
    docs = _find if settings.docs else None
    return Helm(SealedPilot(), steps, docs, _find if uses_web(settings) else None)
