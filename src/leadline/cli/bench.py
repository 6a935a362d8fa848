"""`leadline bench`: run one measure over data given by path and print its figures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from leadline.cli.common import common_of, common_options, note, say, settings_from
from leadline.cli.exits import ANSWERED, FAILED

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
    "all": "every measure in one table; without --data, those that need none from outside",
}


class Bench(click.Command):
    """`--json` may stand alone or name a file; the name of a bench after it is no file."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        follows = [*args[1:], "-"]
        alone = [arg == "--json" for arg in args]
        made = [
            "--json=-" if flag and (after in NAMES or after.startswith("-")) else arg
            for arg, flag, after in zip(args, alone, follows, strict=False)
        ]
        return super().parse_args(ctx, made)


@click.command(cls=Bench, context_settings={"max_content_width": 100})
@click.argument("name", metavar="NAME")
@click.option("--data", metavar="DIR", help="Folder or archive with the data.")
@click.option("--json", "as_json", metavar="[FILE]", help="One flat JSON object, to FILE if named.")
@click.option("--markdown", metavar="FILE", help="With all: where the table is written too.")
@click.option("--intervals", is_flag=True, help="Means and AUC with their bootstrap interval; CPU.")
@click.option(
    "--jobs", default=2, metavar="N", type=click.IntRange(1, 32), help="With all: benches at once."
)
@click.option("--queries", metavar="FILE", help="Queries, where the data has several.")
@click.option("--qrels", metavar="FILE", help="Judgements, where the data has several.")
@click.option("--format", "layout", default="", metavar="NAME", help="Layout of the data.")
@click.option("--no-titles", is_flag=True, help="Leave the titles of documents out.")
@click.option(
    "--limit", default=0, metavar="N", type=click.IntRange(min=0), help="Only so many queries."
)
@click.option("--seed", default=0, metavar="N", type=int, help="Seed of samples.")
@common_options
def bench(name: str, data: str | None, as_json: str | None, **given: Any) -> int | None:
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
    all        every measure in one table; without --data, those that need none from outside

    \b
    Example:  leadline bench retrieval --data data/scifact --json
              leadline bench all --data data --json all.json --markdown all.md
    """
    from importlib import import_module

    from leadline.bench.options import BenchOptions
    from leadline.errors import BadInput

    settings = settings_from(common_of(given))
    if name not in NAMES:
        raise BadInput(f"no bench is called {name!r}; there are {', '.join(NAMES)}")
    if data is not None and not Path(data).exists():
        raise BadInput(f"--data {data} does not exist")
    if name == "all":
        return _all(Path(data) if data else None, as_json, settings.data_dir / "bench-all", given)
    if data is None:
        raise BadInput(f"bench {name} needs --data DIR; docs/benchmarks.md says what it holds")
    options = BenchOptions(
        queries=_file(given["queries"], "--queries"),
        qrels=_file(given["qrels"], "--qrels"),
        format=given["layout"],
        no_titles=given["no_titles"],
        limit=given["limit"],
        seed=given["seed"],
        work=settings.data_dir / "bench",
    )
    figures = import_module(f"leadline.bench.{name}").run(Path(data), options)
    if given["intervals"]:
        from leadline.bench.measures import with_intervals

        figures = with_intervals(figures, given["seed"]) | {"bench_cpu_s": _cpu_s()}
    _deliver(_as_json(figures) if as_json else _table(figures), as_json)
    return None


def _cpu_s() -> float:
    """Processor time of this bench and of what it started: what a busy machine does not change."""
    import resource

    own = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return round(sum(one.ru_utime + one.ru_stime for one in own), 1)


def _all(data: Path | None, as_json: str | None, work: Path, given: dict[str, Any]) -> int:
    from leadline.bench import whole

    results = whole.Whole(data, work, given["seed"], given["limit"]).run(given["jobs"], note)
    table = whole.as_markdown(results, given["seed"])
    if as_json:
        _deliver(whole.as_json(results, given["seed"]), as_json)
    if given["markdown"]:
        Path(given["markdown"]).write_text(table, "utf-8")
    if as_json != "-":
        say(table)
    return FAILED if any(one.why and not one.lacks_data for one in results) else ANSWERED


def _deliver(text: str, to: str | None) -> None:
    if to in (None, "-"):
        say(text)
    else:
        Path(str(to)).write_text(text, "utf-8")


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
