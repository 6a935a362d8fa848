"""What a run will take: from past runs like it where there are any, else from its limits.

The estimate made at the start of a run is kept with its record, so that the error of past
estimates can be shown beside the next one.
"""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from leadline.codec import dumped
from leadline.observe.record import FILE_NAME
from leadline.observe.spreads import DRIFT, FEW, median, spread
from leadline.purse import FREE, Price
from leadline.types import Estimate, Limits, Off, Sources, Spread, Tier
from leadline.values import replace

LOOKED_AT = 2_000_000  # bytes from the end of runs.jsonl
NEWEST = 50  # runs like this one that an estimate is made from
JUDGED = 20  # estimates whose error is shown
MEASURED = ("seconds", "searches", "pages", "tokens", "cost")

# Without past runs. Measured over this project's docs and the simulated web, no model, two cores:
# seconds to begin and write, a search, a page; and the share of the allowed searches made.
_TIMES: dict[Sources, tuple[float, float, float]] = {
    "documents": (0.3, 0.03, 0.04),
    "web": (2.0, 0.3, 0.4),
    "both": (2.2, 0.3, 0.4),
}
_SEARCHED = {Tier.SIMPLE: 1.0, Tier.STANDARD: 0.5, Tier.DEEP: 0.6}
# Tokens of prompts by what they hold; a token is about four letters.
_PLAN, _REFLECT, _ANSWER, _LETTERS = 900, 1800, 1200, 4
_REVISE, _PATCH = 2500, 300


@dataclass(frozen=True)
class Asked:
    """What is known of a run before it starts. `price` None: there is no model."""

    tier: Tier
    reasoner: str
    sources: Sources
    limits: Limits
    pages: int
    context_chars: int = 60_000
    price: Price | None = None
    revise: int = 0  # rounds in which the report is scored and patched
    parts: int = 0  # that a compound task is taken apart into
    agent: bool = False  # a model steers


def estimate_from(asked: Asked, records: Sequence[Mapping[str, Any]]) -> Estimate:
    """The estimate for a run, with how far the past ones were off. Nothing is asked or spent."""
    like = [one for one in records if _matches(one, asked)]
    alike = [one for one in like if _shape(one) == (asked.revise > 0, asked.parts, asked.agent)]
    chosen = (alike if len(alike) >= FEW else like)[-NEWEST:]
    guess = _from_past(asked, [_actual(one) for one in chosen]) if chosen else _from_limits(asked)
    return replace(_held(guess, asked), off=errors(records))


def _matches(record: Mapping[str, Any], asked: Asked) -> bool:
    return (
        tier_of(record) == asked.tier
        and sources_of(record.get("settings") or {}) == asked.sources
        and reasoner_of(record) == asked.reasoner
    )


def _shape(record: Mapping[str, Any]) -> tuple[bool, int, bool]:
    """What makes runs of one tier differ: revision, the parts of the task, who steers."""
    settings = record.get("settings") or {}
    whole = settings.get("subtasks") == "off"
    parts = () if whole else (record.get("plan") or {}).get("subtasks") or ()
    return bool(settings.get("revise")), len(parts), bool(settings.get("agent"))


def tier_of(record: Mapping[str, Any]) -> str:
    """The tier a run had: the user's choice, else the planner's."""
    told = ((record.get(part) or {}).get("tier") for part in ("settings", "plan", "estimate"))
    return str(next(filter(None, told), Tier.STANDARD.value))


def reasoner_of(record: Mapping[str, Any]) -> str:
    """The reasoner a run was started with."""
    foreseen = record.get("estimate") or {}
    return str(foreseen.get("reasoner") or record.get("reasoner") or "extractive")


def sources_of(settings: Mapping[str, Any]) -> Sources:
    """What a run searches, by its settings."""
    docs, web = settings.get("docs"), settings.get("web")
    if docs:
        return "both" if web else "documents"
    return "web"


def _actual(record: Mapping[str, Any]) -> dict[str, float]:
    usage = record.get("usage") or {}
    return {
        "seconds": float(record.get("active_seconds") or 0),
        "searches": float(usage.get("searches") or 0),
        "pages": float(usage.get("pages") or 0),
        "tokens": float((usage.get("prompt_tokens") or 0) + (usage.get("completion_tokens") or 0)),
        "cost": float(usage.get("cost") or 0),
    }


def _from_past(asked: Asked, like: Sequence[Mapping[str, float]]) -> Estimate:
    def over(what: str) -> Spread:
        return spread([one[what] for one in like], DRIFT if what == "seconds" else 1.0)

    known = asked.price is None or asked.price.known
    return Estimate(
        asked.tier,
        asked.reasoner,
        asked.sources,
        seconds=over("seconds"),
        searches=over("searches"),
        pages=over("pages"),
        tokens=over("tokens"),
        cost=over("cost"),
        basis="past runs",
        runs=len(like),
        cost_known=known or over("cost").middle > 0,
    )


