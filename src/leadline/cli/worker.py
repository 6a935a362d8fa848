"""`leadline worker`: carries out runs that Temporal hands out, until it is told to stop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from leadline.cli.common import common_of, common_options, note, settings_from

if TYPE_CHECKING:
    from leadline.settings import Settings


@click.command()
@click.option(
    "--slots",
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
@click.option(
    "--port",
    default=0,
    metavar="N",
    type=click.IntRange(0, 65_535),
    help="Answer /ready and /metrics there, on every address; 0 does not.",
)
@common_options
def worker(slots: int, grace_s: float, port: int, **given: Any) -> None:
    """Carry out runs of many machines until stopped (SIGTERM, Ctrl-C).

    What has not ended by then goes on elsewhere and loses nothing. RESEARCH_STORE_URL names the
    PostgreSQL that runs are written to, RESEARCH_ENGINE_URL the Temporal that hands them out.
    """
    import asyncio

    from leadline.errors import BadInput

    settings = settings_from(common_of(given))
    if not settings.engine_url:
        raise BadInput(
            "on one machine leadline serve carries out its runs by itself; for workers set "
            "store_url (PostgreSQL) and engine_url (Temporal), see docs/scale.md"
        )
    asyncio.run(_work(settings, slots, grace_s, port))


async def _work(settings: Settings, slots: int, grace_s: float, port: int) -> None:
    import asyncio
    import signal
    from contextlib import ExitStack

    from leadline.session import open_session

    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for one in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(one, stop.set)
    async with open_session(settings, worker=True, waits=True) as session:
        with ExitStack() as stack:
            if port:
                from leadline.observe.probe import answering

                stack.enter_context(answering(session.engine, port))
            note(f"Worker for {slots} runs at a time.")
            await session.work(slots, stop, grace_s)
    note("Stopped.")
