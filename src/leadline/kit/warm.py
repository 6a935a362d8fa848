"""While the first search is on its way, what its results will need is loaded.

Python loads in about the time that one search takes, so nobody has to wait for it twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from importlib import import_module

from leadline.kit.documents import embedder

_SENTENCE = "The harbour freezes in February, and ships wait for the thaw."  # as good as any
_AFTER_S = 0.005  # for the request itself to go out

# What comes first is needed first.
_RESULTS = (
    "leadline.rank.compress",
    "leadline.rank.novelty",
    "leadline.rank.links",
    "leadline.rank.closing",
    "leadline.reasoners.reflecting",
    "leadline.text.tokens",
)
_PAGES = ("leadline.fetch.client", "leadline.fetch.kept", "leadline.fetch.again")
_REPORT = (
    "leadline.reasoners.writing",
    "leadline.reasoners.excerpting",
    "leadline.steps.settle",
    "leadline.steps.revise",
    "leadline.store.memory.store",
    "leadline.render.markdown",
    "leadline.observe.finish",
)


class Warming:
    """Loads in a thread, a part behind each of the first searches; closed with `stack`.

    What the first results need comes first: while they are worked on nothing else is loaded.
    """

    def __init__(self, stack: AsyncExitStack, pages: Callable[[], object]) -> None:
        self._stack, self._pages = stack, pages
        self._parts = [self._for_report, self._for_results]

    def begin(self) -> None:
        """A request goes out: load behind it."""
        if self._parts:
            asyncio.get_running_loop().call_later(_AFTER_S, self._start, self._parts.pop())

    def _start(self, load: Callable[[], None]) -> None:
        loading = asyncio.get_running_loop().run_in_executor(None, load)
        # What cannot be loaded is met again, and told, by whoever needs it.
        loading.add_done_callback(lambda done: done.cancelled() or done.exception())
        self._stack.push_async_callback(asyncio.wait, {loading})
        if load == self._for_results:
            self._pages()

    def _for_results(self) -> None:
        embedder().embed([_SENTENCE])
        _import(_RESULTS)
        _import(_PAGES)

    def _for_report(self) -> None:
        import_module("leadline.text.spoken").spoken(_SENTENCE)
        _import(_REPORT)


def _import(modules: tuple[str, ...]) -> None:
    for module in modules:
        import_module(module)
