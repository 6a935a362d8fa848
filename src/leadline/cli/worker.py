"""`leadline worker`: takes runs from the queue until it is told to stop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from leadline.cli.common import common_of, common_options, note, settings_from

if TYPE_CHECKING:
    from leadline.settings import Settings


@click.command()
@click.option(
    "--concurrency",
    default=4,
    metavar="N",
    show_default=True,
    type=click.IntRange(1, 1000),
    help="Runs at the same time.",
)
@click.option(
    "--grace",
    "grace_s",
    default=10.0,
    metavar="SECONDS",
    show_default=True,
    type=click.FloatRange(0, 3600),
    help="How long runs may go on to their end once it is told to stop.",
)
@common_options
def worker(concurrency: int, grace_s: float, **given: Any) -> None:
    """Take runs from the queue until stopped (SIGTERM, Ctrl-C).

    What has not ended by then goes back into the queue and loses nothing. Start as many as you
    like, on any number of machines: RESEARCH_STORE_URL=postgresql://… names their queue.
    """
    import asyncio

    settings = settings_from(common_of(given))
    asyncio.run(_work(settings, concurrency, grace_s))


async def _work(settings: Settings, concurrency: int, grace_s: float) -> None:
    import asyncio
    import signal

    from leadline.session import open_session

    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for one in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(one, stop.set)
    async with open_session(settings, worker=True, waits=True) as session:
        state = await session.engine.queue()
        note(f"Worker for {concurrency} runs at a time; {state.waiting} wait.")
        await session.work(concurrency, stop, grace_s)
    note("Stopped.")
