"""What to ask next and when to stop: the three search policies, made of the same parts.

`fixed` asks the planner's first two queries and ends; `saturation` asks one query a round until
the gate rejects one; `reflective` asks a batch, judges it, reflects, and follows what reflection
found. All of them are pure functions of the state.
"""

from __future__ import annotations

from collections.abc import Iterable

from leadline.research.state import COMPUTED
from leadline.text.words import content_words
from leadline.types import GateVerdict, Query, Rules, State, Stop

UNCHANGED_ROUNDS = 2
FAILURES_IN_A_ROW = 3


def next_queries(state: State, rules: Rules) -> tuple[Query, ...]:
    """The queries of the next iteration, within the limit on queries; empty when none is left."""
    room = state.limits.max_queries - len(state.asked)
    return fresh(_wanted(state, rules), state.asked)[: max(room, 0)]


def _wanted(state: State, rules: Rules) -> tuple[Query, ...]:
    reserve = state.plan_queries
    if rules.policy == "fixed":
        return reserve[: rules.searches_per_task]
    if rules.policy == "saturation":
        opening = len(state.asked) < rules.searches_per_task
        wanted = reserve if opening else (*state.pending, *reserve)
        return fresh(wanted, state.asked)[:1]
    if state.iteration == 0:
        return reserve[: max(state.plan.opening, 1)]
    most = 1 if settled(state, rules, soon=True) else rules.queries_per_round
    return fresh((*state.pending, *reserve), state.asked)[:most]


def settled(state: State, rules: Rules, *, soon: bool = False) -> bool:
    """Does the stop rule say that enough was searched; or `soon`, after the fewest searches?

    It speaks where the reflection was computed. A model's own verdict on what is missing stands.
    """
    by_rule = state.reflector in ("", COMPUTED) and bool(state.search_results)
    if rules.policy != "reflective" or rules.stop_rule == "gate" or not by_rule:
        return False
    # It reads passages: not before the first search.
    from leadline.rank.stop_rules import LEAST, ends_search, signs

    searches = max(len(state.asked), LEAST) if soon else len(state.asked)
    return ends_search(signs(state), searches)


def fresh(queries: Iterable[Query], asked: Iterable[Query]) -> tuple[Query, ...]:
    """`queries` without those in the same words as one already asked, or as an earlier one."""
    seen = {_words_of(query) for query in asked}
    kept: list[Query] = []
    for query in queries:
        key = _words_of(query)
        if key and key not in seen:
            seen.add(key)
            kept.append(query)
    return tuple(kept)


def _words_of(query: Query) -> frozenset[str]:
    return frozenset(content_words(query.text) or query.text.lower().split())


def stop_reason(state: State, rules: Rules) -> Stop | None:
    """Why the search must end now, or None to go on. Reflection's verdict comes first."""
    if state.stop_reason:
        return state.stop_reason
    if state.iteration == 0 and not state.asked:
        return _spent(state, rules)
    if rules.policy == "reflective" and state.sufficient:
        return Stop.SUFFICIENT
    if state.degraded:
        return Stop.DEGRADED
    if rules.policy != "fixed" and all_rejected(state):
        return Stop.SATURATED
    return _spent(state, rules) or _exhausted(state, rules)


def _spent(state: State, rules: Rules) -> Stop | None:
    limits = state.limits
    rounds = limits.max_iters
    if rules.policy == "saturation":
        rounds = min(rounds, rules.max_search_rounds)
    if state.elapsed >= limits.gather_s:
        return Stop.MAX_TIME
    if len(state.asked) >= limits.max_queries:
        return Stop.MAX_QUERIES
    if state.iteration >= rounds:
        return Stop.MAX_ITERS
    if limits.token_budget and _tokens(state) >= limits.token_budget:
        return Stop.TOKEN_BUDGET
    if limits.max_cost and state.usage.cost >= limits.max_cost:
        return Stop.MAX_COST
    return None


def _exhausted(state: State, rules: Rules) -> Stop | None:
    if settled(state, rules):
        return Stop.SATURATED if state.gaps else Stop.SUFFICIENT
    full = len(state.kept) >= state.limits.max_sources
    if full and rules.policy == "reflective" and state.unchanged >= UNCHANGED_ROUNDS:
        return Stop.MAX_SOURCES
    if next_queries(state, rules):
        return None
    return Stop.MAX_QUERIES if rules.policy == "fixed" else Stop.SATURATED


def _tokens(state: State) -> int:
    return state.usage.prompt_tokens + state.usage.completion_tokens


def all_rejected(state: State) -> bool:
    """Did the gate turn away every batch of the last iteration?"""
    last: tuple[GateVerdict, ...] = state.verdicts[len(state.verdicts) - state.last_round :]
    judged = [verdict for verdict in last if verdict.reason not in ("failed", "empty")]
    return bool(judged) and not any(verdict.accepted for verdict in judged)


def circuit_open(state: State) -> bool:
    """Three failed searches in a row, or half of all of them: search is not to be relied on."""
    failed = sum(verdict.reason == "failed" for verdict in state.verdicts)
    many = len(state.verdicts) >= FAILURES_IN_A_ROW and failed * 2 >= len(state.verdicts)
    return state.failures_in_a_row >= FAILURES_IN_A_ROW or many
