"""`leadline memory`: what is remembered from earlier runs, and how to forget it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from leadline.cli.common import common_of, common_options, note, say, settings_from

if TYPE_CHECKING:
    from leadline.keep.memory import MemoryStore
    from leadline.types import Finding, Kept, Note, Observation, Quarantined

_project = click.option(
    "--project", "memory_project", metavar="NAME", help="Whose memory; else memory_project."
)
_json = click.option("--json", "as_json", is_flag=True, help="JSON, one object a line.")


@click.group()
def memory() -> None:
    """Look at what runs remember, move it, or forget it.

    A finished run leaves its claims behind, each with the passage it stands on. Later runs
    begin from them. Each project has a memory of its own. The first characters of an id are enough.
    """


@memory.command("list")
@click.option(
    "--limit", default=20, metavar="N", type=click.IntRange(min=1), help="How many, newest first."
)
@_json
@_project
@common_options
def list_memory(limit: int, as_json: bool, **given: Any) -> None:
    """List what is remembered, the newest first."""
    with _opened(given) as store:
        found, count = store.listed(limit), store.count()
    say(_lines(found) if as_json else _table(found, count))


@memory.command()
@click.argument("question")
@click.option("--top", default=4, metavar="N", type=click.IntRange(1, 100), help="How many; 4.")
@_json
@_project
@common_options
def search(question: str, top: int, as_json: bool, **given: Any) -> None:
    """Show what a run of QUESTION would be reminded of."""
    import json

    from leadline.codec import dumped
    from leadline.settings import check_task

    asked = check_task(question)
    with _opened(given) as store:
        found = store.get_context(asked, top)
    if as_json:
        say("".join(json.dumps(dumped(one), ensure_ascii=False) + "\n" for one in found))
    else:
        say("".join(map(_noted, found)) or "nothing is remembered of it\n")


@memory.command()
@click.argument("id", metavar="ID")
@_json
@_project
@common_options
def show(id: str, as_json: bool, **given: Any) -> None:
    """Show one observation: its findings, where each stands, and what disputes it."""
    with _opened(given) as store:
        found = store.get(id)
    say(_lines([found]) if as_json else _whole(found))


@memory.command()
@click.argument("ids", metavar="ID...", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="All of the project, quarantine too.")
@_project
@common_options
def forget(ids: tuple[str, ...], everything: bool, **given: Any) -> None:
    """Delete observations for good, from every index and from the bytes of the file.

    The pages that prove them and the runs that found them stay: see leadline runs.
    """
    if bool(ids) == everything:
        raise click.UsageError("name what to forget by its id, or all of it with --all")
    with _opened(given) as store:
        gone = store.forget_all() if everything else store.forget(ids)
    say(f"{gone} forgotten\n")


@memory.command()
@click.option("-o", "--output", metavar="FILE", help="Where to; else stdout.")
@_project
@common_options
def export(output: str | None, **given: Any) -> None:
    """Write everything that is remembered, one JSON object a line."""
    with _opened(given) as store:
        found = store.listed(limit=-1)
    text = _lines(reversed(found))
    from leadline.cli.output import writable, write_file

    path = writable(output, "-o")
    if path is None:
        say(text)
    else:
        write_file(path, text)
        note(f"{len(found)} observations in {path}")


@memory.command("import")
@click.argument("file", metavar="FILE")
@_project
@common_options
def import_memory(file: str, **given: Any) -> None:
    """Read what `export` wrote; "-" is stdin. It is scanned and merged like a run's findings.

    Nothing is taken in when a line cannot be read.
    """
    from leadline.keep.memory_file import from_json
    from leadline.values import replace

    observations = [
        replace(from_json(line, f"{file}, line {number},"), project="")
        for number, line in enumerate(_text_of(file).split("\n"), 1)
        if line.strip()
    ]
    with _opened(given) as store:
        kept = [store.add(one) for one in observations]
    say(_taken(len(observations), kept))


@memory.command()
@click.argument("id", metavar="ID", required=False)
@click.option("--release", is_flag=True, help="Let it in after all.")
@click.option("--drop", is_flag=True, help="Delete it for good.")
@_json
@_project
@common_options
def quarantine(id: str | None, release: bool, drop: bool, as_json: bool, **given: Any) -> None:
    """List what was refused because it reads like instructions; read, release or drop one."""
    if (release or drop) and (id is None or (release and drop)):
        raise click.UsageError("name one of the list by its id, to release it or to drop it")
    with _opened(given) as store:
        if id is None:
            say(_apart(store.quarantine(), as_json))
        elif release:
            say(_taken(1, [store.release(id)]))
        elif drop:
            store.drop(id)
            say("1 dropped\n")
        else:
            one = store.quarantined(id)
            told = f"refused on {one.at[:10]}: {one.why}\n\n{_whole(one.observation)}"
            say(_lines([one.observation]) if as_json else told)


@contextmanager
def _opened(given: dict[str, Any]) -> Iterator[MemoryStore]:
    from leadline.kit.memory import open_store

    project = given.pop("memory_project")
    store = open_store(settings_from(common_of(given), memory_project=project))
    try:
        yield store
    finally:
        store.close()


def _text_of(file: str) -> str:
    import sys
    from pathlib import Path

    from leadline.errors import BadInput

    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        return data.decode("utf-8")
    except OSError as error:
        raise BadInput(f"cannot read {file}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise BadInput(f"{file} is not UTF-8 text") from error


# ── telling ─────────────────────────────────────────────────────────────────────────────────


def _lines(found: Any) -> str:
    from leadline.keep.memory_file import as_json

    return "".join(as_json(one) + "\n" for one in found)


def _table(found: tuple[Observation, ...], count: int) -> str:
    if not found:
        return "nothing is remembered yet\n"
    rows = [
        f"{one.id[:8]}  {one.updated[:10]}  {len(one.findings):>3}  {_short(one.task, 70)}\n"
        for one in found
    ]
    more = f"… and {count - len(found)} more: --limit {count}\n" if count > len(found) else ""
    return f"{'id':<8}  {'date':<10}  found  question\n" + "".join(rows) + more


def _noted(one: Note) -> str:
    head = f"{one.observation.id[:8]}  {one.score:.3f}  {_short(one.observation.task, 70)}\n"
    facts = [f"    {_short(finding.text, 88)}\n" for finding in one.observation.findings[:3]]
    return head + "".join(facts)


def _whole(one: Observation) -> str:
    from leadline.render.safe import plain

    about = f"{one.id}  {one.type.value}, quality {one.quality:.2f}, run {one.run_id or 'unknown'}"
    dates = f"created {one.created[:10]}, last changed {one.updated[:10] or one.created[:10]}"
    head = f"{plain(one.task)}\n{about}\n{dates}\n"
    return head + "".join("\n" + _finding(finding) for finding in one.findings)


def _finding(one: Finding) -> str:
    from leadline.render.safe import plain

    seen = f", again {one.confirmed[:10]}" if one.confirmed else ""
    said = f", dated {one.published[:10]}" if one.published else ""
    standing = "" if one.standing == "current" else f" [{one.standing}: {', '.join(one.rivals)}]"
    where = f"{one.url} at {one.start}-{one.end} of {one.page}"
    return f"- {plain(one.text)}{standing}\n  {plain(where)}; found {one.found[:10]}{seen}{said}\n"


def _apart(found: tuple[Quarantined, ...], as_json: bool) -> str:
    import json

    from leadline.codec import dumped

    if as_json:
        return "".join(json.dumps(dumped(one), ensure_ascii=False) + "\n" for one in found)
    rows = [
        f"{one.id[:8]}  {one.at[:10]}  {_short(one.why, 30)}  {_short(one.observation.task, 50)}\n"
        for one in found
    ]
    return "".join(rows) or "nothing is in quarantine\n"


def _taken(count: int, kept: list[Kept]) -> str:
    parts = {
        "findings new": sum(one.stored for one in kept),
        "known already": sum(one.confirmed for one in kept),
        "superseding or superseded": sum(one.superseded for one in kept),
        "disputed": sum(one.disputed for one in kept),
        "in quarantine": sum(one.quarantined for one in kept),
    }
    told = ", ".join(f"{number} {what}" for what, number in parts.items() if number)
    return f"{count} observations read: {told or 'nothing new'}\n"


def _short(text: str, most: int) -> str:
    from leadline.render.safe import plain

    line = " ".join(plain(text).split())
    return line if len(line) <= most else line[: most - 1] + "…"
