"""While the first search is on its way, what its results will need is loaded.

Python loads in about the time that one search takes, so nobody has to wait for it twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from importlib import import_module

from leadline.kit.documents import embedder
from leadline.results import adapter_for
from leadline.types import Batch, GateVerdict, Knowledge, Page, Reflection

_AFTER_S = 0.005  # for the request itself to go out

# What comes first is needed first. `_WRITTEN` is what steps write down, and how is worked out once.
_RESULTS = (
    "leadline.rank.compress",
    "leadline.rank.novelty",
    "leadline.rank.closing",
    "leadline.reasoners.reflecting",
    "leadline.text.tokens",
)
_WRITTEN = (tuple[GateVerdict, ...], Knowledge, Reflection, Batch, Page)
_PAGES = ("leadline.fetch.client", "leadline.fetch.kept", "leadline.fetch.again")
_REPORT = (
    "leadline.reasoners.writing",
    "leadline.reasoners.excerpting",
    "leadline.steps.settle",
    "leadline.steps.revise",
    "leadline.render.markdown",
    "leadline.observe.finish",
)


class Warming:
    """Loads in a thread, once, when `begin` is first called; closed with `stack`."""

    def __init__(self, stack: AsyncExitStack, scans: bool, pages: Callable[[], object]) -> None:
        self._stack, self._scans, self._pages = stack, scans, pages
        self._begun = False

    def begin(self) -> None:
        """The first request goes out: load the rest behind it."""
        if not self._begun:
            self._begun = True
            asyncio.get_running_loop().call_later(_AFTER_S, self._start)

    def _start(self) -> None:
        loop = asyncio.get_running_loop()
        warming = loop.run_in_executor(None, self._load)
        self._stack.push_async_callback(asyncio.wait, {warming})
        self._pages()

    def _load(self) -> None:
        _import(_RESULTS)
        embedder().embed(["warm"])
        if self._scans:
            import_module("leadline.text.doors").scanned("")
        for kind in _WRITTEN:
            adapter_for(kind)
        _import(_PAGES)
        _import(_REPORT)


def _import(modules: tuple[str, ...]) -> None:
    for module in modules:
        import_module(module)
