"""What every benchmark can be told on the command line."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

Figures = dict[str, float | int | str]


@dataclass(frozen=True)
class Options:
    """`work` keeps indexes between runs; `settings` go to the product on top of its defaults."""

    data: Path
    work: Path
    manuals: Path
    limit: int
    seed: int
    baselines: bool
    all_gold: bool
    source: str
    results: Path | None
    settings: dict[str, str]
    endpoint: str = ""
    model: str = ""
    tiers: tuple[str, ...] = ()


def parser(names: tuple[str, ...]) -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    made.add_argument("name", choices=names)
    made.add_argument("--data", type=Path, default=Path("data"), help="folder of the data sets")
    made.add_argument("--manuals", type=Path, help="unpacked manuals; else DATA/manuals-unpacked")
    made.add_argument("--work", type=Path, default=Path(".benchmarks"), help="kept between runs")
    made.add_argument("--limit", type=int, default=0, help="only so many questions, by lot")
    made.add_argument("--seed", type=int, default=0, help="of the lot")
    made.add_argument("--json", action="store_true", help="one flat JSON object")
    made.add_argument("--no-baselines", action="store_true", help="the product alone")
    made.add_argument("--all-gold", action="store_true", help="multihop: all-gold@10 too (slow)")
    made.add_argument("--source", default="own_docs", help="reports: own_docs or manuals")
    made.add_argument("--results", type=Path, help="where RESULTS.jsonl goes; else in WORK")
    made.add_argument("--endpoint", default="", help="with_model: an OpenAI-compatible address")
    made.add_argument("--model", default="", help="with_model: the model's name there")
    made.add_argument("--tiers", default="standard", help="with_model: of the product, by commas")
    made.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="a setting of the product"
    )
    return made


def options_of(given: argparse.Namespace) -> Options:
    pairs = (text.partition("=") for text in given.set)
    return Options(
        data=given.data,
        work=given.work.absolute(),
        manuals=given.manuals or given.data / "manuals-unpacked",
        limit=given.limit,
        seed=given.seed,
        baselines=not given.no_baselines,
        all_gold=given.all_gold,
        source=given.source,
        results=given.results,
        endpoint=given.endpoint.rstrip("/"),
        model=given.model,
        tiers=tuple(filter(None, given.tiers.split(","))),
        settings={name.strip(): value.strip() for name, _, value in pairs},
    )
