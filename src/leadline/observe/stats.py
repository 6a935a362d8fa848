"""What many runs say together, out of `runs.jsonl`: where they stop, fail, spend and repeat."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median
from typing import Any

from leadline.observe.providers import Asking, askings
from leadline.observe.record import FILE_NAME

ROUNDS = 10  # of a novelty curve

# The stages of the records, by what a person would look at to mend them.
_WHERE = {
    "plan": "planning",
    "reflect": "planning",
    "recall": "retrieval",
    "search": "retrieval",
    "retry": "retrieval",
    "fallback": "retrieval",
    "read": "retrieval",
    "fetch": "retrieval",
    "write": "synthesis",
    "compress": "synthesis",
    "revise": "synthesis",
    "verify": "verification",
    "judge": "verification",
}


@dataclass(frozen=True)
class Share:
    """How often something was, and in what part of the runs."""

    what: str
    count: int
    share: float


@dataclass(frozen=True)
class Round:
    """The novelty scores of one search of all runs, in the order in which they were judged."""

    number: int
    runs: int
    mean: float
    discarded: float  # share of them


@dataclass(frozen=True)
class Stats:
    """All of it; `first_scores` are of the evaluator's first round, by dimension."""

    runs: int
    answered: int
    degraded: int
    stop_reasons: tuple[Share, ...]
    failures: tuple[Share, ...]
    providers: tuple[Asking, ...]
    seconds_median: float
    searches_mean: float
    tokens_mean: float
    cost_total: float
    cost_mean: float
    claims: tuple[Share, ...]
    first_scores: tuple[tuple[str, float], ...]
    first_scored: int
    novelty: tuple[Round, ...]
    advice: tuple[str, ...]


def stats_of(data_dir: Path) -> Stats:
    """Over every run that has a record; a torn line is passed over."""
    return stats(list(_records(data_dir / FILE_NAME)))


def stats(records: list[dict[str, Any]]) -> Stats:
    """Over these records."""
    usage = [one.get("usage") or {} for one in records]
    tokens = [_number(u, "prompt_tokens") + _number(u, "completion_tokens") for u in usage]
    failures = Counter(where for one in records for where in set(_failures(one)))
    scores, scored = _first_scores(records)
    novelty = tuple(_curve(records))
    costs = [_number(u, "cost") for u in usage]
    claims = Counter(claim["verdict"] for one in records for claim in one.get("claims") or ())
    return Stats(
        runs=len(records),
        answered=sum(bool(one.get("found")) for one in records),
        degraded=sum(bool(one.get("degraded")) for one in records),
        stop_reasons=_shares(Counter(str(one.get("stop_reason")) for one in records), len(records)),
        failures=_shares(failures, len(records)),
        providers=askings(search for one in records for search in one.get("searches") or ()),
        seconds_median=round(median(_seconds(records)), 2) if records else 0.0,
        searches_mean=_mean([_number(u, "searches") for u in usage]),
        tokens_mean=_mean(tokens),
        cost_total=round(sum(costs), 6),
        cost_mean=_mean(costs, 6),
        claims=_shares(claims, claims.total()),
        first_scores=scores,
        first_scored=scored,
        novelty=novelty,
        advice=tuple(_advice(records, failures, novelty)),
    )


def _records(path: Path) -> Iterator[dict[str, Any]]:
    try:
        with path.open("rb") as file:
            for line in file:
                try:
                    record = json.loads(line)
                except ValueError:
                    continue
                if isinstance(record, dict):
                    yield record
    except FileNotFoundError:
        return


def _failures(record: Mapping[str, Any]) -> Iterator[str]:
    """Where something went wrong in a run; once each."""
    for loss in record.get("errors") or ():
        yield _WHERE.get(str(loss.get("stage")), "other")
    for search in record.get("searches") or ():
        if search.get("error") or search.get("fallbacks"):
            yield "provider"
    for call in record.get("model_calls") or ():
        if call.get("error"):
            yield "provider"
    for call in record.get("calls") or ():
        if call.get("error"):
            yield _WHERE.get(str(call.get("step")), "other")
    if record.get("dropped"):
        yield "verification"


def _first_scores(
    records: Iterable[Mapping[str, Any]],
) -> tuple[tuple[tuple[str, float], ...], int]:
    """The mean of each dimension in the first round of evaluation."""
    found: dict[str, list[float]] = {}
    scored = 0
    for record in records:
        first = (record.get("revision") or {}).get("first") or {}
        quality = first.get("quality") or {}
        told = {"total": quality.get("total"), **(quality.get("scores") or {})}
        numbers = {name: value for name, value in told.items() if isinstance(value, int | float)}
        scored += bool(numbers)
        for name, value in numbers.items():
            found.setdefault(name, []).append(float(value))
    return tuple((name, _mean(values)) for name, values in found.items()), scored


def _curve(records: Iterable[Mapping[str, Any]]) -> Iterator[Round]:
    judged = [[one for one in record.get("searches") or () if "score" in one] for record in records]
    for number in range(ROUNDS):
        here = [searches[number] for searches in judged if len(searches) > number]
        if not here:
            return
        gone = sum(one["verdict"] == "discarded" for one in here)
        mean = _mean([float(one["score"]) for one in here])
        yield Round(number + 1, len(here), mean, round(gone / len(here), 3))


def _advice(
    records: list[dict[str, Any]], failures: Mapping[str, int], novelty: tuple[Round, ...]
) -> Iterator[str]:
    """What the figures ask for, where they ask for something."""
    most = len(records)
    if most < 3:
        return
    if failures.get("provider", 0) * 4 > most:
        yield "A provider failed in over a quarter of the runs: leadline doctor says which."
    if sum(not one.get("found") for one in records) * 3 > most:
        yield "Over a third found no answer: more sources, or documents of your own, may help."
    if sum(one.get("stop_reason") == "max_time" for one in records) * 4 > most:
        yield "Over a quarter ran out of time: raise max_execution_time_s or lower the tier."
    later = [one.mean for one in novelty[1:5]]
    if later and max(later) < 3.5:
        yield "Searches 2 to 5 bring little that is new: narrow questions, or queries that repeat."
    elif later and min(later) > 7:
        yield "Searches stay new to the end: a deeper tier would still find something."


def _seconds(records: Iterable[Mapping[str, Any]]) -> list[float]:
    return [float(one.get("active_seconds") or 0) for one in records]


def _number(usage: Mapping[str, Any], name: str) -> float:
    return float(usage.get(name) or 0)


def _mean(values: list[float], digits: int = 2) -> float:
    return round(fmean(values), digits) if values else 0.0


def _shares(counts: Counter[str], of: int) -> tuple[Share, ...]:
    return tuple(Share(what, n, round(n / of, 3)) for what, n in counts.most_common())
