"""Opens connections: straight to a server, or through the proxy that the system names for it."""

from __future__ import annotations

import asyncio
import errno
import ssl
import sys
from base64 import b64encode
from collections.abc import Awaitable, Callable, Mapping

from leadline.net.asking import Origin, Place, ProxyTrouble, place_of

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]
# A connection to `host` and `port`, made safe for `name` where there is a context.
Connect = Callable[[str, int, ssl.SSLContext | None, str], Awaitable[Streams]]
Dial = Callable[[Origin], Awaitable[Streams]]
ProxyOf = Callable[[Origin], Place | None]

_ROOM = 1 << 16
_EYEBALLS_S = 0.25  # after which the next address of a host is tried beside the first


async def connect(host: str, port: int, context: ssl.SSLContext | None, name: str) -> Streams:
    """A connection over the network."""
    return await asyncio.open_connection(
        host,
        port,
        ssl=context,
        server_hostname=name if context else None,
        limit=_ROOM,
        happy_eyeballs_delay=_EYEBALLS_S,
    )


def dialling(context: ssl.SSLContext, proxy_of: ProxyOf) -> Dial:
    """Connects to whoever is asked for."""

    async def dial(origin: Origin) -> Streams:
        safe = context if origin.scheme == "https" else None
        proxy = proxy_of(origin)
        if proxy is None:
            return await connect(origin.host, origin.port, safe, origin.host)
        if safe is None:
            try:
                return await connect(proxy.origin.host, proxy.origin.port, None, "")
            except OSError as error:
                raise out_of_reach(proxy, str(error)) from error
        return await _through(proxy, origin, safe)

    return dial


async def _through(proxy: Place, origin: Origin, context: ssl.SSLContext) -> Streams:
    """A tunnel through a proxy, and in it a safe connection to the server."""
    import socket

    loop = asyncio.get_running_loop()
    where = (proxy.origin.host, proxy.origin.port)
    try:
        found = await loop.getaddrinfo(*where, type=socket.SOCK_STREAM)
    except OSError as error:
        raise out_of_reach(proxy, str(error)) from error
    family, kind, protocol, _, address = found[0]
    line = socket.socket(family, kind, protocol)
    try:
        line.setblocking(False)
        try:
            await loop.sock_connect(line, address)
        except OSError as error:
            raise out_of_reach(proxy, str(error)) from error
        netloc = f"{origin.netloc.removesuffix(f':{origin.port}')}:{origin.port}"
        wanted = [f"CONNECT {netloc} HTTP/1.1", f"Host: {netloc}"]
        wanted += [f"{name}: {value}" for name, value in leave_of(proxy).items()]
        await loop.sock_sendall(line, "\r\n".join([*wanted, "", ""]).encode("latin-1"))
        await _granted(line, proxy)
        return await asyncio.open_connection(
            sock=line, ssl=context, server_hostname=origin.host, limit=_ROOM
        )
    except BaseException:
        line.close()
        raise


async def _granted(line: object, proxy: Place) -> None:
    """Read the proxy's answer and not a byte more: what follows belongs to the server."""
    loop, said = asyncio.get_running_loop(), bytearray()
    while not said.endswith(b"\r\n\r\n"):
        more = await loop.sock_recv(line, 1)  # type: ignore[arg-type]
        if not more or len(said) > _ROOM:
            raise ProxyTrouble(f"the proxy {proxy.origin.netloc} broke off")
        said += more
    status = bytes(said).split(b"\r\n")[0].split(b" ", 2)[1:2]
    if status != [b"200"]:
        told = b" ".join(status).decode("latin-1") or "no HTTP"
        raise ProxyTrouble(f"the proxy {proxy.origin.netloc} refused ({told})")


def out_of_reach(proxy: Place, said: str) -> ProxyTrouble:
    """A proxy that nobody answers at, named: it is the user's to start, or to take away."""
    refused = "refused" in said or f"[Errno {errno.ECONNREFUSED}]" in said
    how = "refused the connection" if refused else "cannot be reached"
    return ProxyTrouble(
        f"the proxy at http://{proxy.origin.netloc} {how}; start it, or take it out of the "
        "environment"
    )


def leave_of(proxy: Place) -> Mapping[str, str]:
    """The header that tells a proxy who asks."""
    if not proxy.userinfo:
        return {}
    return {"Proxy-Authorization": f"Basic {b64encode(proxy.userinfo.encode()).decode()}"}


def no_proxy(origin: Origin) -> Place | None:
    return None


def system_proxies(named: bool) -> ProxyOf:
    """The proxies that the environment names, or the system's settings where it has such."""
    return _of_system if named or sys.platform in ("darwin", "win32") else no_proxy


def _of_system(origin: Origin) -> Place | None:
    from urllib.request import getproxies, proxy_bypass

    known = getproxies()
    address = known.get(origin.scheme) or known.get("all")
    if not address or proxy_bypass(f"{origin.host}:{origin.port}") or proxy_bypass(origin.host):
        return None
    if "://" not in address:
        address = f"http://{address}"
    scheme = address.partition("://")[0].lower()
    if scheme != "http":
        raise ProxyTrouble(f"a proxy must be named http://host:port; {scheme}:// is not spoken")
    return place_of(address)
