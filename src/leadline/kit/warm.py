"""While a search is on its way, what its results and the report will need is loaded.

Python loads in about the time that one search takes, so nobody has to wait for it twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from importlib import import_module
from threading import Event

from leadline.kit.documents import embedder

_SENTENCE = "The harbour freezes in February, and ships wait for the thaw."  # as good as any
_AFTER_S = 0.005  # for the request itself to go out

# What comes first is needed first: the results, the pages, the report.
_MODULES = (
    "leadline.rank.knowledge_summary",
    "leadline.rank.novelty",
    "leadline.rank.name_links",
    "leadline.rank.stop_signals",
    "leadline.write.reflecting",
    "leadline.text.tokens",
    "leadline.fetch.client",
    "leadline.fetch.kept",
    "leadline.fetch.again",
    "leadline.guard.scan",
    "leadline.text.chunk",
    "leadline.write.writing",
    "leadline.write.excerpts",
    "leadline.check.settle",
    "leadline.research.revise",
    "leadline.keep.memory",
    "leadline.render.markdown",
    "leadline.render.references",
    "leadline.observe.finish",
)


class Warming:
    """Loads in a thread, one thing after another, while a search is waited for; closed with
    `stack`. While results are worked on nothing is loaded: they would wait for it."""

    def __init__(self, stack: AsyncExitStack, pages: Callable[[], object]) -> None:
        self._stack, self._pages = stack, pages
        self._out = 0
        self.loading: asyncio.Future[None] | None = None
        self._over = False
        self._idle = Event()

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Round a request: behind it there is time."""
        self._out += 1
        asyncio.get_running_loop().call_later(_AFTER_S, self._go_on)
        try:
            yield
        finally:
            self._out -= 1
            if not self._out and not self._over:
                self._idle.clear()

    def _go_on(self) -> None:
        if not self._out or self._over:
            return
        self._idle.set()
        if self.loading is None:
            self.loading = asyncio.get_running_loop().run_in_executor(None, self._load)
            # What cannot be loaded is met again, and told, by whoever needs it.
            self.loading.add_done_callback(lambda done: done.cancelled() or done.exception())
            self._stack.push_async_callback(self._end, self.loading)
            self._pages()

    def _load(self) -> None:
        embedder().embed([_SENTENCE])
        for module in _MODULES:
            self._idle.wait()
            if self._over:
                return
            import_module(module)

    async def _end(self, loading: asyncio.Future[None]) -> None:
        self._over = True
        self._idle.set()
        await asyncio.wait({loading})
