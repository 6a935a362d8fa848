"""What an experiment is: its factor, tasks and responses, read from TOML and checked whole.

Everything that could go wrong later is refused here, before the first run: an unknown setting or
response, a level that its setting does not allow, a task of no group.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NoReturn

from leadline.errors import BadInput
from leadline.experiment.responses import RESPONSES, needs_gold
from leadline.settings import check_task, given_in, is_secret

MAX_RUNS = 20_000
_TOP = ("name", "about", "seed", "replications", "responses", "parallel", "freeze", "alpha")
_TABLES = ("factor", "settings", "tasks")
# What the experiment itself decides for each run.
_OURS = {
    "seed": "give the experiment's `seed`; each replication gets one of its own",
    "frozen": "say `freeze = true` or `false`",
    "data_dir": "the results folder has one of its own; choose it with --out",
    "follows": "every run of an experiment stands alone",
    "update": "every run of an experiment stands alone",
    "review_plan": "nobody is there to review it",
}


@dataclass(frozen=True)
class Task:
    """A question, the group it belongs to, and strings that a good report holds."""

    id: str
    ask: str
    group: str = ""
    gold: tuple[str, ...] = ()


@dataclass(frozen=True)
class Level:
    """One level of the factor: the settings that make it, or the tasks of a group (none)."""

    name: str
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Factor:
    """What is varied. Under `settings` every task meets every level, under `tasks` each one."""

    name: str
    kind: Literal["settings", "tasks"]
    levels: tuple[Level, ...]


@dataclass(frozen=True)
class Spec:
    """A whole experiment. `parallel` does not change what is measured, but for seconds."""

    name: str
    factor: Factor
    tasks: tuple[Task, ...]
    responses: tuple[str, ...]
    about: str = ""
    replications: int = 3
    seed: int = 0
    settings: Mapping[str, Any] = field(default_factory=dict)
    parallel: int = 1
    freeze: bool = True
    alpha: float = 0.05

    def plain(self) -> dict[str, Any]:
        """Everything that rows depend on, as JSON."""
        return {
            "seed": self.seed,
            "replications": self.replications,
            "responses": list(self.responses),
            "freeze": self.freeze,
            "settings": _json(self.settings),
            "factor": {
                "name": self.factor.name,
                "kind": self.factor.kind,
                "levels": {level.name: _json(level.settings) for level in self.factor.levels},
            },
            "tasks": {t.id: [t.ask, t.group, list(t.gold)] for t in self.tasks},
        }

    def fingerprint(self) -> str:
        """The same for the same experiment."""
        text = json.dumps(self.plain(), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def load_spec(path: Path) -> Spec:
    """The experiment in a TOML file, or `BadInput` that says what is wrong with it."""
    try:
        tables = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise BadInput(f"cannot read the experiment {path}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadInput(f"{path} is not valid TOML: {error}") from error
    return _Reading(path).spec(tables)


class _Reading:
    """Reads one file; every refusal names it."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def spec(self, tables: dict[str, Any]) -> Spec:
        self._known(tables, (*_TOP, *_TABLES), "")
        tasks = self._tasks(tables.get("tasks"))
        factor = self._factor(tables.get("factor"), tasks)
        held = self._settings(tables.get("settings", {}), "[settings]")
        both = [name for level in factor.levels for name in level.settings if name in held]
        if both:
            self._refuse(f"{both[0]} is varied by the factor and held in [settings]; choose one")
        spec = Spec(
            name=self._text(tables, "name", self._path.stem),
            about=self._text(tables, "about", ""),
            factor=factor,
            tasks=tasks,
            responses=self._responses(tables.get("responses"), tasks),
            replications=self._number(tables, "replications", 3, 1, 1000),
            seed=self._number(tables, "seed", 0, 0, 2**62),
            settings=held,
            parallel=self._number(tables, "parallel", 1, 1, 64),
            freeze=self._switch(tables, "freeze", True),
            alpha=self._share(tables, "alpha", 0.05),
        )
        runs = len(spec.tasks) * spec.replications * self._times(factor)
        if runs > MAX_RUNS:
            self._refuse(f"it would take {runs:,} runs; at most {MAX_RUNS:,} are allowed")
        return spec

    @staticmethod
    def _times(factor: Factor) -> int:
        return len(factor.levels) if factor.kind == "settings" else 1

    # ── parts ───────────────────────────────────────────────────────────────────────────────

    def _tasks(self, given: object) -> tuple[Task, ...]:
        if not isinstance(given, list) or not given:
            self._refuse('it needs at least one [[tasks]] with an `ask = "question"`')
        tasks = [self._task(one, at) for at, one in enumerate(given, 1)]
        twice = [task.id for task in tasks if sum(t.id == task.id for t in tasks) > 1]
        if twice:
            self._refuse(f"two tasks have the id {twice[0]!r}")
        return tuple(tasks)

    def _task(self, given: object, at: int) -> Task:
        if not isinstance(given, dict) or not isinstance(given.get("ask"), str):
            self._refuse(f'task {at} needs `ask = "question"`')
        self._known(given, ("id", "ask", "group", "gold"), f"task {at}: ")
        try:
            asked = check_task(given["ask"])
        except BadInput as error:
            self._refuse(f"task {at}: {error}")
        gold = given.get("gold", [])
        if not isinstance(gold, list) or not all(isinstance(g, str) and g.strip() for g in gold):
            self._refuse(f"task {at}: `gold` must be a list of strings that are not empty")
        return Task(
            id=self._text(given, "id", f"t{at}"),
            ask=asked,
            group=self._text(given, "group", ""),
            gold=tuple(gold),
        )

    def _factor(self, given: object, tasks: tuple[Task, ...]) -> Factor:
        if not isinstance(given, dict):
            self._refuse("it needs a [factor]: the one thing that is varied")
        self._known(given, ("name", "setting", "tasks", "levels"), "[factor]: ")
        if given.get("tasks") == "group":
            return self._by_group(given, tasks)
        if "tasks" in given:
            self._refuse('[factor]: `tasks` can only be "group"')
        levels = given.get("levels")
        if not isinstance(levels, list) or len(levels) < 2:
            self._refuse("[factor] needs at least two `levels`")
        setting = given.get("setting")
        if setting is not None and not isinstance(setting, str):
            self._refuse("[factor]: `setting` must be the name of a setting")
        made = tuple(self._level(one, setting, at) for at, one in enumerate(levels, 1))
        names = [level.name for level in made]
        if len(set(names)) < len(names):
            self._refuse(f"[factor]: two levels are called {_twice(names)!r}")
        return Factor(self._text(given, "name", setting or "factor"), "settings", made)

    def _by_group(self, given: dict[str, Any], tasks: tuple[Task, ...]) -> Factor:
        groups = tuple(dict.fromkeys(task.group for task in tasks))
        if "" in groups:
            lacking = next(task.id for task in tasks if not task.group)
            self._refuse(f"the factor is the group of a task, and task {lacking!r} has none")
        if len(groups) < 2:
            self._refuse("the factor is the group of a task, and all tasks are of one")
        if "levels" in given or "setting" in given:
            self._refuse("[factor]: with `tasks` the groups are the levels; leave out the rest")
        name = self._text(given, "name", "group")
        return Factor(name, "tasks", tuple(Level(group) for group in groups))

    def _level(self, given: object, setting: str | None, at: int) -> Level:
        if isinstance(given, dict):
            self._known(given, ("name", "settings"), f"[factor], level {at}: ")
            if not isinstance(given.get("name"), str) or not isinstance(
                given.get("settings", {}), dict
            ):
                self._refuse(f"[factor], level {at}: give it a `name` and `settings = {{…}}`")
            own = self._settings(given.get("settings", {}), f"level {given['name']!r}")
            return Level(given["name"], own)
        if setting is None:
            self._refuse(
                f"[factor], level {at}: without `setting = …` a level is a table with a name "
                "and settings"
            )
        own = self._settings({setting: given}, f"level {at}")
        return Level(_named(given), own)

    def _settings(self, given: object, where: str) -> dict[str, Any]:
        if not isinstance(given, dict):
            self._refuse(f"{where} must be a table of settings")
        for name in given:
            if name in _OURS:
                self._refuse(f"{where} sets {name}, which the experiment decides: {_OURS[name]}")
        found = given_in(given, self._path)
        secret = [name for name in found if is_secret(name)]
        if secret:
            self._refuse(f"{where} holds {secret[0]}; keys belong in the environment")
        return found

    def _responses(self, given: object, tasks: tuple[Task, ...]) -> tuple[str, ...]:
        known = ", ".join(RESPONSES)
        if not isinstance(given, list) or not given:
            self._refuse(f"name what is to be measured: `responses = […]` of {known}")
        for name in given:
            if name not in RESPONSES:
                near = difflib.get_close_matches(str(name), RESPONSES, n=1)
                hint = f"; did you mean {near[0]}?" if near else ""
                self._refuse(f"unknown response {name!r}{hint} (there are {known})")
            if needs_gold(name) and any(not task.gold for task in tasks):
                lacking = next(task.id for task in tasks if not task.gold)
                self._refuse(
                    f"the response {name} needs `gold` in every task; {lacking!r} has none"
                )
        return tuple(dict.fromkeys(given))

    # ── values ──────────────────────────────────────────────────────────────────────────────

    def _refuse(self, why: str) -> NoReturn:
        raise BadInput(f"{self._path}: {why}; docs/experiments.md has the format")

    def _known(self, table: Mapping[str, Any], names: tuple[str, ...], where: str) -> None:
        for key in table:
            if key not in names:
                near = difflib.get_close_matches(key, names, n=1)
                hint = f"; did you mean {near[0]}?" if near else ""
                self._refuse(f"{where}unknown key {key!r}{hint}")

    def _text(self, table: Mapping[str, Any], key: str, default: str) -> str:
        value = table.get(key, default)
        if not isinstance(value, str) or (key in table and not value.strip()):
            self._refuse(f"`{key}` must be a text that is not empty; got {value!r}")
        return str(value)

    def _number(self, table: Mapping[str, Any], key: str, default: int, low: int, high: int) -> int:
        value = table.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            self._refuse(f"`{key}` must be a whole number from {low} to {high}; got {value!r}")
        return int(value)

    def _share(self, table: Mapping[str, Any], key: str, default: float) -> float:
        value = table.get(key, default)
        if isinstance(value, bool) or not isinstance(value, float) or not 0 < value < 0.5:
            self._refuse(f"`{key}` must be between 0 and 0.5; got {value!r}")
        return float(value)

    def _switch(self, table: Mapping[str, Any], key: str, default: bool) -> bool:
        value = table.get(key, default)
        if not isinstance(value, bool):
            self._refuse(f"`{key}` must be true or false; got {value!r}")
        return bool(value)


def _json(settings: Mapping[str, Any]) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(json.dumps(dict(settings), default=str, sort_keys=True))
    return loaded


def _named(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _twice(names: list[str]) -> str:
    return next(name for name in names if names.count(name) > 1)
