"""Runs that are made at once, for experiments that test how they are conducted."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from leadline.experiment.spec import Task
from leadline.experiment.workers import Outcome

SPEC = """
name = "gates"
seed = 4
replications = 2
responses = ["claims", "searches"]

[factor]
setting = "gate"
levels = ["none", "heuristic", "semantic"]

[settings]
docs = ["docs"]
no_model = true

[[tasks]]
id = "a"
ask = "Who approves a refund?"

[[tasks]]
id = "b"
ask = "How many days of holiday are there?"

[[tasks]]
id = "c"
ask = "When is a refund paid?"
"""


class Instant:
    """Answers at once: claims depend on gate and task, searches on the task alone."""

    def __init__(self, made: list[tuple[str, str, int]], stop_after: int = 10**9) -> None:
        self.made, self.stop_after = made, stop_after
        self.failing: set[str] = set()

    async def run(
        self, task: Task, settings: Mapping[str, Any], responses: tuple[str, ...]
    ) -> Outcome:
        if len(self.made) >= self.stop_after:
            raise KeyboardInterrupt
        gate = str(settings["gate"])
        self.made.append((gate, task.id, settings["seed"]))
        if f"{gate} {task.id}" in self.failing:
            return Outcome({}, why="SourceLost: the index is gone")
        better = {"none": 0, "heuristic": 1, "semantic": 5}[gate]
        claims = better + 10 * "abc".index(task.id) + settings["seed"] % 2 / 10
        return Outcome({"claims": claims, "searches": float("abc".index(task.id))}, run_id="r")

    async def close(self) -> None:
        return None


def written(folder: Path, text: str = SPEC) -> Path:
    """The spec in a file, with the documents it names."""
    docs = folder / "docs"
    docs.mkdir(exist_ok=True)
    (docs / "refunds.md").write_text(
        "# Refunds\n\nThe head of finance approves every refund above 500 euros.\n\n"
        "A refund is paid within fourteen days of its approval.\n\n"
        "Every employee has thirty days of paid holiday a year.\n"
    )
    path = folder / "gates.toml"
    path.write_text(text)
    return path
