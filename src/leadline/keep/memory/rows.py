"""Observations to rows of SQLite and to JSON, and back."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import asdict, fields, replace
from typing import Any

from leadline.errors import BadInput
from leadline.research.remember import question_key
from leadline.types import TaskType, content_id
from leadline.types.remembering import Finding, Observation

_FINDING = tuple(field.name for field in fields(Finding))
_COLUMNS = ", ".join(_FINDING)
_OBSERVATION = "number, id, task, type, quality, run_id, created, updated"


def text_of(observation: Observation) -> str:
    """What an observation says, for both indexes; not what newer findings supersede."""
    return "\n".join([observation.task, *(one.text for one in current(observation))])


def current(observation: Observation) -> tuple[Finding, ...]:
    """The findings that nothing supersedes."""
    return tuple(one for one in observation.findings if one.standing != "superseded")


def identified(observation: Observation) -> Observation:
    """With ids made from content, for it and for its findings."""
    findings = tuple(
        replace(one, id=one.id or content_id(one.text, one.url, one.page, str(one.start)))
        for one in observation.findings
    )
    own = observation.id or content_id(observation.task, observation.run_id, observation.created)
    return replace(observation, id=own, findings=findings)


# ── SQLite ──────────────────────────────────────────────────────────────────────────────────


def write_observation(db: sqlite3.Connection, one: Observation) -> int:
    """A new row without its findings; its number."""
    made = db.execute(
        "INSERT INTO observations (id, task, asked, type, quality, run_id, created, updated)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            one.id,
            one.task,
            question_key(one.task),
            one.type.value,
            one.quality,
            one.run_id,
            one.created,
            one.updated or one.created,
        ),
    )
    return int(made.lastrowid or 0)


def write_findings(db: sqlite3.Connection, number: int, findings: Iterable[Finding]) -> None:
    """Add findings to an observation, or write them anew."""
    marks = ", ".join("?" * (len(_FINDING) + 1))
    changed = ", ".join(f"{name} = excluded.{name}" for name in _FINDING)
    db.executemany(
        f"INSERT INTO findings (observation, {_COLUMNS}) VALUES ({marks})"  # noqa: S608
        f" ON CONFLICT (id) DO UPDATE SET {changed}",
        [(number, *(_plain(getattr(finding, name)) for name in _FINDING)) for finding in findings],
    )


def read_observations(
    db: sqlite3.Connection, where: str, values: Sequence[object], project: str
) -> list[Observation]:
    """The observations that a condition names, with their findings."""
    query = f"SELECT {_OBSERVATION} FROM observations {where}"  # noqa: S608 - no value in it
    rows = db.execute(query, tuple(values)).fetchall()
    found: dict[int, list[Finding]] = {row[0]: [] for row in rows}
    for row in db.execute(
        f"SELECT observation, {_COLUMNS} FROM findings"  # noqa: S608
        " WHERE observation IN (SELECT value FROM json_each(?)) ORDER BY number",
        (json.dumps(list(found)),),
    ):
        values_of = dict(zip(_FINDING, row[1:], strict=True))
        values_of["rivals"] = tuple(json.loads(values_of["rivals"]))
        found[row[0]].append(Finding(**values_of))
    return [
        Observation(
            task=task,
            findings=tuple(found[number]),
            type=TaskType(kind),
            quality=quality,
            run_id=run_id,
            project=project,
            created=created,
            updated=updated,
            id=id,
        )
        for number, id, task, kind, quality, run_id, created, updated in rows
    ]


def _plain(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, tuple) else value


# ── JSON ────────────────────────────────────────────────────────────────────────────────────


def as_json(observation: Observation) -> str:
    """One line."""
    return json.dumps(asdict(observation), ensure_ascii=False)


def from_json(line: str, where: str) -> Observation:
    """An observation that was exported. `BadInput` says what is wrong with it, and where."""
    try:
        value = json.loads(line)
        findings = tuple(_finding(one) for one in value.pop("findings"))
        kind = TaskType(value.pop("type", TaskType.RESEARCH))
        _all_text(value, but="quality")
        found = Observation(
            findings=findings, type=kind, quality=float(value.pop("quality", 0.0)), **value
        )
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise BadInput(
            f"{where} is no exported observation: {error}; "
            "wanted: a JSON object as `leadline memory export` writes it"
        ) from error
    if not found.task.strip() or not found.findings:
        raise BadInput(f"{where} is no exported observation: it has no task, or no findings")
    return found


def _finding(value: dict[str, Any]) -> Finding:
    given = dict(value)
    rivals = tuple(str(one) for one in given.pop("rivals", ()))
    start, end = int(given.pop("start", 0)), int(given.pop("end", 0))
    if given.get("kind", "web") not in ("web", "document"):
        raise ValueError(f"kind must be web or document, got {given['kind']!r}")
    if given.get("standing", "current") not in ("current", "superseded", "disputed"):
        raise ValueError(f"standing is {given['standing']!r}")
    _all_text(given)
    return Finding(start=start, end=end, rivals=rivals, **given)


def _all_text(given: dict[str, Any], but: str = "") -> None:
    for name, value in given.items():
        if name != but and not isinstance(value, str):
            raise ValueError(f"{name} must be text, got {value!r}")
