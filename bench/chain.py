"""How much of a rig run was waiting: its wall time beside the longest chain of simulated latencies.

A chain is a sequence of requests of which each began when the one before it had been answered. No
run that makes these requests in this order can be shorter.

python bench/chain.py RIG_RUN_FOLDER... --results results.jsonl
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

KINDS = ("search", "page", "chat", "embed")
SLACK_S = 0.005  # clocks of two servers and of their logs


def requests(folder: Path) -> list[tuple[float, float]]:
    """When each request of the run began and ended."""
    rows = [
        json.loads(line)
        for name in ("web.jsonl", "llm.jsonl")
        if (folder / name).exists()
        for line in (folder / name).read_text().splitlines()
    ]
    spans = [(row["ts"], row["ts"] + row["dur"]) for row in rows if row.get("kind") in KINDS]
    return sorted(spans)


def longest(spans: list[tuple[float, float]]) -> tuple[float, int]:
    """Seconds and length of the longest chain."""
    best: list[tuple[float, int]] = []
    for begin, end in spans:
        before = [
            best[place]
            for place, (_, ended) in enumerate(spans[: len(best)])
            if ended <= begin + SLACK_S
        ]
        seconds, count = max(before, default=(0.0, 0))
        best.append((seconds + end - begin, count + 1))
    return max(best, default=(0.0, 0))


def inside(folder: Path) -> float:
    """Seconds from the run's first step to its last, as its own record tells."""
    path = folder / "state" / "runs.jsonl"
    if not path.exists():
        return 0.0
    return float(json.loads(path.read_text().splitlines()[-1])["active_seconds"])


def measured(folder: Path, results: list[dict[str, Any]]) -> dict[str, Any]:
    seconds, count = longest(requests(folder))
    name, question, fault = folder.name.rsplit("-", 2)
    same = [
        row for row in results if (row["name"], row["q"], row["fault"]) == (name, question, fault)
    ]
    wall = float(same[-1]["wall_s"]) if same else 0.0
    return {
        "run": folder.name,
        "wall_s": wall,
        "inside_s": round(inside(folder), 2),
        "chain_s": round(seconds, 2),
        "chain_requests": count,
        "wall_to_chain": round(wall / seconds, 2) if seconds else 0.0,
        "inside_to_chain": round(inside(folder) / seconds, 2) if seconds else 0.0,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--results", type=Path, required=True)
    given = parser.parse_args()
    results = [json.loads(line) for line in given.results.read_text().splitlines()]
    for folder in given.folders:
        print(json.dumps(measured(folder, results)))


if __name__ == "__main__":
    main()
