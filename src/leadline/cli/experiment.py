"""`leadline experiment`: make the runs of an experiment and report what they say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from leadline.cli.common import note, say, tell_config
from leadline.cli.exits import ANSWERED, FAILED, INTERRUPTED


@click.command(context_settings={"max_content_width": 100})
@click.argument("spec", metavar="SPEC.toml")
@click.option("--out", metavar="DIR", help="Folder of the results; else SPEC-results here.")
@click.option(
    "--parallel", metavar="N", type=click.IntRange(1, 64), help="Runs at a time, for this start."
)
@click.option("--dry-run", is_flag=True, help="Check it, show the order of runs, make none.")
@click.option("--report", "only_report", is_flag=True, help="Only write the report anew.")
@click.option("-q", "--quiet", is_flag=True, help="No progress.")
@click.option("--config", metavar="FILE", help="Settings file; else ./leadline.toml if there.")
@click.option("--debug", is_flag=True, help="Show the traceback of an unexpected error.")
def experiment(
    spec: str,
    out: str | None,
    parallel: int | None,
    dry_run: bool,
    only_report: bool,
    quiet: bool,
    config: str | None,
    debug: bool,
) -> int:
    """Vary one factor, hold everything else, and test what it changes.

    A SPEC names the factor and its levels, tasks, replications, what is measured and a seed. Runs
    are made in random order and written down one by one: interrupt it, start it again, and it goes
    on. The results folder then holds report.md, report.html, rows.csv and rows.jsonl.

    \b
    Example:  leadline experiment examples/experiments/task-types.toml
    """
    from leadline.experiment import load_spec
    from leadline.settings import calm_math, load
    from leadline.values import replace

    calm_math()
    settings = Path(config) if config else None
    load(config=settings, tell=tell_config)  # each run loads them anew and says nothing
    found = load_spec(Path(spec))
    if parallel is not None:
        found = replace(found, parallel=parallel)
    folder = Path(out or f"{Path(spec).stem}-results")
    if dry_run:
        return _planned(found, settings)
    return _made(found, folder, settings, quiet=quiet, only_report=only_report)


def _planned(spec: Any, config: Path | None) -> int:
    from leadline.experiment.conduct import resolved
    from leadline.experiment.design import schedule

    resolved(spec, config)
    cells = schedule(spec)
    say(f"{len(cells)} runs of {spec.name}; responses: {', '.join(spec.responses)}\n")
    say("".join(f"{order:>5}  {cell.key}\n" for order, cell in enumerate(cells, 1)))
    return ANSWERED


def _made(spec: Any, folder: Path, config: Path | None, *, quiet: bool, only_report: bool) -> int:
    from leadline.errors import BadInput, with_extra
    from leadline.experiment.conduct import conduct, kept

    try:
        from leadline.experiment.report import write_reports
    except ImportError as error:
        why = "an experiment needs scipy and matplotlib, which are not installed"
        raise BadInput(f"{why}; install them {with_extra('experiment')}") from error

    def progress(text: str) -> None:
        if not quiet:
            note(text)

    try:
        done = (
            kept(spec, folder, config)
            if only_report
            else conduct(spec, folder, config=config, progress=progress)
        )
    except KeyboardInterrupt:
        note(f"\nInterrupted. What was made is in {folder}; start it again and it goes on.")
        return INTERRUPTED
    if not any(not row.why for row in done.rows):
        why = done.rows[0].why if done.rows else "none was made"
        raise BadInput(f"not one run succeeded: {why}")
    for path in write_reports(spec, done.rows, folder):
        say(f"{path}\n")
    if done.failed:
        note(f"{done.failed} of {len(done.rows)} runs failed; start it again to try them again")
    return FAILED if done.failed else ANSWERED
