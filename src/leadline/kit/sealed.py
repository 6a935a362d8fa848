"""The tools of a replay: the same rules and limits, and nothing that could reach the world.

What the tools said is on record, and a step that is not ends the replay before it reaches one. Of a
tool no more is needed than the types of its answers, by which the records are read.
"""

from __future__ import annotations

from leadline.errors import SourceLost
from leadline.kit.documents import embedder, passage_reader
from leadline.ports import Evaluator, Fetcher, Helm, Judge, Memory, Pilot, Reviser
from leadline.research.loop import Kit
from leadline.settings import Settings, agent_steps, doors, limits, rules
from leadline.types import Batch, Earlier, Plan, Query, Tier

_SEALED = "nothing is searched, fetched or asked in a replay"


class SealedTools(Fetcher, Judge, Evaluator, Reviser, Pilot, Memory):
    """The methods of every tool, none of which does anything."""

    name, examined = "sealed", False

    def __init__(self, *, examined: bool = False) -> None:
        self.examined = examined


async def sealed_recall(question: str) -> Earlier:
    """What an earlier run had to say is on record."""
    raise SourceLost(_SEALED)


async def _find(query: Query, k: int) -> Batch:
    raise SourceLost(_SEALED)


async def _review(task: str, plan: Plan) -> Plan | None:
    raise SourceLost(_SEALED)


def sealed_kit(
    settings: Settings, *, judged: bool = False, examined: bool = False, remembers: bool = False
) -> Kit:
    """A kit whose steps must all be on record; what is computed between steps is computed here.

    `judged` where the run had a model to ask about claims, `examined` where its word counted,
    `remembers` where it had a memory. What a model was offered decides how its calls are read.
    """
    from leadline.kit import uses_web
    from leadline.research.revise import Editing
    from leadline.write.extractive import ExtractiveReasoner

    tools = SealedTools(examined=examined)  # type: ignore[abstract]
    plain = ExtractiveReasoner(embedder(), passage_reader(settings))
    by_model = ExtractiveReasoner(embedder())  # what it said is on record
    edits = judged and settings.writes_with_model and settings.revise
    steps = {tier: agent_steps(settings, tier) for tier in Tier}
    docs, web = _find if settings.docs else None, _find if uses_web(settings) else None
    return Kit(
        reasoner=by_model if settings.writes_with_model else plain,
        plain=plain,
        find=_find,
        fetcher=tools,
        embedder=embedder(),
        judge=tools if judged else None,
        editing=Editing(settings.revise, tools, tools) if edits else None,
        long=settings.long,
        rules={tier: rules(settings, tier) for tier in Tier},
        limits={tier: limits(settings, tier) for tier in Tier},
        tier=settings.tier,
        review=_review if settings.review_plan else None,
        memory=tools if remembers else None,
        helm=Helm(tools, steps, docs, web) if settings.agent else None,
        doors=doors(settings),
    )
