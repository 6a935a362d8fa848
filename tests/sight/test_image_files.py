"""Which files may be opened as images, and which are refused with a reason (V2, X2)."""

from __future__ import annotations

import os
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.errors import SourceLost
from leadline.sight.images import ImageFiles, as_sent, decode
from pictures import claimed_png, encoded, png

KINDS = ("PNG", "JPEG", "GIF", "BMP", "WEBP")


def files(*folders: Path) -> ImageFiles:
    return ImageFiles(folders, 100_000, 1_000_000)


@pytest.mark.contract("V2")
def test_an_image_in_an_allowed_folder_is_opened(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "my chart.png").write_bytes(png())
    assert files(tmp_path).open(str(tmp_path / "deep" / "my chart.png")) == png()


@pytest.mark.contract("V2", "X2")
def test_a_file_elsewhere_is_refused_in_the_same_words_whether_it_is_there_or_not(
    tmp_path: Path,
) -> None:
    allowed, other = tmp_path / "allowed", tmp_path / "other"
    allowed.mkdir()
    other.mkdir()
    (other / "secret.png").write_bytes(png())
    said = set()
    for path in (other / "secret.png", other / "gone.png", allowed / ".." / "other" / "secret.png"):
        with pytest.raises(SourceLost, match="image_folders") as refused:
            files(allowed).open(str(path))
        said.add(str(refused.value))
    assert len(said) == 1
    assert files(allowed, other).open(str(other / "secret.png"))


@pytest.mark.contract("X2")
def test_a_link_out_of_the_folder_is_refused_and_one_inside_it_is_followed(tmp_path: Path) -> None:
    allowed, other = tmp_path / "allowed", tmp_path / "other"
    allowed.mkdir()
    other.mkdir()
    (other / "secret.png").write_bytes(png())
    (allowed / "real.png").write_bytes(png())
    (allowed / "out.png").symlink_to(other / "secret.png")
    (allowed / "folder").symlink_to(other)
    (allowed / "in.png").symlink_to(allowed / "real.png")
    for name in ("out.png", "folder/secret.png"):
        with pytest.raises(SourceLost, match="image_folders"):
            files(allowed).open(str(allowed / name))
    assert files(allowed).open(str(allowed / "in.png")) == png()


@pytest.mark.contract("V2")
def test_what_is_missing_a_folder_or_a_pipe_is_refused(tmp_path: Path) -> None:
    (tmp_path / "folder.png").mkdir()
    os.mkfifo(tmp_path / "pipe.png")
    for name, why in (
        ("gone", "No such file"),
        ("folder", "directory"),
        ("pipe", "regular file"),
    ):
        with pytest.raises(SourceLost, match=why):
            files(tmp_path).open(str(tmp_path / f"{name}.png"))
    with pytest.raises(SourceLost, match="no path"):
        files(tmp_path).open("~nobody-by-this-name/a.png")
    with pytest.raises(SourceLost, match="no path"):
        files(tmp_path).open("a\0b.png")


@pytest.mark.contract("V2")
def test_an_address_is_never_fetched(tmp_path: Path) -> None:
    for address in ("https://example.org/a.png", "file:///etc/a.png"):
        with pytest.raises(SourceLost, match="save it"):
            files(tmp_path).open(address)


@pytest.mark.contract("V2")
def test_a_large_file_and_a_bomb_are_refused_before_they_are_decoded(tmp_path: Path) -> None:
    (tmp_path / "large.png").write_bytes(png() + b"x" * 100_000)
    (tmp_path / "wide.png").write_bytes(claimed_png(1_001, 1_000, zlib.compress(b"\0" * 9999)))
    (tmp_path / "bomb.png").write_bytes(claimed_png(60_000, 60_000, zlib.compress(b"\0" * 9999)))
    with pytest.raises(SourceLost, match=r"0\.1 MB, at most 0\.1 .*image_max_mb"):
        files(tmp_path).open(str(tmp_path / "large.png"))
    with pytest.raises(SourceLost, match=r"1001 × 1000 pixels.*image_max_megapixels"):
        files(tmp_path).open(str(tmp_path / "wide.png"))
    with pytest.raises(SourceLost, match="too many pixels"):
        files(tmp_path).open(str(tmp_path / "bomb.png"))


@pytest.mark.contract("V2")
@pytest.mark.parametrize("data", [b"", b"just text", b"%PDF-1.7", b"<svg/>", b"\x89PNG\r\n\x1a\n"])
def test_what_is_no_image_is_refused_whatever_its_name(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a.png").write_bytes(data)
    with pytest.raises(SourceLost, match="image"):
        files(tmp_path).open(str(tmp_path / "a.png"))


@pytest.mark.contract("V2")
@pytest.mark.parametrize("kind", KINDS)
def test_a_cut_off_image_is_refused(kind: str, tmp_path: Path) -> None:
    data = encoded(kind, (200, 200))
    (tmp_path / "a.png").write_bytes(data[: len(data) // 2])
    with pytest.raises(SourceLost):
        decode(files(tmp_path).open(str(tmp_path / "a.png")))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("damaged")


@pytest.mark.contract("V2")
@given(kind=st.sampled_from(KINDS), data=st.data())
def test_a_damaged_image_is_opened_or_refused_but_never_breaks_us(
    folder: Path, kind: str, data: st.DataObject
) -> None:
    whole = bytearray(encoded(kind))
    for _ in range(data.draw(st.integers(1, 6))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    (folder / "a.png").write_bytes(whole)
    try:
        decode(files(folder).open(str(folder / "a.png")))
    except SourceLost:
        return


@pytest.mark.contract("X2")
def test_what_a_model_is_sent_is_small_and_holds_nothing_but_the_picture() -> None:
    import io

    from PIL import Image

    sink = io.BytesIO()
    about = Image.Exif()
    about[0x010E] = "taken at home"
    Image.new("RGB", (3000, 1000), "white").save(sink, "JPEG", exif=about)
    assert b"taken at home" in sink.getvalue()
    sent = as_sent(sink.getvalue(), 2000)
    assert decode(sent).width == 2000
    assert b"taken at home" not in sent
    assert as_sent(encoded("BMP"), 2000).startswith(b"\x89PNG")
