"""Connects to the address that was checked, under the name that was asked for.

The guard resolves and checks, and the connection is made to what it returned: there is no second
look-up whose answer could differ. `Host` header, SNI and certificate keep the name, since only the
TCP connection is given the address.
"""

from __future__ import annotations

import asyncio
import ssl

from leadline.fetch.guard import Guard
from leadline.net.asking import Origin
from leadline.net.dialling import Connect, Dial, Streams, connect

MAX_ADDRESSES = 4


def pinned(
    guard: Guard, context: ssl.SSLContext, limit_s: float, network: Connect = connect
) -> Dial:
    """Connects to checked addresses and to nothing else; `limit_s` is for all of them together."""

    async def dial(origin: Origin) -> Streams:
        clock = asyncio.get_running_loop().time
        ends = clock() + limit_s
        safe = context if origin.scheme == "https" else None
        addresses = (await guard.addresses(origin.host, origin.port))[:MAX_ADDRESSES]
        for left in range(len(addresses), 1, -1):
            try:
                async with asyncio.timeout(max(0.0, ends - clock()) / left):
                    return await network(addresses[-left], origin.port, safe, origin.host)
            except ssl.SSLError:
                raise  # it is there, and it is not whom it says
            except OSError:  # a timeout is one too
                continue
        return await network(addresses[-1], origin.port, safe, origin.host)

    return dial
