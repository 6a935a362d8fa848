"""What is asked: queries and the plan they come from."""

from __future__ import annotations

from typing import Literal

from leadline.types.calling import BY_RULE, Made
from leadline.types.kinds import TaskType, Tier
from leadline.values import Value


class Query(Value):
    """What is sent to a provider, why, and which stage wrote it."""

    text: str
    intent: str = ""
    origin: Literal["plan", "gap", "reflect", "fallback", "agent"] = "plan"


class Plan(Value):
    """What the planner makes of a task. `opening` queries start at once, the rest wait."""

    search_queries: tuple[Query, ...]
    known_facts: tuple[str, ...] = ()
    knowledge_gaps: tuple[str, ...] = ()
    subtasks: tuple[str, ...] = ()
    tier: Tier = Tier.STANDARD
    task_type: TaskType = TaskType.RESEARCH
    language: str = "en"
    opening: int = 1
    wanted_items: int = 0
    made: Made = BY_RULE
