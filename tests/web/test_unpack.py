"""A packed body comes out whole, or it says why not."""

from __future__ import annotations

import gzip
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.web.unpack import PIECE, UNPACKABLE, unpacked

_PACKS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "gzip, gzip": lambda data: gzip.compress(gzip.compress(data)),
    "identity": bytes,
}
_PACKINGS = [name for name in _PACKS if name != "identity"]


def unpack(name: str, packed: bytes, most: int = 10_000_000, cut: bool = False) -> bytes:
    return unpacked(packed, name, most, cut=cut)


@given(st.binary(max_size=3_000), st.sampled_from([*_PACKS]))
def test_a_body_is_unpacked(text: bytes, name: str) -> None:
    assert unpack(name, _PACKS[name](text)) == text


@pytest.mark.contract("E4")
@given(st.binary(min_size=1, max_size=3_000), st.sampled_from(_PACKINGS), st.data())
def test_a_body_that_ends_before_its_packing_does_is_seen(
    text: bytes, name: str, data: st.DataObject
) -> None:
    packed = _PACKS[name](text)
    start = packed[: data.draw(st.integers(2, len(packed) - 1))]
    with pytest.raises(EOFError):
        unpack(name, start)
    if "," not in name:
        assert text.startswith(unpack(name, start, cut=True))


def test_a_body_that_is_not_there_is_no_packed_one_that_broke_off() -> None:
    for name in _PACKS:
        assert unpack(name, b"") == b""


@given(st.lists(st.binary(max_size=99), min_size=1, max_size=5))
def test_all_members_of_a_gzip_are_read_and_what_follows_them_is_not(texts: list[bytes]) -> None:
    packed = b"".join(gzip.compress(text) for text in texts)
    for after in (b"", bytes(9), b"rubbish") if any(texts) else (b"", bytes(9)):
        assert unpack("gzip", packed + after) == b"".join(texts)


@pytest.mark.contract("E4")
@pytest.mark.parametrize("name", ["gzip", "br", "deflate", "zstd", "x"])
def test_a_body_that_is_not_packed_as_it_says_is_refused(name: str) -> None:
    with pytest.raises(UNPACKABLE):
        unpack(name, b"\x00no such thing")


@pytest.mark.contract("E4")
def test_a_body_in_more_packings_than_anybody_uses_is_refused() -> None:
    for layers, is_readable in ((5, True), (6, False), (1_500, False)):
        body = b"how deep is the sea?"
        for _ in range(layers):
            body = gzip.compress(body, 1)
        encoding = ",".join(["gzip"] * layers)
        if is_readable:
            assert unpack(encoding, body) == b"how deep is the sea?"
        else:
            with pytest.raises(ValueError, match="packed more than"):
                unpack(encoding, body)


@pytest.mark.contract("E4")
@pytest.mark.parametrize("name", _PACKINGS)
def test_a_bomb_is_given_up_when_it_is_larger_than_wanted(name: str) -> None:
    body = unpack(name, _PACKS[name](bytes(20_000_000)), most=100_000)
    assert 100_000 < len(body) <= 100_000 + 2 * PIECE
