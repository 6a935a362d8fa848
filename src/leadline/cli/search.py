"""`leadline search`: the raw results of one query, as the loop would get them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from leadline.cli.common import (
    common_of,
    common_options,
    note,
    refuse_idle_provider,
    say,
    settings_from,
)
from leadline.cli.exits import ANSWERED, NOT_FOUND

if TYPE_CHECKING:
    from leadline.settings import Settings
    from leadline.types import Batch


@click.command(context_settings={"max_content_width": 100})
@click.argument("query")
@click.option("--docs", multiple=True, metavar="PATH", help="Folder or file to search; repeatable.")
@click.option("--web/--no-web", default=None, help="Search the web; else where no docs are given.")
@click.option(
    "--provider",
    "search_providers",
    multiple=True,
    metavar="NAME",
    help="Ask it, then the next.",
)
@click.option("--refresh", is_flag=True, default=None, help="Search anew, not from the cache.")
@click.option(
    "-k",
    "results",
    default=10,
    show_default=True,
    type=click.IntRange(1, 50),
    metavar="N",
    help="How many results, at most 50.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@common_options
@click.pass_context
def search(ctx: click.Context, /, query: str, results: int, as_json: bool, **given: Any) -> None:
    """Show what a search finds, without a run.

    \b
    Example:  leadline search "vacuum wraparound" --provider wikipedia
    """
    import asyncio

    from leadline.settings import check_task

    several = {name: given.pop(name) or None for name in ("docs", "search_providers")}
    settings = settings_from(common_of(given), **several, **given)
    refuse_idle_provider(settings, several["search_providers"])
    batch = asyncio.run(_found(check_task(query), settings, results))
    for loss in batch.notes:
        note(f"{loss.what}: {loss.why}")
    for one in batch.injections:
        note(f"{one.source}: {one.done}, as it gives orders to its reader: {one.reason}")
    say(_as_json(batch) if as_json else _listing(batch))
    ctx.exit(ANSWERED if batch.hits else NOT_FOUND)


async def _found(query: str, settings: Settings, k: int) -> Batch:
    from leadline.kit import open_kit, prepare
    from leadline.types import Query

    prepare(settings)
    async with open_kit(settings) as kit:
        return await kit.find(Query(query, origin="gap"), k)


def _listing(batch: Batch) -> str:
    from leadline.render.listing import for_person
    from leadline.render.safe import plain
    from leadline.render.words import counted

    if not batch.hits:
        return "(no results)\n"
    how = f"{batch.provider}, from the cache" if batch.cached else batch.provider
    found = counted(len(batch.hits), "result")
    return f"{plain(for_person(batch.hits))}\n\n{found} ({how})\n"


def _as_json(batch: Batch) -> str:
    import json

    from leadline.codec import dumped

    return json.dumps(dumped(batch), ensure_ascii=False, indent=2) + "\n"
