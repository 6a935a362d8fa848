"""What `ddgs` says of a failure, in words for who has to do something about it."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from leadline.net.dialling import out_of_reach

if TYPE_CHECKING:
    from leadline.net.asking import Place

_NOBODY = re.compile(r"Connection refused|unreachable|No route to host|DNS")
_UNKNOWN = re.compile(r'Name\("([^"]+?)\.?"\)')
_ADDRESS = re.compile(r"https?://[^\s)]+")
_REFUSED = re.compile(r"CONNECT failed: HTTP/\S+ (\d+)")


def plainly(why: str) -> str:
    """Whether it is the network, the proxy or an engine; the library's own last words, if none."""
    proxy, unknown, refused = _proxy(), _UNKNOWN.search(why), _REFUSED.search(why)
    if proxy is not None and refused:
        return f"the proxy at http://{proxy.origin.netloc} refused ({refused[1]})"
    its_own = unknown is None or (proxy is not None and unknown[1] == proxy.origin.host)
    if proxy is not None and its_own and _NOBODY.search(why):
        return str(out_of_reach(proxy, why.lower()))
    if unknown:
        return (
            f"no network, as it seems: the name {unknown[1]} cannot be looked up; connect this "
            "machine, or name a proxy in HTTPS_PROXY"
        )
    address = _ADDRESS.search(why)
    engine = (urlsplit(address[0]).hostname if address else "") or "an engine"
    if _NOBODY.search(why):
        return f"no connection to {engine}; is this machine connected, or behind a proxy?"
    if "timed out" in why.lower():
        return f"{engine} did not answer in time"
    return why.rpartition(" > ")[2].strip(" \"')") or "no engine answered"


def _proxy() -> Place | None:
    """The proxy that it goes through: of its own variable, else of the system."""
    from urllib.request import getproxies

    from leadline.net.asking import NoAddress, place_of

    known = getproxies()
    with suppress(NoAddress):
        if address := known.get("ddgs") or known.get("https") or known.get("all"):
            return place_of(address)
    return None
