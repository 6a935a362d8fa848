"""A packed body comes out whole, however it is cut on the way, or it says why not."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable

import brotli  # type: ignore[import-untyped]
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.net.asking import BrokenOff, Garbled
from leadline.net.unpack import PIECE, Unpacker

_PACKS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "raw": lambda data: zlib.compress(data, wbits=-15),
    "br": brotli.compress,
    "gzip, br": lambda data: brotli.compress(gzip.compress(data)),
}


def unpacked(name: str, packed: bytes, size: int = 1 << 16) -> bytes:
    unpacker = Unpacker("deflate" if name == "raw" else name)
    cuts = [packed[at : at + size] for at in range(0, len(packed), size)]
    text = b"".join(part for cut in cuts for part in unpacker.unpacked(cut))
    unpacker.end()
    return text


@given(st.binary(max_size=3_000), st.sampled_from([*_PACKS]), st.integers(1, 99))
def test_a_body_is_unpacked_the_same_however_it_is_cut(text: bytes, name: str, size: int) -> None:
    assert unpacked(name, _PACKS[name](text), size) == text


@pytest.mark.contract("E4")
@given(
    st.binary(min_size=1, max_size=3_000), st.sampled_from([*_PACKS]), st.integers(1, 99), st.data()
)
def test_a_body_that_ends_before_its_packing_does_is_broken_off(
    text: bytes, name: str, size: int, data: st.DataObject
) -> None:
    packed = _PACKS[name](text)
    cut = data.draw(st.integers(1, len(packed) - 1))
    with pytest.raises(BrokenOff):
        unpacked(name, packed[:cut], size)


def test_a_body_that_is_not_there_is_no_packed_one_that_broke_off() -> None:
    for name in _PACKS:
        assert unpacked(name, b"") == b""


@given(st.lists(st.binary(max_size=99), min_size=1, max_size=5), st.integers(1, 99))
def test_all_members_of_a_gzip_are_read_and_what_follows_them_is_not(
    texts: list[bytes], size: int
) -> None:
    packed = b"".join(gzip.compress(text) for text in texts)
    for after in (b"", bytes(9), b"\x1f", b"rubbish"):
        assert unpacked("gzip", packed + after, size) == b"".join(texts)


def test_zeros_may_stand_between_the_members_of_a_gzip() -> None:
    assert unpacked("gzip", gzip.compress(b"a") + bytes(700) + gzip.compress(b"b"), 64) == b"ab"


def test_a_gzip_of_countless_members_is_garbled() -> None:
    member = gzip.compress(b"")
    assert unpacked("gzip", member * 500) == b""
    with pytest.raises(Garbled, match="members"):
        unpacked("gzip", member * 50_000)


@pytest.mark.parametrize("length", [PIECE - 1, PIECE, PIECE + 1, 3 * PIECE])
@pytest.mark.parametrize("name", [*_PACKS])
def test_nothing_is_held_back_where_a_piece_is_just_full(name: str, length: int) -> None:
    assert unpacked(name, _PACKS[name](bytes(length))) == bytes(length)


@pytest.mark.parametrize("pack", [gzip.compress, brotli.compress])
def test_a_bomb_comes_out_in_small_pieces(pack: Callable[[bytes], bytes]) -> None:
    unpacker = Unpacker("br" if pack is brotli.compress else "gzip")
    sizes = [len(part) for part in unpacker.unpacked(pack(bytes(20_000_000)))]
    assert sum(sizes) == 20_000_000
    assert max(sizes) <= 2 * PIECE
