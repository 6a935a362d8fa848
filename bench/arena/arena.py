"""Systems side by side on the rig: the same questions, corpus, model, budget and faults.

    python bench/arena/arena.py --rig DIR [--systems FILE] [--only NAME …] [--questions q1 q2 q3]
        [--more FILE] [--seeds 1] [--faults none search500 …] [--jobs 1] [--out DIR] [--budget 90]

A system is any command of the rig's protocol (`systems.toml`). Each run is the rig's own `bench.py`
by its path, with fresh servers; its line is written down before the next one, and a second start
makes only what is missing. One table, two plots. `--more` adds questions to the rig's own (ours are
in `questions.json` here). `--budget` is the seconds that every system is told it may take.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
import threading
import tomllib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from leadline.render.charts import Mark, frontier, number_of
from leadline.stats.intervals import Interval, bootstrap_mean
from rig_questions import with_questions

HERE = Path(__file__).resolve().parent
FAULTS = ("none", "search500", "searchdown", "badjson", "badjson_all", "kill")
NEEDS_MODEL = ("badjson", "badjson_all", "kill")
KILLED_AFTER = 3  # answered calls of the model
COLUMNS = {
    "report_chars": "characters of report",
    "searches": "searches",
    "uniq_pages": "pages",
    "llm_calls": "calls",
    "prompt_tok": "prompt tokens",
    "dup_prompts": "prompts twice",
    "cited_not_fetched": "cited, never fetched",
    "peak_rss_mb": "MB",
    "wall_s": "s",
}
Row = dict[str, Any]


@dataclass(frozen=True)
class System:
    name: str
    command: str
    model: bool
    env: dict[str, str]


@dataclass(frozen=True)
class Bout:
    """One run: a system, a question, a fault, a seed."""

    system: System
    question: str
    fault: str
    seed: int

    @property
    def key(self) -> tuple[str, str, str, int]:
        return self.system.name, self.question, self.fault, self.seed


def load_systems(path: Path) -> list[System]:
    here = {"$HERE": str(path.resolve().parent), "$PYTHON": sys.executable}
    systems = []
    for name, table in tomllib.loads(path.read_text("utf-8")).items():
        if not isinstance(table.get("command"), str):
            raise SystemExit(f'{path}: [{name}] needs command = "…"')
        command = table["command"]
        for mark, value in here.items():
            command = command.replace(mark, shlex.quote(value))
        systems.append(System(name, command, bool(table.get("model")), dict(table.get("env", {}))))
    return systems


class Arena:
    def __init__(self, rig: Path, out: Path, budget: float) -> None:
        if not (rig / "bench.py").is_file():
            raise SystemExit(f"{rig} is no rig: it has no bench.py")
        self.rig, self.out, self.budget = rig, out, budget
        out.mkdir(parents=True, exist_ok=True)
        self.path = out / "bouts.jsonl"
        self.lock = threading.Lock()
        lines = self.path.read_text("utf-8").splitlines() if self.path.exists() else []
        self.rows: list[Row] = [json.loads(line) for line in lines if line.endswith("}")]

    def run(self, bouts: Sequence[Bout], jobs: int) -> None:
        done = {(r["system"], r["q"], r["fault"], r["seed"]) for r in self.rows}
        left = [bout for bout in bouts if bout.key not in done]
        print(f"{len(bouts) - len(left)} of {len(bouts)} bouts are there already", file=sys.stderr)
        with ThreadPoolExecutor(jobs) as pool:
            list(pool.map(self.bout, left))

    def bout(self, bout: Bout) -> None:
        name = f"{bout.system.name}-s{bout.seed}"
        command = [sys.executable, str(self.rig / "bench.py"), "--name", name]
        command += ["--cmd", bout.system.command, "-q", bout.question, "--fault", bout.fault]
        command += ["--work", str(self.out / "runs"), "--results", str(self.out / "rig.jsonl")]
        command += ["--kill-after-calls", str(KILLED_AFTER)]
        told = {
            "RESEARCH_MAX_EXECUTION_TIME_S": f"{self.budget:g}",
            "RESEARCH_SEED": str(bout.seed),
        }
        told |= {"ARENA_BUDGET_S": f"{self.budget:g}", "ARENA_SEED": str(bout.seed)}
        env = os.environ | told | bout.system.env
        made = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
        lines = made.stdout.strip().splitlines()
        if made.returncode or not lines:
            print(f"{bout.key}: the rig failed: {made.stderr.strip()[-300:]}", file=sys.stderr)
            return
        row = json.loads(lines[-1]) | {
            "system": bout.system.name, "seed": bout.seed, "model": bout.system.model,
        }  # fmt: skip
        with self.lock, self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
            file.flush()
            os.fsync(file.fileno())
            self.rows.append(row)
        print(f"{bout.key}: rc {row['rc']}, {row['wall_s']} s", file=sys.stderr)


# ── what came of it ─────────────────────────────────────────────────────────────────────────


def mean_of(rows: Sequence[Row], figure: Any) -> Interval:
    """Over questions: seeds of one question are averaged first, since they are no new question."""
    by_question: dict[str, list[float]] = {}
    for row in rows:
        by_question.setdefault(row["q"], []).append(float(figure(row)))
    return bootstrap_mean([sum(own) / len(own) for own in by_question.values()], 0)


def told(row: Row) -> float:
    return float(row["gold_report"] / row["gold_total"])


def in_prompt(row: Row) -> float:
    return float(row["gold_last_prompt"] / row["gold_total"])


def in_any(row: Row) -> float:
    return float(row["gold_seen"] / row["gold_total"])


def asked(row: Row) -> float:
    """What was asked of the world: searches and pages."""
    return float(row["searches"] + row["pages"] + row["server_side_pages"])


def undisturbed(rows: Sequence[Row]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in rows:
        if row["fault"] == "none":
            found.setdefault(row["system"], []).append(row)
    return found


def best(marks: Sequence[Mark]) -> list[Mark]:
    """Those that nothing else beats at both: as cheap and better, or as good and cheaper."""

    def beaten(one: Mark) -> bool:
        return any(
            other.x[0] <= one.x[0]
            and other.y[0] >= one.y[0]
            and (other.x[0] < one.x[0] or other.y[0] > one.y[0])
            for other in marks
        )

    return [Mark(mark.name, mark.x, mark.y, on=not beaten(mark)) for mark in marks]


def marks_of(systems: dict[str, list[Row]], cost: Any, evidence: Any) -> list[Mark]:
    made = []
    for name, rows in systems.items():
        x, y = mean_of(rows, cost), mean_of(rows, evidence)
        made.append(Mark(name, (x.value, x.low, x.high), (y.value, y.low, y.high)))
    return best(made)


def table(rows: Sequence[Row]) -> str:
    systems = undisturbed(rows)
    heads = [
        "system",
        "questions",
        "gold told",
        "gold in any prompt",
        "gold in the last prompt",
        *COLUMNS.values(),
    ]
    lines = [f"| {' | '.join(heads)} |", "|---|" + "---:|" * (len(heads) - 1)]
    for name, own in systems.items():
        cells = [name, str(len({row["q"] for row in own})), shown(mean_of(own, told))]
        prompts = [shown(mean_of(own, figure)) for figure in (in_any, in_prompt)]
        cells += prompts if own[0]["model"] else ["–", "–"]
        cells += [number_of(mean_of(own, lambda r, k=key: r[k]).value) for key in COLUMNS]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def faults(rows: Sequence[Row]) -> str:
    heads = (
        "| system | fault | question | exit | gold told | calls, searches, pages made twice | s |"
    )
    lines = [heads, "|---|---|---|---|---:|---:|---:|"]
    for row in sorted(rows, key=lambda r: (r["fault"], r["system"], r["q"])):
        if row["fault"] == "none":
            continue
        kill = row.get("kill") or {}
        twice = [kill.get(f"repeated_{kind}", "–") for kind in ("calls", "searches", "pages")]
        again = (
            ", ".join(map(str, twice)) if kill else f"–, {row['dup_searches']}, {row['dup_pages']}"
        )
        lines.append(
            f"| {row['system']} | {row['fault']} | {row['q']} | {row['rc']} "
            f"| {row['gold_report']} of {row['gold_total']} | {again} | {row['wall_s']} |"
        )
    return "\n".join(lines) if len(lines) > 2 else ""


def shown(of: Interval) -> str:
    return f"{number_of(of.value)} [{number_of(of.low)}–{number_of(of.high)}]"


def report(rows: Sequence[Row], out: Path) -> str:
    systems = undisturbed(rows)
    if systems:
        drawn = frontier(
            "What a report tells, for what it asks of the world",
            "searches and pages", "share of gold strings told", marks_of(systems, asked, told),
        )  # fmt: skip
        (out / "frontier-world.svg").write_text(drawn, "utf-8")
    models = {name: own for name, own in systems.items() if own[0]["model"]}
    if models:
        drawn = frontier(
            "What stands in the last prompt, for the tokens it takes",
            "prompt tokens", "share of gold strings in the last prompt",
            marks_of(models, lambda row: row["prompt_tok"], in_prompt),
        )  # fmt: skip
        (out / "frontier-tokens.svg").write_text(drawn, "utf-8")
    note = (
        "Means over questions, in brackets 95 % bootstrap intervals over them; with three "
        "questions these are too narrow. Seconds are of a machine that may be busy."
    )
    parts = ["# The arena", note, table(rows), faults(rows)]
    return "\n\n".join(part for part in parts if part) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--rig", type=Path, required=True)
    parser.add_argument("--systems", type=Path, default=HERE / "systems.toml")
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--questions", nargs="*", default=[])
    parser.add_argument("--more", type=Path, help="questions beside the rig's own, in its form")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--faults", nargs="*", default=["none"], choices=FAULTS)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--budget", type=float, default=90)
    parser.add_argument("--out", type=Path, default=Path("arena-results"))
    given = parser.parse_args()
    rig, out = given.rig.resolve(), given.out.resolve()
    if given.more:
        rig = with_questions(rig, given.more, out)
    arena = Arena(rig, out, given.budget)
    known = [q["id"] for q in json.loads((arena.rig / "questions.json").read_text("utf-8"))]
    systems = load_systems(given.systems)
    for name in given.only:
        if name not in {system.name for system in systems}:
            raise SystemExit(f"no system is called {name!r}: {', '.join(s.name for s in systems)}")
    bouts = [
        Bout(system, question, fault, seed)
        for seed in range(1, given.seeds + 1)
        for fault in given.faults
        for question in given.questions or known
        for system in systems
        if (not given.only or system.name in given.only)
        and (system.model or fault not in NEEDS_MODEL)
    ]
    arena.run(bouts, given.jobs)
    text = report(arena.rows, arena.out)
    (arena.out / "arena.md").write_text(text, "utf-8")
    print(text)


if __name__ == "__main__":
    main()
