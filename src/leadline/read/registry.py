"""Which reader takes which file: by suffix, and by a look at the bytes where that says nothing."""

from __future__ import annotations

from leadline.errors import SourceLost
from leadline.ports import Reader
from leadline.read.docx import DocxReader
from leadline.read.epub import EpubReader
from leadline.read.html import HtmlReader
from leadline.read.pdf import PdfReader
from leadline.read.pptx import PptxReader
from leadline.read.text import CodeReader, MarkdownReader, PlainReader, RestReader
from leadline.read.xlsx import XlsxReader
from leadline.types import Page

READERS: tuple[Reader, ...] = (
    PlainReader(),
    MarkdownReader(),
    RestReader(),
    HtmlReader(),
    PdfReader(),
    CodeReader(),
    DocxReader(),
    PptxReader(),
    XlsxReader(),
    EpubReader(),
)
_BY_SUFFIX = {suffix: reader for reader in READERS for suffix in reader.suffixes}
# Formats that are known not to be text: said at once, not opened.
_UNREAD = """
.png .jpg .jpeg .gif .bmp .webp .tif .tiff .ico .svg .heic .psd .mp3 .mp4 .wav .ogg .flac
.mov .avi .mkv .webm .zip .gz .bz2 .xz .zst .7z .rar .tar .tgz .jar .whl .exe .dll .so .dylib
.a .o .class .pyc .bin .iso .img .db .sqlite .parquet .npy .npz .pkl .pt .onnx .safetensors
.woff .woff2 .ttf .otf .eot .doc .ppt .xls .odt .ods .odp .mobi
.pages .key .numbers .lock
"""
UNREAD = frozenset(_UNREAD.split())
_OFFICE = ".doc .ppt .xls .odt .ods .odp .mobi .pages .key .numbers"
NO_TEXT = UNREAD - frozenset(_OFFICE.split())


def suffix_of(name: str) -> str:
    """The suffix in lower case, with its dot; a name that only begins with a dot has none."""
    stem, dot, last = name.rpartition("/")[2].rpartition(".")
    return f".{last.lower()}" if dot and stem and last else ""


def refused(name: str) -> str:
    """Why a file of this name is not opened at all; empty when it may be."""
    suffix = suffix_of(name)
    return f"the format {suffix} is not read" if suffix in UNREAD else ""


def read(data: bytes, name: str) -> Page:
    """The page that `data` of the file `name` holds. Raises `SourceLost`."""
    if why := refused(name):
        raise SourceLost(f"{name}: {why}")
    if not data.strip():
        raise SourceLost(f"{name} is empty")
    if data.startswith(b"%PDF-"):
        return PdfReader().read(data, name)
    return _BY_SUFFIX.get(suffix_of(name), READERS[0]).read(data, name)