def _from_limits(asked: Asked) -> Estimate:
    """What the limits allow, with what runs without a model were measured to make of them."""
    most = asked.limits.max_queries
    searches = Spread(min(2, most), max(1, round(_SEARCHED[asked.tier] * most)), most)
    pages = Spread(min(1, asked.pages), asked.pages, asked.pages)
    start, search, page = _TIMES[asked.sources]
    ceiling = asked.limits.max_execution_time_s
    seconds = Spread(
        start + search * searches.low,
        start + search * searches.middle + page * pages.middle,
        ceiling,
    )
    tokens, cost = Spread(0, 0, 0), Spread(0, 0, 0)
    if asked.price is not None:
        tokens, cost = _with_model(asked)
        seconds = replace(seconds, middle=ceiling)  # how fast a model is nobody knows beforehand
    known = asked.price is None or asked.price.known
    return Estimate(
        asked.tier,
        asked.reasoner,
        asked.sources,
        seconds,
        searches,
        pages,
        tokens,
        cost,
        cost_known=known,
    )


def _with_model(asked: Asked) -> tuple[Spread, Spread]:
    """Tokens and money: a plan, a reflection an iteration, a report, and what revising it takes."""
    price = asked.price or FREE
    full = asked.context_chars // _LETTERS
    sizes = []
    for rounds, context, edits in (
        (1, full // 4, min(1, asked.revise)),
        (math.ceil(asked.limits.max_iters / 2), full // 2, asked.revise),
        (asked.limits.max_iters, full, asked.revise),
    ):
        again = 2 * edits  # each round scores the report and patches it
        prompt = _PLAN + _REFLECT * rounds + context + again * _REVISE
        sizes.append((prompt, 200 * (1 + rounds) + _ANSWER + again * _PATCH))
    tokens = Spread(*(float(prompt + answer) for prompt, answer in sizes))
    return tokens, Spread(*(price.of(prompt, answer) for prompt, answer in sizes))


def _held(guess: Estimate, asked: Asked) -> Estimate:
    """No more than the limits of this run allow, whatever other runs took."""
    limits = asked.limits
    return replace(
        guess,
        seconds=_at_most(guess.seconds, limits.max_execution_time_s),
        searches=_at_most(guess.searches, limits.max_queries),
        pages=_at_most(guess.pages, asked.pages),
        tokens=_at_most(guess.tokens, limits.token_budget or math.inf),
        cost=_at_most(guess.cost, limits.max_cost or math.inf),
    )


def _at_most(spread: Spread, most: float) -> Spread:
    return Spread(min(spread.low, most), min(spread.middle, most), min(spread.high, most))


# ── how far past estimates were off ─────────────────────────────────────────────────────────


def errors(records: Sequence[Mapping[str, Any]], newest: int = JUDGED) -> tuple[Off, ...]:
    """The median error, in percent, of the newest estimates of each thing; of nothing, none."""
    judged = [one for one in records if one.get("estimate")][-newest:]
    found = []
    for what in MEASURED:
        shares = [
            100 * abs(one["estimate"][what]["middle"] - actual) / actual
            for one in judged
            if (actual := _actual(one)[what]) > 0
        ]
        if shares:
            found.append(Off(what, round(median(shares), 1), len(shares)))
    return tuple(found)


# ── files ───────────────────────────────────────────────────────────────────────────────────


def past_records(data_dir: Path) -> list[dict[str, Any]]:
    """The newest records of `runs.jsonl`, oldest first; a torn line is passed over."""
    path = data_dir / FILE_NAME
    try:
        now = path.stat()
        return list(_records(path, now.st_size, now.st_mtime_ns))
    except OSError:
        return []


@lru_cache(maxsize=2)  # many runs are begun between two that end
def _records(path: Path, size: int, _changed: int) -> tuple[dict[str, Any], ...]:
    with path.open("rb") as file:
        file.seek(max(0, size - LOOKED_AT))
        lines = file.read().split(b"\n")[1 if size > LOOKED_AT else 0 :]
    return tuple(_parsed(lines))


def _parsed(lines: Sequence[bytes]) -> Iterator[dict[str, Any]]:
    for line in lines:
        record = _record(line)
        if record is not None:
            yield record


@lru_cache(maxsize=2048)  # of a file that grew by one line, one line is new
def _record(line: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(line)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def note_estimate(data_dir: Path, run_id: str, estimate: Estimate) -> None:
    """Keep the estimate made at the start of a run until its record is written."""
    path = _noted(data_dir, run_id)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(dumped(replace(estimate, off=()))), "utf-8")
    except OSError as error:  # the run matters more than the guess about it
        logging.getLogger("leadline.run").warning("no estimate kept of %s: %s", run_id, error)


def noted_estimate(data_dir: Path, run_id: str) -> dict[str, Any] | None:
    """The estimate that was kept at the start of a run, where there is one."""
    try:
        found = json.loads(_noted(data_dir, run_id).read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def forget_estimate(data_dir: Path, run_id: str) -> None:
    """Its record has it now."""
    _noted(data_dir, run_id).unlink(missing_ok=True)


def _noted(data_dir: Path, run_id: str) -> Path:
    return data_dir / "estimates" / f"{Path(run_id).name}.json"
