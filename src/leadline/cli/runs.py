"""`leadline runs`: list, show, resume, cancel, fork and export what was asked before."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

import click

from leadline.cli.common import common_of, common_options, note, on_terminal, say, settings_from
from leadline.cli.doors import doors
from leadline.cli.output import (
    Output,
    deliver,
    output_from,
    output_options,
    writable,
    write_file,
)
from leadline.cli.review import at_hand
from leadline.cli.run import run
from leadline.cli.stats import stats
from leadline.cli.watch import carry_out, exit_code, say_resumed, write_trace

if TYPE_CHECKING:
    from pathlib import Path

    from leadline.bundle.export import Exported
    from leadline.ports import Engine, Row, RunInfo
    from leadline.session import Session

T = TypeVar("T")
ALL = 1_000_000


@click.group()
def runs() -> None:
    """List, show, resume, finish, cancel, fork and export runs.

    The first characters of an id, or of its last part, are enough; `last` is the newest.
    """


@runs.command("list")
@click.option(
    "--limit", default=20, metavar="N", type=click.IntRange(min=1), help="How many, newest first."
)
@click.option("--json", "as_json", is_flag=True, help="A JSON array.")
@common_options
@click.pass_context
def list_runs(ctx: click.Context, /, limit: int, as_json: bool, **given: Any) -> None:
    """List runs, the newest first."""
    found = _within(ctx, given, lambda session: session.engine.list(limit))
    say(_infos_as_json(found) if as_json else _table(found))


@runs.command()
@click.argument("run_id", metavar="ID")
@output_options
@common_options
@click.pass_context
def show(ctx: click.Context, /, run_id: str, **given: Any) -> None:
    """Show a run: how it went, search by search, and its report."""
    output = output_from(given)

    async def look(session: Session) -> int:
        return await _show(session, await find_run(session.engine, run_id), output)

    ctx.exit(_within(ctx, given, look))


@runs.command()
@click.argument("run_id", metavar="ID")
@output_options
@common_options
@click.pass_context
def resume(ctx: click.Context, /, run_id: str, **given: Any) -> None:
    """Go on with an unfinished run; no finished step is done again."""
    output = output_from(given)
    settings = settings_from(common_of(given))

    async def begin(session: Session) -> str:
        found = await find_run(session.engine, run_id)
        await say_resumed(session, found.id, output)
        await session.engine.resume(found.id)
        return found.id

    ctx.exit(carry_out(settings, output, begin, doors(ctx.obj).open_session, at_hand()))


@runs.command()
@click.argument("run_id", metavar="ID")
@output_options
@common_options
@click.pass_context
def finish(ctx: click.Context, /, run_id: str, **given: Any) -> None:
    """Have a run write its report now, from what it has found; also one of another process."""
    output = output_from(given)
    settings = settings_from(common_of(given))

    async def begin(session: Session) -> str:
        found = await find_run(session.engine, run_id)
        if await session.finish(found.id):
            await session.engine.resume(found.id)
        return found.id

    ctx.exit(carry_out(settings, output, begin, doors(ctx.obj).open_session, at_hand()))


@runs.command("text")
@click.argument("run_id", metavar="ID")
@click.argument("handle", metavar="HANDLE")
@common_options
@click.pass_context
def whole_text(ctx: click.Context, /, run_id: str, handle: str, **given: Any) -> None:
    """Print the whole text behind a handle of a run, such as hit:1f0a… or page:9c2b…"""

    async def find(session: Session) -> str:
        found = await find_run(session.engine, run_id)
        return await session.whole_text(found.id, handle)

    say(_within(ctx, given, find) + "\n")


@runs.command()
@click.argument("run_id", metavar="ID")
@common_options
@click.pass_context
def cancel(ctx: click.Context, /, run_id: str, **given: Any) -> None:
    """Stop a run, also one of another process; what it has is kept."""

    async def stop(session: Session) -> str:
        found = await find_run(session.engine, run_id)
        await session.engine.cancel(found.id)
        return found.id

    stopped = _within(ctx, given, stop)
    note(f"Cancelled {stopped}. Go on with it after all: leadline runs resume {stopped}")


@runs.command()
@click.argument("run_id", metavar="ID")
@click.option("-o", "--output", "file", metavar="FILE", help="Where to; else ID.leadline here.")
@common_options
@click.pass_context
def export(ctx: click.Context, /, run_id: str, file: str | None, **given: Any) -> None:
    """Write a finished run to one file that proves it.

    Check every claim in it anywhere, offline: leadline verify FILE
    """
    target = writable(file, "-o") if file else None

    async def write(session: Session) -> tuple[Exported, Path]:
        found = await find_run(session.engine, run_id)
        path = target or writable(f"{found.id}.leadline", "-o")
        assert path is not None
        return await session.export(found.id), path

    from leadline.bundle.contents import written

    exported, path = _within(ctx, given, write)
    write_file(path, written(exported.content))
    for missing in exported.missing:
        note(f"Not in the file, for it is no longer to be had as it was quoted: {missing}")
    note(f"Run file: {path}. Check it anywhere: leadline verify {path}")


@runs.command()
@click.argument("run_id", metavar="ID")
@click.option("--from", "step", required=True, metavar="STEP", help="First step to do anew.")
@output_options
@common_options
@click.pass_context
def fork(ctx: click.Context, /, run_id: str, step: str, **given: Any) -> None:
    """Go on from a STEP of a run with other settings, as a new run; the old one stays.

    leadline runs fork ID --from write --model ollama:qwen3
    """
    output = output_from(given)
    settings = settings_from(common_of(given))
    changes = {name: value for name, value in given.items() if value not in (None, ())}

    async def begin(session: Session) -> str:
        found = await find_run(session.engine, run_id)
        return await session.fork(found.id, step, changes, flags=True)

    ctx.exit(carry_out(settings, output, begin, doors(ctx.obj).open_session, at_hand()))


runs.add_command(stats)

# Every setting that has a flag when a question is asked can be changed in a fork.
_OTHERS = {param.name for param in fork.params} | {"question", "resume", "estimate"}
fork.params[2:2] = [param for param in run.params if param.name not in _OTHERS]


def _within(ctx: click.Context, given: dict[str, Any], do: Callable[[Session], Awaitable[T]]) -> T:
    import asyncio

    settings = settings_from(common_of(given))

    async def whole() -> T:
        async with doors(ctx.obj).open_session(settings) as session:
            return await do(session)

    return asyncio.run(whole())


async def find_run(engine: Engine, prefix: str) -> RunInfo:
    """The one run whose id, or the last part of it, begins with `prefix`; the newest for "last"."""
    from leadline.errors import BadInput, RunNotFound

    if prefix == "last" and (newest := await engine.list(1)):
        return newest[0]
    with suppress(RunNotFound):  # a whole id: there is no need to look at all others
        return await engine.info(prefix)
    found = [
        info
        for info in await engine.list(ALL)
        if prefix and (info.id.startswith(prefix) or info.id.split("-")[-1].startswith(prefix))
    ]
    if len(found) == 1:
        return found[0]
    if not found:
        raise RunNotFound(f"no run has an id that begins with {prefix!r}; see leadline runs list")
    some = ", ".join(info.id for info in found[:5])
    raise BadInput(
        f"{len(found)} runs have ids that begin with {prefix!r}: {some}; give more of it"
    )


async def _show(session: Session, info: RunInfo, output: Output) -> int:
    rows = await session.engine.rows(info.id)
    response = await session.response(info.id) if info.status == "finished" else None
    if output.trace is not None:
        await write_trace(session.engine, info.id, output.trace)
    if output.json:
        say(_whole_as_json(info, rows, response))
    elif not output.files:
        from leadline.cli.history import history

        say(history(info, rows, response))
    if response is None:
        if not output.json:
            note(f"No report: the run is {info.status}.")
        return 0
    if not output.json:
        deliver(response, output)
    return exit_code(response)


def _table(found: list[RunInfo]) -> str:
    from leadline.render.safe import one_line

    if not found:
        return "No runs yet.\n" if on_terminal() else ""
    ids = max(len(info.id) for info in found)
    return "".join(
        f"{info.id:<{ids}}  {info.created_at:%Y-%m-%d %H:%M}  {info.status:<11}  "
        f"{one_line(info.task, 80)}\n"
        for info in found
    )


def _infos_as_json(found: list[RunInfo]) -> str:
    import json
    from dataclasses import asdict

    return json.dumps([asdict(info) for info in found], default=str, indent=2) + "\n"


def _whole_as_json(info: RunInfo, rows: list[Row], response: Any) -> str:
    import json
    from dataclasses import asdict

    from leadline.codec import dumped
    from leadline.observe.record import searches

    whole = {
        "run": asdict(info),
        "searches": searches(rows),
        "steps": [_step_as_data(row) for row in rows],
        "response": dumped(response) if response else None,
    }
    return json.dumps(whole, default=str, indent=2) + "\n"


def _step_as_data(row: Row) -> dict[str, Any]:
    told: dict[str, Any] = {"seq": row.seq, "name": row.name, "elapsed": row.elapsed}
    return told | ({"what": row.what, "error": row.error} if row.error else {})
