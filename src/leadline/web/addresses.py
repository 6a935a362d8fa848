"""Which addresses may be connected to: only public ones, unless the user named the host.

A host is refused when any of its addresses is not public, so that a name which answers with one
public and one private address gains nothing. Connecting is left to `http.py`, which asks here and
connects to the very address that was checked.
"""

from __future__ import annotations

import asyncio
import re
import socket
import unicodedata
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import quote, urlsplit, urlunsplit

import httpx2

from leadline.errors import SourceLost
from leadline.fields.addresses import host_named

Address = IPv4Address | IPv6Address
Resolve = Callable[[str, int], Awaitable[Sequence[str]]]

PORTS = {"http": 80, "https": 443}
MAX_URL_CHARS = 8192

# What `ipaddress` calls global and yet leads inside, or what older versions of it miss.
_INSIDE = tuple(
    ip_network(block)
    for block in (
        "0.0.0.0/8",
        "100.64.0.0/10",
        "192.0.0.0/24",
        "192.88.99.0/24",
        "198.18.0.0/15",
        "240.0.0.0/4",
        "64:ff9b:1::/48",
        "100::/64",
        "2001::/23",
        "2001:db8::/32",
        "3fff::/20",
        "5f00::/16",
        "fc00::/7",
        "fec0::/10",
    )
)
_NAT64 = ip_network("64:ff9b::/96")
_COMPATIBLE = ip_network("::/96")
_NUMBER = re.compile(r"0[xX][0-9a-fA-F]*|[0-9]+")
_NAME = re.compile(r"[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*\.?")
_AS_IS = "!#$%&'()*+,/:;=?@[]~"  # of a path and a query: everything that means something there


@dataclass(frozen=True)
class Target:
    """A web address in one spelling, in ASCII; `host` is without the brackets of IPv6."""

    url: str
    scheme: str
    host: str
    port: int

    @property
    def origin(self) -> str:
        return f"{self.scheme}://{_netloc(self.host, self.port, self.scheme)}"


class Guard:
    """Checks addresses before anything connects to them.

    `allow_hosts` are names, with or without `:port`, that may lead to private addresses. `resolve`
    gives the addresses of a name; the system's resolver unless given.
    """

    def __init__(self, allow_hosts: Iterable[str] = (), resolve: Resolve | None = None) -> None:
        self._allowed = frozenset(host_named(host) for host in allow_hosts)
        self._resolve = resolve or system_addresses

    def target(self, url: str) -> Target:
        """The address as it will be asked for. Raises `SourceLost` for what is never fetched."""
        found = parse(url)
        literal = _literal(found.host)
        if literal is not None and not self.allows(found.host, found.port):
            _refuse_private(found.host, (literal,))
        return found

    def allows(self, host: str, port: int) -> bool:
        """Whether the user named this host."""
        name = host.rstrip(".").lower()
        return name in self._allowed or f"{name}:{port}" in self._allowed

    async def addresses(self, host: str, port: int) -> tuple[str, ...]:
        """The addresses of `host`, every one of them checked, in the resolver's order."""
        literal = _literal(host)
        found = (literal,) if literal is not None else await self._look_up(host, port)
        if not self.allows(host, port):
            _refuse_private(host, found)
        return tuple(dict.fromkeys(str(address) for address in found))

    async def _look_up(self, host: str, port: int) -> tuple[Address, ...]:
        try:
            texts = await self._resolve(host.rstrip("."), port)
        except socket.gaierror as error:
            again = error.errno == socket.EAI_AGAIN
            raise SourceLost(f"the host {host} was not found", retryable=again) from error
        except (UnicodeError, OSError) as error:
            raise SourceLost(f"the host {host} could not be looked up: {error}") from error
        if not texts:
            raise SourceLost(f"the host {host} has no address")
        return tuple(ip_address(text) for text in texts)


