"""The zip of a run file: always the same bytes, and nothing hostile is ever read."""

from __future__ import annotations

import io
import stat
import struct
import subprocess
import sys
import warnings
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.bundle import container
from leadline.bundle.container import MANIFEST, pack, unpack
from leadline.errors import BadInput

NAMES = st.sampled_from(
    ["a.txt", "run.json", "pages/0f.txt", "pages/10.txt", "b_2", "prompts/x.md"]
)
SMALL = {MANIFEST: b"{}", "a.txt": b"hello", "pages/b.txt": b""}


def hostile(*entries: tuple[zipfile.ZipInfo | str, bytes], compress: int = 0) -> bytes:
    """A zip as Python's own module writes it, whatever is in it."""
    buffer = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(buffer, "w", compress) as archive:
        warnings.simplefilter("ignore")
        archive.writestr(MANIFEST, b"{}")
        for name, data in entries:
            archive.writestr(name, data)
    return buffer.getvalue()


def refused(data: bytes, why: str) -> None:
    with pytest.raises(BadInput, match=why):
        unpack(data, "x.leadline")


@pytest.mark.contract("W7")
@given(st.dictionaries(NAMES, st.binary(max_size=50), max_size=5))
def test_what_is_packed_comes_out_and_packs_to_the_same_bytes(files: dict[str, bytes]) -> None:
    files = files | {MANIFEST: b"{}"}
    data = pack(files)
    assert unpack(data, "x") == files
    assert pack(dict(reversed(list(files.items())))) == data


@pytest.mark.contract("W7")
def test_other_programs_read_the_zip(tmp_path: Path) -> None:
    path = tmp_path / "x.zip"
    path.write_bytes(pack(SMALL))
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        assert {name: archive.read(name) for name in archive.namelist()} == SMALL
    done = subprocess.run(
        [sys.executable, "-m", "zipfile", "-t", str(path)], capture_output=True, check=False
    )
    assert done.returncode == 0


@pytest.mark.contract("W7", "X2")
@pytest.mark.parametrize(
    "name",
    [
        *("/etc/passwd", "../up.txt", "pages/../../up.txt", "a//b", "C:\\x", "a\\..\\b", "pages/"),
        *(".a", "a/b/c.txt", "naïve.txt", "a b.txt", "A.txt", "x" * 121, "con\n.txt", "a\x00b.txt"),
    ],
)
def test_a_part_with_another_name_than_ours_is_refused(name: str) -> None:
    info = zipfile.ZipInfo("placeholder")
    info.filename = name
    refused(hostile((info, b"x")), "not a plain stored file")


@pytest.mark.contract("W7", "X2")
@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFDIR, stat.S_IFIFO, stat.S_IFCHR])
def test_links_and_devices_are_refused(kind: int) -> None:
    info = zipfile.ZipInfo("a.txt")
    info.external_attr = (kind | 0o777) << 16
    refused(hostile((info, b"/etc/passwd")), "not a plain stored file")


@pytest.mark.contract("W7")
def test_a_part_that_is_there_twice_is_refused() -> None:
    refused(hostile(("a.txt", b"one"), ("a.txt", b"two")), "not a plain stored file")


@pytest.mark.contract("W7", "E4")
@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_bomb_is_refused_before_anything_is_inflated(method: int) -> None:
    refused(hostile(("a.txt", b"\0" * 5_000_000), compress=method), "not a plain stored file")


@pytest.mark.contract("W7", "E4")
def test_parts_that_share_their_bytes_are_refused() -> None:
    """The other kind of bomb: many entries over one stretch of the file."""
    data = bytearray(pack({MANIFEST: b"{}", **{f"f{n:03}.txt": b"x" * 4000 for n in range(50)}}))
    at = data.find(b"PK\x01\x02")
    while at >= 0:  # every entry of the directory says that it is at the start and large
        data[at + 20 : at + 28] = struct.pack("<LL", 150_000, 150_000)
        data[at + 42 : at + 46] = struct.pack("<L", 0)
        at = data.find(b"PK\x01\x02", at + 1)
    refused(bytes(data), "not a plain stored file")


@pytest.mark.contract("W7", "E4")
def test_too_many_parts_and_too_large_a_manifest_are_refused() -> None:
    many = {f"f{n}.txt": b"" for n in range(container.MAX_FILES)}
    with pytest.raises(BadInput, match="too large"):
        pack({MANIFEST: b"", **many})
    refused(hostile(*((name, b"") for name in many)), "too many parts")
    refused(pack({MANIFEST: b" " * (container.MAX_MANIFEST + 1)}), "manifest.json is too large")


@pytest.mark.contract("W7")
@pytest.mark.parametrize("data", [b"", b"PK", b"no zip at all", b"PK\x05\x06" + b"\0" * 18])
def test_what_is_no_zip_or_has_no_manifest_is_refused(data: bytes) -> None:
    refused(data, "is not a run file")


@pytest.mark.contract("W7")
def test_a_file_cut_off_anywhere_is_refused() -> None:
    data = pack(SMALL)
    for size in range(len(data)):
        refused(data[:size], "no whole zip")


@pytest.mark.contract("W7")
def test_an_encrypted_part_is_refused() -> None:
    data = bytearray(pack(SMALL))
    at = data.find(b"PK\x01\x02")
    data[at + 8] |= 1
    refused(bytes(data), "not a plain stored file")


@given(st.binary(max_size=300))
def test_noise_is_refused_and_never_crashes(noise: bytes) -> None:
    refused(noise, "is not a run file")


@given(st.integers(0, len(pack(SMALL)) - 1), st.integers(1, 255))
def test_a_changed_byte_never_goes_unseen(at: int, by: int) -> None:
    data = bytearray(pack(SMALL))
    data[at] ^= by
    try:
        files = unpack(bytes(data), "x")
    except BadInput:
        return
    assert files != SMALL or pack(files) != bytes(data)
