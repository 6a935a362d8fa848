"""The runs of an experiment and the order they are made in, drawn from its seed."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any, Literal

from leadline.experiment.spec import Level, Spec, Task

Phase = Literal["warm-up", "run"]


@dataclass(frozen=True)
class Cell:
    """One run: a level, a task, and which replication it is, from 1."""

    level: Level
    task: Task
    replication: int

    @property
    def key(self) -> str:
        """How its row is found again."""
        return f"{self.level.name} | {self.task.id} | {self.replication}"


def schedule(spec: Spec) -> tuple[Cell, ...]:
    """Every run of the design, in random order: what drifts meanwhile falls on all levels alike."""
    cells = [
        Cell(level, task, replication)
        for level in spec.factor.levels
        for task in spec.tasks
        if spec.factor.kind == "settings" or task.group == level.name
        for replication in range(1, spec.replications + 1)
    ]
    Random(spec.seed).shuffle(cells)  # noqa: S311 - must repeat
    return tuple(cells)


def settings_of(spec: Spec, cell: Cell, phase: Phase, freeze: bool) -> dict[str, Any]:
    """The settings of one run. Runs do not learn from one another unless the experiment says so,
    and a replication has the same seed at every level, so that levels are compared like with like.
    """
    given = {"memory": False, **spec.settings, **cell.level.settings}
    given["seed"] = 1000 * spec.seed + cell.replication
    given["frozen"] = freeze and phase == "run"
    return given
