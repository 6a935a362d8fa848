"""Planning without a model: what to search for, what must be supported, how much it may cost."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from leadline.question.analyse import Expects, Part, Question, analyse, keywords
from leadline.question.language import language
from leadline.question.subtasks import compound
from leadline.rank.word_coverage import coverage
from leadline.text.words import content_words, words
from leadline.types import Plan, Query, TaskType, Tier

_LONGEST_QUERY = 24  # words
_MOST = 6
_KNOWN = 0.85  # share of a part's words that a known fact must have
_PRACTICES = re.compile(
    r"\bbest practices?\b|\bguidelines?\b|\brecommend|\btips\b|\bhow should\b", re.IGNORECASE
)
_ANGLES = ("overview", "definition", "examples", "details")
_ANGLES_IN = {"zh": ("概述", "定义", "例子", "介绍")}
_SINGLE_FACT = frozenset(
    {Expects.PERSON, Expects.TIME, Expects.PLACE, Expects.NUMBER, Expects.YES_NO}
)


def make_plan(task: str, known_facts: Sequence[str]) -> Plan:
    """The plan for `task`; what `known_facts` already say is not searched for again."""
    question = analyse(task)
    several = compound(question)
    open_parts = [part for part in question.parts if not _known(part, known_facts)]
    return Plan(
        search_queries=_queries(task, question, open_parts),
        known_facts=tuple(known_facts),
        knowledge_gaps=tuple(part.label for part in open_parts),
        subtasks=several.parts,
        tier=_tier(question),
        task_type=TaskType.COMPARISON if several.compared else _task_type(question),
        language=question.language,
        opening=1,
        wanted_items=question.wanted,
    )


def _known(part: Part, facts: Sequence[str]) -> bool:
    return any(coverage(part.words, set(content_words(fact)), {}) >= _KNOWN for fact in facts)


# ── queries ─────────────────────────────────────────────────────────────────────────────────


def _queries(task: str, question: Question, parts: Sequence[Part]) -> tuple[Query, ...]:
    """The whole question first, since splitting it too early was measured to harm."""
    wanted = [Query(_reduced(question), "the whole question")]
    if len(parts) > 1 or len(parts) < len(question.parts):
        wanted += [Query(of_part(part, question), f"part: {part.label}") for part in parts]
    for name in question.names:
        said = name.lower().split()
        near = [word for word in question.keywords if word.islower() and word not in said][:1]
        wanted.append(Query(" ".join([name, *near]), f"name: {name}"))
    return _distinct([*wanted, *_angles(question)], task)


def _reduced(question: Question) -> str:
    """The question as its content words; of a very long one, those of the clauses that ask."""
    found = question.keywords
    if len(found) > _LONGEST_QUERY:
        found = keywords(". ".join(part.label for part in question.parts)) or found
    return " ".join((found or words(question.text))[:_LONGEST_QUERY])


def of_part(part: Part, question: Question) -> str:
    """A part's own words; a compared thing keeps what it is compared by."""
    own = keywords(part.label) or (part.label,)
    others = {
        word for side in question.compared if side != part.label for word in side.lower().split()
    }
    by = question.keywords if question.compared else ()
    rest = [word for word in by if word.lower() not in others and word not in own]
    return " ".join([*own, *rest][:_LONGEST_QUERY])


def _angles(question: Question) -> list[Query]:
    """Other ways to ask, for a question that has few parts and names."""
    found = list(question.keywords or words(question.text)[:4] or [question.text[:40]])
    angles = _ANGLES_IN.get(question.language, _ANGLES)
    half = len(found) // 2
    core = [*found[half:], *found[:half]][:4]
    queries = [Query(" ".join(found[:4]), "the core of it"), Query(" ".join(found[-3:]), "its end")]
    return [*queries, *(Query(" ".join([*core, angle]), f"angle: {angle}") for angle in angles)]


def _distinct(wanted: Iterable[Query], task: str) -> tuple[Query, ...]:
    """Three to six queries, no two of the same words, none of them the task itself."""
    seen: dict[frozenset[str], Query] = {}
    for query in wanted:
        text = other_than(task, query.text)
        key = frozenset(content_words(text) or words(text))
        if key:
            seen.setdefault(key, Query(text, query.intent))
    return tuple(seen.values())[:_MOST]


def other_than(task: str, query: str) -> str:
    """`query`, changed where it would send the raw task: its words turned round, or one added."""
    said = words(query)
    if said != words(task):
        return query
    parts = [part for part in query.split() if words(part)]
    if len(set(said)) > 1 and len(parts) > 1:
        return " ".join([parts[-1], *parts[:-1]])
    return f"{query} {_ANGLES_IN.get(language(query), _ANGLES)[0]}"


# ── kind and cost ───────────────────────────────────────────────────────────────────────────


def _task_type(question: Question) -> TaskType:
    if question.wanted:
        return TaskType.ENUMERATED
    if question.compared:
        return TaskType.COMPARISON
    if _PRACTICES.search(question.text):
        return TaskType.BEST_PRACTICES
    if len(question.parts) <= 2 and question.expects in _SINGLE_FACT:
        return TaskType.FACTUAL
    return TaskType.RESEARCH


def _tier(question: Question) -> Tier:
    """Simple only for one fact about one thing: anything that needs a second hop needs room."""
    if len(question.parts) > 3 or len(question.keywords) > _LONGEST_QUERY:
        return Tier.DEEP
    one_fact = question.expects in _SINGLE_FACT and len(question.parts) == 1
    if one_fact and not question.hops and not question.compared and len(question.names) <= 1:
        return Tier.SIMPLE
    return Tier.STANDARD
