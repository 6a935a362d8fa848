"""What can be measured of a run, each by a name that an experiment states ahead."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from leadline.types import AgentResponse


@dataclass(frozen=True)
class Measured:
    """A finished run and what it took."""

    response: AgentResponse
    gold: tuple[str, ...]
    seconds: float
    cpu_s: float


@dataclass(frozen=True)
class Response:
    """One figure of a run; `about` is its entry in the reference."""

    about: str
    of: Callable[[Measured], float]
    gold: bool = False


def _gold(run: Measured) -> float:
    text = _plain(run.response.final_answer)
    return sum(_plain(one) in text for one in run.gold) / len(run.gold)


def _plain(text: str) -> str:
    return re.sub(r"[\s>*`]+", " ", text).casefold()


def _quality(run: Measured) -> float:
    revision = run.response.revision
    if revision is None:
        return 0.0
    rounds = (revision.first, *revision.rounds)
    return rounds[revision.best].quality.total


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


RESPONSES: Mapping[str, Response] = {
    "gold": Response("share of a task's gold strings that stand in the report", _gold, gold=True),
    "found": Response("1 when the sources answer the question", lambda r: float(r.response.found)),
    "claims": Response("sentences of the report that claim", lambda r: len(r.response.claims)),
    "dropped": Response("sentences that were left out", lambda r: len(r.response.dropped)),
    "sources": Response("sources that the report cites", lambda r: len(r.response.sources)),
    "quality": Response("the report's own score, 0–10, measured or a model's", _quality),
    "confidence": Response("0–1, as the run states it", lambda r: r.response.confidence),
    "gaps": Response("parts of the question left open", lambda r: len(r.response.gaps)),
    "words": Response("words of the report", lambda r: len(r.response.final_answer.split())),
    "searches": Response("searches made", lambda r: r.response.usage.searches),
    "discarded": Response(
        "batches that the gate turned away",
        lambda r: sum(not verdict.accepted for verdict in r.response.verdicts),
    ),
    "novelty": Response(
        "mean novelty score of the batches, 0–10",
        lambda r: _mean([verdict.score for verdict in r.response.verdicts]),
    ),
    "repeated": Response(
        "mean share of a batch that was already seen",
        lambda r: _mean([verdict.repeated for verdict in r.response.verdicts]),
    ),
    "pages": Response("whole pages read", lambda r: r.response.usage.pages),
    "lost": Response("searches, pages and calls that failed", lambda r: len(r.response.error_log)),
    "calls": Response("calls of language models", lambda r: r.response.usage.calls),
    "tokens": Response(
        "tokens of prompts and answers",
        lambda r: r.response.usage.prompt_tokens + r.response.usage.completion_tokens,
    ),
    "cost": Response("money that models cost, US dollars", lambda r: r.response.usage.cost),
    "seconds": Response("seconds by the clock", lambda r: r.seconds),
    "cpu_s": Response("seconds of processor time", lambda r: r.cpu_s),
}


def needs_gold(name: str) -> bool:
    """Whether a response can only be had of tasks with gold strings."""
    return RESPONSES[name].gold


def measure(run: Measured, names: Sequence[str]) -> dict[str, float]:
    """The named figures of a run."""
    return {name: round(float(RESPONSES[name].of(run)), 6) for name in names}
