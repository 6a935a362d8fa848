"""What revision adds on the rig with its model: the same questions without and with three rounds.

python bench/revision.py --rig DIR --work DIR [-q q1 -q q2 …]

For each question: gold strings in the report, verified claims, calls, prompt tokens, and what the
rounds came to. The rig's model fills a form by the names of its fields, so it cannot mend a
sentence; what `leadline bench revision` measures with scripted models is the other half.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ADAPTER = Path(__file__).with_name("rig_adapter")
FIGURES = ("gold_report", "claims", "llm_calls", "prompt_tok", "compl_tok", "dup_prompts", "wall_s")


def measured(rig: Path, work: Path, question: str, rounds: int) -> dict[str, Any]:
    """One run on the rig, with what its own record says of its claims and rounds."""
    name = f"revise{rounds}"
    command = [sys.executable, str(rig / "bench.py"), "--name", name, "--cmd", str(ADAPTER)]
    command += ["-q", question, "--work", str(work), "--results", str(work / "results.jsonl")]
    env = dict(os.environ, LEADLINE_RIG_MODEL="1", RESEARCH_REVISE=str(rounds))
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    record = work / f"{name}-{question}-none" / "state" / "runs.jsonl"
    line = json.loads(record.read_text("utf-8").splitlines()[-1])
    found["claims"] = len(line["claims"]) - line["dropped"]
    found["revision"] = line["revision"] or {}
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rig", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("-q", "--question", action="append", dest="questions")
    given = parser.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    print("| question | rounds | " + " | ".join(FIGURES) + " | first score | best | ended |")
    print("|---" * (len(FIGURES) + 5) + "|")
    for question in given.questions or ["q1", "q2", "q3"]:
        for rounds in (0, 3):
            found = measured(given.rig, given.work, question, rounds)
            told = found["revision"]
            score = told["first"]["quality"]["total"] if told else "–"
            row = [question, rounds, *(found[name] for name in FIGURES), score]
            row += [told.get("best", "–"), told.get("ended", "–")]
            print("| " + " | ".join(map(str, row)) + " |", flush=True)


if __name__ == "__main__":
    main()