async def system_addresses(host: str, port: int) -> Sequence[str]:
    """What the system's resolver says."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(entry[4][0]) for entry in found]


def is_public(address: Address) -> bool:
    """Whether an address is on the open internet, with any IPv4 address hidden in it."""
    if isinstance(address, IPv6Address):
        hidden = tuple(_hidden(address))
        if hidden:
            return all(is_public(inner) for inner in hidden)
    outside = address.is_global and not (
        address.is_private
        or address.is_loopback
        or address.is_link_local
        or address.is_multicast
        or address.is_reserved
        or address.is_unspecified
    )
    return outside and not any(address in block for block in _INSIDE)


def _hidden(address: IPv6Address) -> Iterator[IPv4Address]:
    """The IPv4 addresses that an IPv6 address stands for."""
    if address.ipv4_mapped is not None:
        yield address.ipv4_mapped
    if address.sixtofour is not None:
        yield address.sixtofour
    if address.teredo is not None:
        yield from address.teredo
    if address in _NAT64 or (address in _COMPATIBLE and int(address) > 1):
        yield IPv4Address(int(address) & 0xFFFFFFFF)


def _refuse_private(host: str, addresses: Iterable[Address]) -> None:
    for address in addresses:
        if not is_public(address):
            shown = host if str(address) == host else f"{host} ({address})"
            raise SourceLost(
                f"{shown} is not a public address; allow it with fetch_allow_hosts if it is yours"
            )


def parse(url: str) -> Target:
    """A web address in one spelling, or `SourceLost` when it is none."""
    text = url.strip().replace(" ", "%20")
    if len(text) > MAX_URL_CHARS or any(ord(char) < 32 or ord(char) == 127 for char in text):
        raise SourceLost(f"not a web address: {_shown(url)}")
    try:
        parts = urlsplit(text)
        host, port = parts.hostname or "", parts.port
        path, query = quote(parts.path or "/", safe=_AS_IS), quote(parts.query, safe=_AS_IS)
    except ValueError as error:
        raise SourceLost(f"not a web address: {_shown(url)} ({error})") from error
    scheme = parts.scheme.lower()
    if scheme not in PORTS:
        raise SourceLost(f"only http and https are fetched, not {_shown(url)}")
    if "@" in parts.netloc or "\\" in parts.netloc:
        raise SourceLost(f"an address with a user name in it is not fetched: {parts.hostname}")
    name = _ascii_host(host)
    port = PORTS[scheme] if port is None else port
    netloc = _netloc(name, port, scheme)
    clean = urlunsplit((scheme, netloc, path, query, ""))
    return Target(clean, scheme, name, port)


def _shown(url: str) -> str:
    return repr(url if len(url) <= 200 else url[:200] + "…")


def _netloc(host: str, port: int, scheme: str) -> str:
    name = f"[{host}]" if ":" in host else host
    return name if port == PORTS[scheme] else f"{name}:{port}"


def _ascii_host(host: str) -> str:
    """The host in the one spelling that is checked, sent and connected to."""
    literal = _literal(host)
    if literal is not None:
        return str(literal)
    try:
        # Full-width digits and the like may only now be a number.
        url = httpx2.URL(scheme="http", host=unicodedata.normalize("NFKC", host))
        name = url.raw_host.decode("ascii").lower()
    except httpx2.InvalidURL as error:
        raise SourceLost(f"not a host name: {host!r}") from error
    literal = _literal(name)
    if literal is not None:
        return str(literal)
    if len(name) > 253 or not _NAME.fullmatch(name):
        raise SourceLost(f"not a host name: {host!r}")
    return name


def _literal(host: str) -> Address | None:
    """The address that `host` spells, in any of the ways a resolver understands; else None."""
    try:
        return ip_address(host)
    except ValueError:
        pass
    text = host.removesuffix(".")
    if not _NUMBER.fullmatch(text.rpartition(".")[2]):
        return None
    try:
        return IPv4Address(socket.inet_aton(text))  # as `127.1`, `0x7f.1` and `2130706433` are read
    except OSError as error:
        raise SourceLost(f"not a host name: {host!r}") from error
