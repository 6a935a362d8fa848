"""`leadline bench`: run one measure over data given by path and print its figures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from leadline.cli.common import common_of, common_options, say, settings_from

NAMES = {
    "index": "build, update, query time and size of the document index",
    "retrieval": "nDCG@10 and recall of ranking, beside rank-bm25",
    "multihop": "gold documents found by each search policy",
    "novelty": "how well the gate tells repetition from news",
    "answer": "how often the report holds the gold answer",
    "verify": "how well claims are checked against the pages they cite",
    "revision": "what scoring and patching a report adds, and what it lets through",
    "memory": "what is remembered of a conversation, by words, vectors and both; time at 100,000",
    "ocr": "how many of the words in images are read",
    "injection": "attacks found and false alarms of the injection scanner, by source",
}


@click.command(context_settings={"max_content_width": 100})
@click.argument("name", metavar="NAME")
@click.option("--data", required=True, metavar="DIR", help="Folder or archive with the data.")
@click.option("--json", "as_json", is_flag=True, help="One flat JSON object.")
@click.option("--queries", metavar="FILE", help="Queries, where the data has several.")
@click.option("--qrels", metavar="FILE", help="Judgements, where the data has several.")
@click.option("--format", "layout", default="", metavar="NAME", help="Layout of the data.")
@click.option("--no-titles", is_flag=True, help="Leave the titles of documents out.")
@click.option(
    "--limit", default=0, metavar="N", type=click.IntRange(min=0), help="Only so many queries."
)
@click.option("--seed", default=0, metavar="N", type=int, help="Seed of samples.")
@common_options
def bench(name: str, data: str, as_json: bool, **given: Any) -> None:
    """Measure Leadline and its baselines on your data.

    \b
    index      build, update, query time and size of the document index
    retrieval  nDCG@10 and recall of ranking, beside rank-bm25
    multihop   gold documents found by each search policy
    novelty    how well the gate tells repetition from news
    answer     how often the report holds the gold answer
    verify     how well claims are checked against the pages they cite
    revision   what scoring and patching a report adds, and what it lets through
    memory     what is remembered of a conversation, by words, vectors and both; time at 100,000
    ocr        how many of the words in images are read
    injection  attacks found and false alarms of the injection scanner, by source

    \b
    Example:  leadline bench retrieval --data data/scifact --json
    """
    from importlib import import_module

    from leadline.bench.options import BenchOptions
    from leadline.errors import BadInput

    settings_from(common_of(given))
    if name not in NAMES:
        raise BadInput(f"no bench is called {name!r}; there are {', '.join(NAMES)}")
    if not Path(data).exists():
        raise BadInput(f"--data {data} does not exist")
    options = BenchOptions(
        queries=_file(given["queries"], "--queries"),
        qrels=_file(given["qrels"], "--qrels"),
        format=given["layout"],
        no_titles=given["no_titles"],
        limit=given["limit"],
        seed=given["seed"],
    )
    figures = import_module(f"leadline.bench.{name}").run(Path(data), options)
    say(_as_json(figures) if as_json else _table(figures))


def _file(path: str | None, flag: str) -> Path | None:
    from leadline.errors import BadInput

    if path is not None and not Path(path).is_file():
        raise BadInput(f"{flag} {path} is not a file")
    return Path(path) if path is not None else None


def _as_json(figures: dict[str, Any]) -> str:
    import json

    return json.dumps(figures) + "\n"


def _table(figures: dict[str, Any]) -> str:
    width = max((len(key) for key in figures), default=0)
    return "".join(f"{key:<{width}}  {_number(value)}\n" for key, value in figures.items())


def _number(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
