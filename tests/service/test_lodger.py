"""An application under a path of the service's, opened when it is first asked for."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, cast

import pytest

from leadline.errors import StoreBroken
from leadline.service.lodger import App, Lodger
from leadline.session import Session


@pytest.mark.contract("U3", "H3")
def test_who_asks_for_what_cannot_be_opened_is_told_and_does_not_wait() -> None:
    @asynccontextmanager
    async def broken(session: Session, closing: asyncio.Event) -> AsyncIterator[App]:
        if session is None:
            raise StoreBroken("service.db is damaged")
        yield nobody

    async def nobody(*_: Any) -> None: ...

    async def whole() -> None:
        lodger = Lodger("/mcp", broken)
        async with lodger.living(cast(Session, None), asyncio.Event()):
            for _ in range(2):
                with pytest.raises(StoreBroken, match="damaged"):
                    await asyncio.wait_for(lodger({"path": "/mcp"}, nobody, nobody), 10)

    asyncio.run(whole())
