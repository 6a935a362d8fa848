"""The rows of an experiment on disk: one line a run, on the disk before the next run begins."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from leadline.errors import BadInput
from leadline.experiment.design import Cell, Phase
from leadline.experiment.spec import Spec


@dataclass(frozen=True)
class Row:
    """How one run went; `why` says what went wrong where `values` is empty."""

    phase: Phase
    level: str
    task: str
    replication: int
    order: int
    values: Mapping[str, float] = field(default_factory=dict)
    why: str = ""
    run_id: str = ""
    code: str = ""  # the version of the program, by the hash of its files
    at: str = ""

    @property
    def key(self) -> tuple[Phase, str]:
        return self.phase, f"{self.level} | {self.task} | {self.replication}"


class RowFile:
    """`rows.jsonl` in the folder of results, which belongs to one experiment."""

    def __init__(self, folder: Path, spec: Spec, held: str) -> None:
        """`held` is a hash of all settings as they are now; another one is another experiment."""
        self.path = folder / "rows.jsonl"
        folder.mkdir(parents=True, exist_ok=True)
        _check_same(folder / "spec.json", spec, held)
        self._rows = {row.key: row for row in _read(self.path)}

    def rows(self, phase: Phase = "run") -> tuple[Row, ...]:
        """The rows of a phase, in the order in which they were made."""
        return tuple(row for row in self._rows.values() if row.phase == phase)

    def lacks(self, phase: Phase, cell: Cell) -> bool:
        """Whether a run is still to be made; one that failed is tried again."""
        row = self._rows.get((phase, cell.key))
        return row is None or bool(row.why)

    def append(self, row: Row) -> None:
        """Write a row; when this returns it survives a crash."""
        line = json.dumps(asdict(row), ensure_ascii=False) + "\n"
        with self.path.open("a", encoding="utf-8") as file:
            file.write(line)
            file.flush()
            os.fsync(file.fileno())
        self._rows.pop(row.key, None)
        self._rows[row.key] = row


def _check_same(path: Path, spec: Spec, held: str) -> None:
    now = {"fingerprint": spec.fingerprint(), "held": held, "spec": spec.plain()}
    if not path.exists():
        part = path.with_suffix(".part")
        part.write_text(json.dumps(now, indent=1, ensure_ascii=False), "utf-8")
        part.replace(path)
        return
    try:
        then: dict[str, Any] = json.loads(path.read_text("utf-8"))
        same = then["fingerprint"] == now["fingerprint"]
        parts = then["spec"]
    except (ValueError, KeyError, TypeError) as error:
        raise BadInput(f"{path} is damaged; give another folder with --out") from error
    advice = "put the experiment back as it was, or give another folder with --out"
    if not same:
        differ = [name for name, value in spec.plain().items() if parts.get(name) != value]
        raise BadInput(
            f"{path.parent} holds rows of another experiment: {', '.join(differ)} changed since; "
            f"rows of two experiments must not be mixed: {advice}"
        )
    if then.get("held") != held:
        raise BadInput(
            f"{path.parent} holds rows made with other settings: leadline.toml or the environment "
            f"changed since; {advice}"
        )


def _read(path: Path) -> list[Row]:
    """The rows of a file; a last line that a crash cut off is taken away."""
    if not path.exists():
        return []
    data = path.read_bytes()
    whole, _, torn = data.rpartition(b"\n")
    if torn:
        with path.open("r+b") as file:
            file.truncate(len(data) - len(torn))
    rows = []
    for number, line in enumerate(whole.decode("utf-8", "replace").split("\n"), 1):
        if not line.strip():
            continue
        try:
            rows.append(Row(**json.loads(line)))
        except (ValueError, TypeError) as error:
            raise BadInput(
                f"{path}, line {number}, is damaged; take that line out, its run is made again"
            ) from error
    return rows


def as_csv(rows: Sequence[Row], responses: Sequence[str]) -> str:
    """The rows as a table for another program."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["order", "level", "task", "replication", *responses, "run_id", "code", "why"])
    for row in sorted(rows, key=lambda row: row.order):
        values = [row.values.get(name, "") for name in responses]
        writer.writerow(
            [
                row.order,
                row.level,
                row.task,
                row.replication,
                *values,
                row.run_id,
                row.code,
                row.why,
            ]
        )
    return out.getvalue()
