"""Only public addresses are reached, whatever the spelling."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.errors import SourceLost
from leadline.web.addresses import Guard, is_public, parse

PRIVATE = (
    "127.0.0.1",
    "127.255.255.254",
    "10.0.0.1",
    "172.16.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "0.0.0.0",
    "0.1.2.3",
    "192.0.0.8",
    "192.88.99.1",
    "198.18.0.1",
    "203.0.113.5",
    "224.0.0.1",
    "239.255.255.250",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "fe80::1",
    "fc00::1",
    "fd12:3456::1",
    "fec0::1",
    "ff02::1",
    "::ffff:127.0.0.1",
    "::ffff:169.254.169.254",
    "::127.0.0.1",
    "2002:7f00:1::",  # 6to4 of 127.0.0.1
    "2002:a9fe:a9fe::",
    "64:ff9b::7f00:1",  # NAT64 of 127.0.0.1
    "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::1",
    "2001:0:7f00:1::",  # Teredo
    "2001:db8::1",
    "100::1",
)
PUBLIC = ("8.8.8.8", "93.184.216.34", "2606:2800:220:1::1", "64:ff9b::808:808", "1.1.1.1")


def answers(*addresses: str) -> Guard:
    async def resolve(host: str, port: int) -> Sequence[str]:
        return addresses

    return Guard(resolve=resolve)


@pytest.mark.contract("E4")
@pytest.mark.parametrize("address", PRIVATE)
def test_a_name_that_leads_inside_is_refused(address: str) -> None:
    with pytest.raises(SourceLost, match="not a public address"):
        asyncio.run(answers(address).addresses("site.example", 80))


@pytest.mark.contract("E4")
@pytest.mark.parametrize("address", PUBLIC)
def test_a_public_address_passes(address: str) -> None:
    assert asyncio.run(answers(address).addresses("site.example", 80)) == (address,)


@pytest.mark.contract("E4")
def test_one_private_address_among_public_ones_is_enough_to_refuse() -> None:
    guard = answers("93.184.216.34", "10.0.0.1")
    with pytest.raises(SourceLost, match=r"10\.0\.0\.1"):
        asyncio.run(guard.addresses("site.example", 80))


@pytest.mark.contract("E4")
@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/",
        "http://127.1/",
        "http://2130706433/",
        "http://0x7f000001/",
        "http://0x7f.0.0.1/",
        "http://0177.0.0.01/",
        "http://017700000001/",
        "http://127.0.0.1./",
        "http://[::1]/",
        "http://[::ffff:127.0.0.1]/",
        "http://①②⑦.⓪.⓪.①/",
        "http://１２７.0.0.1/",
        "http://127。0。0。1/",
        "http://169.254.169.254/latest/meta-data/",
        "http://0/",
        "http://[::]/",
    ],
)
def test_no_spelling_of_a_private_address_passes(url: str) -> None:
    with pytest.raises(SourceLost):
        Guard().target(url)


@pytest.mark.contract("E4")
@pytest.mark.parametrize(
    "url",
    [
        "ftp://site.example/",
        "file:///etc/passwd",
        "gopher://site.example/",
        "javascript:alert(1)",
        "data:text/html,x",
        "site.example/page",
        "http://",
        "http:///path",
        "http://user@site.example/",
        "http://user:secret@site.example/",
        "http://site.example\\@127.0.0.1/",
        "http://site.example:99999/",
        "http://site.example:port/",
        "http://[::1/",
        "http://fe80::1%25eth0/",
        "http://1.2.3.4.5/",
        "http://256.256.256.256/",
        "http://0x100000000/",
        "http://a..b/",
        "http://si te.example/",
        "http://site.example/\nX: y",
        "http://" + "a" * 9000,
        "",
    ],
)
def test_what_is_no_web_address_is_lost_and_not_a_crash(url: str) -> None:
    with pytest.raises(SourceLost):
        Guard().target(url)


def test_a_password_in_an_address_is_not_repeated_in_the_message() -> None:
    with pytest.raises(SourceLost) as lost:
        Guard().target("http://user:hunter2@site.example/")
    assert "hunter2" not in str(lost.value)


@pytest.mark.parametrize(
    ("url", "host", "port", "clean"),
    [
        ("HTTP://Site.Example:80/a b#x", "site.example", 80, "http://site.example/a%20b"),
        ("https://bücher.example/", "xn--bcher-kva.example", 443, "https://xn--bcher-kva.example/"),
        ("https://site.example.", "site.example.", 443, "https://site.example./"),
        ("http://a_b.site.example:8080?q=1", "a_b.site.example", 8080,
         "http://a_b.site.example:8080/?q=1"),
        ("http://[2606:2800:220:1::1]:81/", "2606:2800:220:1::1", 81,
         "http://[2606:2800:220:1::1]:81/"),
        ("http://0x8.8.8.8/", "8.8.8.8", 80, "http://8.8.8.8/"),
    ],
)  # fmt: skip
def test_an_address_is_brought_to_one_spelling(url: str, host: str, port: int, clean: str) -> None:
    found = parse(url)
    assert (found.host, found.port, found.url) == (host, port, clean)


@pytest.mark.contract("E4")
@pytest.mark.parametrize(
    ("allowed", "host", "port", "passes"),
    [
        ("intranet.example", "intranet.example", 80, True),
        ("Intranet.Example.", "intranet.example", 8443, True),
        ("intranet.example:8080", "intranet.example", 8080, True),
        ("intranet.example:8080", "intranet.example", 80, False),
        ("intranet.example", "other.intranet.example", 80, False),
        ("127.0.0.1:8000", "127.0.0.1", 8000, True),
        ("127.0.0.1:8000", "127.0.0.1", 8001, False),
        ("[::1]:80", "::1", 80, True),
        ("::1", "::1", 80, True),
    ],
)
def test_a_private_host_is_allowed_by_its_name(
    allowed: str, host: str, port: int, passes: bool
) -> None:
    async def resolve(host: str, port: int) -> Sequence[str]:
        return ["10.0.0.7"]

    guard = Guard([allowed], resolve)
    assert guard.allows(host, port) is passes
    if passes:
        assert asyncio.run(guard.addresses(host, port))
    else:
        with pytest.raises(SourceLost):
            asyncio.run(guard.addresses(host, port))


def test_a_name_that_does_not_exist_is_lost() -> None:
    async def resolve(host: str, port: int) -> Sequence[str]:
        raise socket.gaierror(socket.EAI_NONAME, "not known")

    with pytest.raises(SourceLost, match="was not found") as lost:
        asyncio.run(Guard(resolve=resolve).addresses("nowhere.example", 80))
    assert not lost.value.retryable


def test_a_resolver_that_is_busy_may_be_asked_again() -> None:
    async def resolve(host: str, port: int) -> Sequence[str]:
        raise socket.gaierror(socket.EAI_AGAIN, "try again")

    with pytest.raises(SourceLost) as lost:
        asyncio.run(Guard(resolve=resolve).addresses("slow.example", 80))
    assert lost.value.retryable


@given(st.integers(0, 2**32 - 1))
def test_an_address_written_as_one_number_is_the_address(number: int) -> None:
    address = ipaddress.IPv4Address(number)
    if is_public(address):
        assert Guard().target(f"http://{number}/").host == str(address)
    else:
        with pytest.raises(SourceLost):
            Guard().target(f"http://{number}/")


@given(st.integers(0, 2**32 - 1))
def test_wrapping_an_address_in_ipv6_changes_nothing(number: int) -> None:
    inner = ipaddress.IPv4Address(number)
    for base in (0xFFFF << 32, 0x64FF9B << 96):
        assert is_public(ipaddress.IPv6Address(base | number)) == is_public(inner)


@given(st.text(max_size=60))
def test_any_text_is_an_address_or_lost(text: str) -> None:
    for url in (text, f"http://{text}/", f"https://site.example/{text}"):
        try:
            found = parse(url)
        except SourceLost:
            continue
        assert found.scheme in ("http", "https")
        assert parse(found.url) == found
