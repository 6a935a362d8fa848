"""`leadline doctor`: is everything here that a question needs, and what will answer it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from leadline.cli.common import common_of, common_options, say, settings_from
from leadline.cli.exits import ANSWERED, FAILED

if TYPE_CHECKING:
    from leadline.settings import Settings

ENOUGH_BYTES = 200_000_000


class Check(NamedTuple):
    """One thing looked at: its name, whether it is well, and what was seen."""

    name: str
    ok: bool
    said: str


@click.command()
@click.option("--docs", multiple=True, metavar="PATH", help="Look at an index too.")
@click.option(
    "--model", metavar="MODEL", help="Examine a model for a minute, such as ollama:qwen3."
)
@click.option("--base-url", metavar="URL", help="Where the model's server is.")
@click.option("--json", "as_json", is_flag=True, help="A JSON array.")
@common_options
@click.pass_context
def doctor(
    ctx: click.Context,
    /,
    docs: tuple[str, ...],
    model: str | None,
    base_url: str | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Check that everything works, and say which reasoner answers.

    With --model, examine that model alone: does it keep to JSON, how much does it really read,
    does it leak its thoughts, does it cite as told, how fast is it. What was found is kept, and
    runs with the model go by it.

    Exits with 1 when something is wrong.
    """
    if base_url is not None and model is None:
        raise click.UsageError("--base-url says where the model of --model is; name one")
    if docs and model is not None:
        raise click.UsageError("--model examines a model alone; look at --docs in another call")
    common = common_of(given)
    if model is not None:
        from leadline.cli.doctor_model import look_at_model

        settings = settings_from(common, model=model, model_base_url=base_url)
        ctx.exit(ANSWERED if look_at_model(settings, as_json) else FAILED)
    settings = settings_from(common, docs=docs or None)
    checks = [look(settings) for look in _LOOKS]
    say(_as_json(checks) if as_json else _table(checks))
    ctx.exit(ANSWERED if all(check.ok for check in checks) else FAILED)


def _python(settings: Settings) -> Check:
    version = ".".join(str(part) for part in sys.version_info[:3])
    return Check("python", sys.version_info >= (3, 11), version)


def _data_dir(settings: Settings) -> Check:
    import shutil

    free = shutil.disk_usage(settings.data_dir).free
    room = f"{settings.data_dir}, {free / 1e9:.1f} GB free"
    return Check("data folder", free >= ENOUGH_BYTES, room)


def _log(settings: Settings) -> Check:
    from leadline.observe.logs import log_path

    return Check("log", True, f"{log_path(settings.data_dir)}, level {settings.log_level}")


def _runs(settings: Settings) -> Check:
    import asyncio

    from leadline.cli.doors import doors
    from leadline.errors import LeadlineError

    async def count() -> int:
        async with doors(None).open_session(settings) as session:
            return len(await session.engine.list(1_000_000))

    try:
        return Check("runs", True, f"{asyncio.run(count())} kept")
    except LeadlineError as error:
        return Check("runs", False, str(error))


def _kept(settings: Settings) -> Check:
    """What searches and pages are kept; a damaged file is begun anew by being looked at."""
    import asyncio

    from leadline.errors import LeadlineError
    from leadline.kit.stores import open_snapshots
    from leadline.kit.web import open_cache
    from leadline.render.words import counted

    async def searches() -> int:
        cache = open_cache(settings)
        try:
            return (await cache.stats()).entries
        finally:
            await cache.close()

    try:
        found, pages = asyncio.run(searches()), open_snapshots(settings).stats()
    except LeadlineError as error:
        return Check("kept", False, f"{error}. Questions are answered without it")
    kept = f"{counted(found, 'search', 'searches')}, {counted(pages.pages, 'page')} of the web"
    return Check("kept", True, kept)


def _settings(settings: Settings) -> Check:
    """What every question asks of them before it begins."""
    from leadline.errors import LeadlineError
    from leadline.kit import refuse_unfit

    try:
        refuse_unfit(settings)
    except LeadlineError as error:
        return Check("settings", False, f"every question would be refused: {error}")
    return Check("settings", True, "a question can be asked with them")


