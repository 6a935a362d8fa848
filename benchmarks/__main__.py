"""`python -m benchmarks NAME --data DIR [--json] [--limit N]`."""

from __future__ import annotations

import json
import sys
from importlib import import_module

from benchmarks.options import Figures, options_of, parser

NAMES = (
    "manuals",
    "own_docs",
    "clapnq",
    "multihop",
    "reports",
    "question_cost",
    "claim_pairs",
    "near_quotes",
    "conflict_alarms",
    "with_model",
    "workers",
)


def table(figures: Figures) -> str:
    width = max((len(name) for name in figures), default=0)
    return "\n".join(
        f"{name:<{width}}  {value:.4g}" if isinstance(value, float) else f"{name:<{width}}  {value}"
        for name, value in figures.items()
    )


def main() -> None:
    given = parser(NAMES).parse_args()
    try:
        figures: Figures = import_module(f"benchmarks.{given.name}").run(options_of(given))
    except FileNotFoundError as error:
        sys.exit(f"{error.filename} is not there; see docs/benchmarks.md for what --data holds")
    print(json.dumps(figures) if given.json else table(figures))


if __name__ == "__main__":
    main()
