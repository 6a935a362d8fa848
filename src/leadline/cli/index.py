"""`leadline index`: bring the index of a folder up to date, and say what could not be read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from leadline.cli.common import (
    common_of,
    common_options,
    console,
    note,
    on_terminal,
    say,
    settings_from,
)
from leadline.cli.doors import doors

if TYPE_CHECKING:
    from leadline.cli.doors import Prepare
    from leadline.cli.output import Output
    from leadline.documents import IndexReport, Progress
    from leadline.settings import Settings

SKIPPED_SHOWN = 10
_KINDS = {
    "secret": "that may hold secrets",
    "format": "of a format that is not read",
    "size": "too large",
    "unreadable": "that cannot be read",
}
_STAGES = {
    "waiting": "Waiting for another process",
    "scanning": "Looking for files",
    "reading": "Reading",
    "saving": "Saving",
}


@click.command(context_settings={"max_content_width": 100})
@click.argument("folder", nargs=-1, required=True, metavar="PATH...")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a folder or file.")
@click.option("-q", "--quiet", is_flag=True, help="No progress, no summary.")
@common_options
@click.pass_context
def index(
    ctx: click.Context, /, folder: tuple[str, ...], as_json: bool, quiet: bool, **given: Any
) -> None:
    """Index folders of documents, or single files, so that questions start at once.

    Only files that changed are read again, deleted ones go. Safe to interrupt, safe for two at
    once. What may hold secrets (keys, .env, stores of passwords) is left out and counted, unless
    the file itself is named. `leadline "question" --docs PATH` does this by itself.

    \b
    Example:  leadline index handbook/ reports/
    """
    settings = settings_from(common_of(given), docs=folder)
    with _bar(live=not quiet and on_terminal()) as progress:
        reports = doors(ctx.obj).prepare(settings, progress)
    for docs, report in zip(settings.docs, reports, strict=True):
        if as_json:
            say(_as_json(str(docs), report))
        elif not quiet:
            say(summary(str(docs), report))


def prepare_documents(settings: Settings, prepare: Prepare, output: Output) -> None:
    """Index before a question; only what a person should know is said."""
    from leadline.kit import refuse_empty

    with _bar(output.live) as progress:
        reports = prepare(settings, progress)
    refuse_empty(settings, reports)
    if output.quiet or not reports:
        return
    for docs, report in zip(settings.docs, reports, strict=True):
        for text in _worth_knowing(str(docs), report):
            note(text)


def _worth_knowing(docs: str, report: IndexReport) -> Iterator[str]:
    """Of what was left out, what nobody would expect before a question."""
    from leadline.read.registry import NO_TEXT, suffix_of

    if report.notice:
        yield report.notice
    # A picture among the texts is no news; an old office file or a broken one is.
    unread = [one for one in report.skipped if one.kind != "secret"]
    if lost := sum(suffix_of(one.what) not in NO_TEXT for one in unread):
        files = report.files + lost
        yield f"{docs}: {lost} of {files} files cannot be read; leadline index names them"
    secrets = report.left_out.get("secret", 0)
    if secrets and report.added:
        yield f"{docs}: {secrets} left out that may hold secrets; leadline index names them"


@contextmanager
def _bar(live: bool) -> Iterator[Callable[[Progress], None] | None]:
    """A progress bar that is gone when the work is done."""
    if not live:
        yield None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Bars(*columns, console=console(), transient=True) as bars:
        task = bars.add_task(_STAGES["scanning"], total=None)

        def show(progress: Progress) -> None:
            bars.update(
                task,
                description=_STAGES[progress.stage],
                completed=progress.done,
                total=progress.total or None,
            )

        yield show


def summary(docs: str, report: IndexReport) -> str:
    """What the index holds now, what changed, and what was left out and why."""
    from leadline.render.safe import plain
    from leadline.render.words import counted

    kinds = ", ".join(f"{number} {_KINDS[kind]}" for kind, number in report.left_out.items())
    lines = [
        f"{docs}: {counted(report.files, 'file')}, {counted(report.chunks, 'chunk')} "
        f"({report.added} added, {report.changed} changed, {report.unchanged} unchanged, "
        f"{report.deleted} deleted, {len(report.skipped)} left out{kinds and f': {kinds}'})"
    ]
    if report.notice:
        lines.append(f"  note: {report.notice}")
    shown = report.skipped[:SKIPPED_SHOWN]
    lines += [f"  left out {_name(one.what)}: {one.why}" for one in shown]
    if (more := len(report.skipped) - SKIPPED_SHOWN) > 0:
        lines.append(f"  … and {more} more (--json names all)")
    return plain("\n".join(lines)) + "\n"


def _name(path: str) -> str:
    return path if path.isprintable() else ascii(path)


def _as_json(docs: str, report: IndexReport) -> str:
    import json
    from dataclasses import asdict

    return json.dumps({"docs": docs, **asdict(report), "left_out": report.left_out}) + "\n"
