"""A blocking call in a thread that nobody has to wait for.

`asyncio.to_thread` would do, but a loop that closes joins its threads: a search that hangs would
then hold up a run that has stopped.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

T = TypeVar("T")


async def in_thread(call: Callable[[], T]) -> T:
    """What `call` returns or raises; when the caller is cancelled the thread is left behind."""
    outcome: Future[T] = Future()
    outcome.set_running_or_notify_cancel()

    def work() -> None:
        try:
            result = call()
        except BaseException as error:  # noqa: BLE001 - carried to the caller, never dropped
            outcome.set_exception(error)
        else:
            outcome.set_result(result)

    threading.Thread(target=work, name="leadline-search", daemon=True).start()
    return await asyncio.wrap_future(outcome)