def _embedder(settings: Settings) -> Check:
    from leadline.errors import LeadlineError
    from leadline.kit import embedder

    try:
        model = embedder()
        shape = model.embed(["a sentence"]).shape
    except (LeadlineError, OSError, ImportError) as error:
        return Check("embeddings", False, f"{error}; searches can do without: search_mode = bm25")
    return Check("embeddings", shape == (1, model.dim), f"{model.name}, {model.dim} dimensions")


def _documents(settings: Settings) -> Check:
    from leadline.documents.files import list_files
    from leadline.errors import LeadlineError
    from leadline.kit import open_indexes

    if not settings.docs:
        return Check("documents", True, "none chosen; name a folder or file with --docs PATH")
    told = []
    try:
        for docs, index in zip(settings.docs, open_indexes(settings), strict=True):
            stale = index.needs_update()
            told.append(f"{docs}: {'will be indexed first' if stale else 'index is up to date'}")
        empty = not any(list_files(docs) for docs in settings.docs)
    except (LeadlineError, OSError) as error:
        return Check("documents", False, str(error))
    if empty:
        where = ", ".join(map(str, settings.docs))
        return Check("documents", False, f"nothing to search in {where}: there is no file")
    return Check("documents", True, "; ".join(told))


def _web(settings: Settings) -> Check:
    """Each provider of the chain is asked once; the others are only looked up."""
    import asyncio

    from leadline.kit import uses_web
    from leadline.kit.web import probe_providers

    if not uses_web(settings):
        why = "where docs are given; --web searches both" if settings.docs else "as web = false"
        return Check("web", True, f"not searched {why}")
    if settings.frozen:
        return Check("web", True, "frozen: nobody is asked, the cache alone answers")
    found = asyncio.run(probe_providers(settings))
    said = "; ".join(f"{one.name}: {one.why.removeprefix(f'{one.name}: ')}" for one in found)
    return Check("web", any(one.ready for one in found), said)


def _providers(settings: Settings) -> Check:
    from leadline.search.registry import readiness

    every = readiness(settings.values(), settings.search_providers)
    ready = ", ".join(one.name for one in every if one.ready)
    missing = "; ".join(f"{one.name} {one.why}" for one in every if not one.ready)
    return Check("providers", True, f"ready: {ready}. Not ready: {missing}")


def _reasoner(settings: Settings) -> Check:
    """Which one would answer; whether a model is any good is for `doctor --model` to say."""
    import asyncio

    from leadline.errors import LeadlineError
    from leadline.kit import uses_web
    from leadline.kit.minds import check_agent, decide, reasoner_name

    try:
        chosen, choice = asyncio.run(decide(settings, uses_web(settings)))
        check_agent(chosen)
    except LeadlineError as error:
        return Check("reasoner", False, str(error))
    if choice.model:
        more = f"examine it with: leadline doctor --model {choice.model}"
        return Check("reasoner", True, f"{choice.model}: {choice.why}; {more}")
    name = reasoner_name(chosen)
    said = f"{name}: built in, every sentence of a report is a quotation; {choice.why}"
    return Check("reasoner", True, said)


_LOOKS: tuple[Callable[[Settings], Check], ...] = (
    _python,
    _data_dir,
    _log,
    _runs,
    _kept,
    _settings,
    _embedder,
    _documents,
    _web,
    _providers,
    _reasoner,
)


def _table(checks: list[Check]) -> str:
    from leadline.render.safe import one_line

    width = max(len(check.name) for check in checks)
    lines = [
        f"{'ok  ' if check.ok else 'BAD '} {check.name:<{width}}  {one_line(check.said)}\n"
        for check in checks
    ]
    return "".join(lines)


def _as_json(checks: list[Check]) -> str:
    import json

    return json.dumps([check._asdict() for check in checks], indent=2) + "\n"
