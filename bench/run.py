"""Run every bench over a folder of data sets and print one table; what is not there is skipped.

python bench/run.py --data FOLDER [--json FILE] [--limit N]
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from importlib import import_module
from pathlib import Path

from leadline.bench.options import BenchOptions

RUNS = (
    ("index", "mdn.tar.gz"),
    ("retrieval", "scifact"),
    ("retrieval", "cranfield"),
    ("retrieval", "vaswani_npl"),
    ("multihop", "hotpotqa"),
    ("multihop", "2wikimultihopqa"),
    ("multihop", "musique"),
    ("novelty", "paraphrase"),
    ("answer", "clapnq"),
    ("answer", "hotpotqa"),
    ("answer", "2wikimultihopqa"),
    ("answer", "musique"),
    ("ocr", "ocr"),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--limit", type=int, default=0)
    given = parser.parse_args()
    results: dict[str, dict[str, float | int]] = {}
    for name, folder in RUNS:
        data = given.data / folder
        if not data.exists():
            print(f"skipped {name} on {folder}: not in {given.data}", file=sys.stderr)
            continue
        began = time.monotonic()
        options = BenchOptions(limit=given.limit)
        results[f"{name}:{folder}"] = import_module(f"leadline.bench.{name}").run(data, options)
        print(f"{name} on {folder}: {time.monotonic() - began:.0f} s", file=sys.stderr)
    for title, figures in results.items():
        print(f"\n## {title}\n")
        print("\n".join(f"| {key} | {value} |" for key, value in figures.items()))
    if given.json:
        given.json.write_text(json.dumps(results, indent=1), "utf-8")


if __name__ == "__main__":
    main()
