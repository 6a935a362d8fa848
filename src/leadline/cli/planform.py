"""The plan as a text that a person can edit, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leadline.values import replace

if TYPE_CHECKING:
    from leadline.types import Plan, Query, Tier

_HELP = """\
# Change what you like, save and close; the run goes on with what stands here.
# Leave nothing but lines with # to stop now: the run stays and can be resumed.
# One query a line; after " | " what it is to find."""
_PARTS = ("queries", "open", "subtasks")


def as_form(task: str, plan: Plan) -> str:
    """The plan for a person to edit."""
    queries = [
        f"{one.text} | {one.intent}" if one.intent else one.text for one in plan.search_queries
    ]
    return "\n".join(
        [
            f"# The plan for: {' '.join(task.split())[:300]}",
            _HELP,
            "",
            "# simple, standard or deep",
            f"tier: {plan.tier.value}",
            "",
            *_part("queries", queries),
            "# what has to be found out",
            *_part("open", plan.knowledge_gaps),
            "# parts that are researched each for itself, at the same time; none for one question",
            *_part("subtasks", plan.subtasks),
        ]
    )


def _part(name: str, lines: tuple[str, ...] | list[str]) -> list[str]:
    return [f"{name}:", *(f"- {' '.join(line.split())}" for line in lines), ""]


def from_form(text: str, plan: Plan) -> Plan | None:
    """The plan as it was edited, None when nothing is left; `BadInput` names a wrong line."""
    from leadline.errors import BadInput

    told: dict[str, list[str]] = {name: [] for name in _PARTS}
    tier, part = plan.tier, ""
    lines = [(at, line.strip()) for at, line in enumerate(text.splitlines(), 1)]
    lines = [(at, line) for at, line in lines if line and not line.startswith("#")]
    for at, line in lines:
        name, colon, rest = line.partition(":")
        if line.startswith(("- ", "* ")) or line == "-":
            if not part:
                raise BadInput(f"line {at} belongs to no part; parts are {', '.join(_PARTS)}")
            told[part] += [line[2:].strip()] if line[2:].strip() else []
        elif colon and name.strip().lower() == "tier":
            tier = _tier(rest, at)
        elif colon and name.strip().lower() in _PARTS and not rest.strip():
            part = name.strip().lower()
        else:
            raise BadInput(f"line {at} begins neither with - nor with a part's name: {line[:60]!r}")
    if not lines:
        return None
    return replace(
        plan,
        tier=tier,
        search_queries=tuple(_query(line, plan) for line in told["queries"]),
        knowledge_gaps=tuple(told["open"]),
        subtasks=tuple(told["subtasks"]),
    )


def _tier(said: str, at: int) -> Tier:
    from leadline.errors import BadInput
    from leadline.types import Tier

    try:
        return Tier(said.strip().lower())
    except ValueError as error:
        wanted = ", ".join(Tier)
        raise BadInput(f"line {at}: the tier is one of {wanted}; got {said.strip()!r}") from error


def _query(line: str, plan: Plan) -> Query:
    from leadline.types import Query

    text, _, intent = line.partition(" | ")
    found = Query(text.strip(), intent.strip())
    return next((one for one in plan.search_queries if one == found), found)
