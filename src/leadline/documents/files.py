"""Which files of a folder are read: not those behind links out of it, no secrets, no twins."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator
from fnmatch import translate
from pathlib import Path
from typing import Literal, NamedTuple

from leadline.errors import BadInput

SKIPPED_FOLDERS = frozenset(
    {"node_modules", "__pycache__", "venv", "site-packages", "lost+found", "$RECYCLE.BIN"}
)
Kind = Literal["secret", "twin", "format", "size", "unreadable"]

_HEAD_BYTES = 20_000_000
# Where programs keep what nobody else may see, by their own documentation.
_SECRET_FOLDERS = frozenset({".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".gcloud"})
_SECRET_FILES = {
    "a private key": "id_rsa id_dsa id_ecdsa id_ed25519 *.pem *.p12 *.pfx *.ppk *.ovpn",
    "a store of keys or passwords": "*.kdb *.kdbx *.keystore *.jks .htpasswd htpasswd secring.gpg",
    "a file of environment variables": ".env* *.env",
    "a file of credentials": (
        ".netrc _netrc .pgpass .my.cnf .git-credentials .npmrc .pypirc .dockercfg credentials"
        " credentials.json credentials.db access_tokens.db application_default_credentials.json"
        " kubeconfig *.kubeconfig *.tfstate secrets.json secrets.toml secrets.yaml secrets.yml"
    ),
    "a history of commands": ".*_history .history .viminfo .lesshst fish_history",
}
_SECRET_NAMES = [
    (why, re.compile("|".join(map(translate, names.split()))))
    for why, names in _SECRET_FILES.items()
]
# A whole key, not the mention of one: the first line, headers of an old one, then its letters.
_PRIVATE_KEY = re.compile(
    r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"
    r"(?:\s|\\[rn])*(?:[A-Za-z-]+: [^\n]*\s+)*[A-Za-z0-9+/=]{40}"
)


class Reason(NamedTuple):
    """Why a file is left out."""

    kind: Kind
    why: str


class Found(NamedTuple):
    """A file below the folder, by its path there as the system spells it."""

    path: bytes
    size: int = 0
    mtime: int = 0
    left_out: Reason | None = None

    @property
    def url(self) -> str:
        """The path as text that can be printed: odd bytes and control characters are escaped."""
        text = self.path.decode("utf-8", "surrogateescape").replace("\\", "\\\\")
        if text.isprintable():
            return text
        return "".join(c if c.isprintable() else _escaped(c) for c in text)


def _escaped(char: str) -> str:
    code = ord(char)
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    return char.encode("unicode_escape").decode("ascii")


def secret_name(path: str) -> str:
    """What of a secret a file or folder of this name holds; empty for any other."""
    *folders, name = path.lower().split("/")
    if any(part in _SECRET_FOLDERS for part in (*folders, name)):
        return "a folder of credentials"
    return next((why for why, pattern in _SECRET_NAMES if pattern.match(name)), "")


def holds_private_key(text: str) -> bool:
    return "PRIVATE KEY" in text and _PRIVATE_KEY.search(text) is not None


def is_shown(path: Path, folder: Path) -> bool:
    """Whether whoever may see `folder` may name `path` below it: a folder, or a file that is
    neither hidden nor a secret."""
    parts = path.relative_to(folder).parts
    if any(part.startswith(".") or secret_name(part) for part in parts):
        return False
    if not path.is_file():
        return path.is_dir()
    try:
        head, _, _ = read_bytes(str(path), _HEAD_BYTES)
    except OSError:
        return False
    return not holds_private_key(head.decode("latin-1"))


def list_files(docs: Path) -> list[Found]:
    """Every file below `docs` in a fixed order, those that are left out with the reason.

    Hidden and generated folders are passed by. Where `docs` is a file it is the only one, and
    left out for nothing in its name: it was asked for.
    """
    root = os.path.realpath(os.fsencode(docs))
    if os.path.isfile(root):  # noqa: PTH113 - bytes
        info = os.stat(root)  # noqa: PTH116
        return [Found(os.path.basename(root), info.st_size, info.st_mtime_ns)]  # noqa: PTH119
    try:
        with os.scandir(root):
            pass
    except FileNotFoundError:
        raise BadInput(f"there is no folder or file {docs}") from None
    except NotADirectoryError:
        raise BadInput(f"--docs wants a folder or a file, and {docs} is neither") from None
    except OSError as error:
        raise BadInput(f"the folder {docs} cannot be read: {error.strerror}") from error
    return list(_without_sources(list(_walk(root))))


def _walk(root: bytes) -> Iterator[Found]:
    unread: list[Found] = []

    def note(error: OSError) -> None:
        path = os.path.relpath(error.filename, root)
        why = f"the folder cannot be read: {error.strerror}"
        unread.append(Found(path, left_out=Reason("unreadable", why)))

    for folder, folders, names in os.walk(root, onerror=note):
        inside = folder[len(root) :].lstrip(b"/")
        below = sorted(folders)
        folders[:] = [name for name in below if _is_entered(os.path.join(folder, name), name)]  # noqa: PTH118
        # A link to a folder stands among the folders; a secret one is counted as one file.
        others = [name for name in below if name not in folders]
        for name in [*others, *sorted(names)]:
            found = _found(os.path.join(folder, name), os.path.join(inside, name), root)  # noqa: PTH118
            if found is not None:
                yield found
    yield from unread


def _is_entered(path: bytes, name: bytes) -> bool:
    if name.startswith(b".") or os.fsdecode(name) in SKIPPED_FOLDERS:
        return False
    return not os.path.islink(path)  # noqa: PTH114 - bytes


def _found(full: bytes, path: bytes, root: bytes) -> Found | None:
    """The file at `full`; None where nothing is said of it."""
    name = os.path.basename(full)  # noqa: PTH119 - bytes
    if why := secret_name(os.fsdecode(name)):
        return Found(path, left_out=Reason("secret", why))
    try:
        info = os.lstat(full)
    except OSError as error:
        return Found(path, left_out=Reason("unreadable", f"cannot be read: {error.strerror}"))
    if name.startswith(b".") or stat.S_ISDIR(info.st_mode):  # a generated folder
        return None
    if stat.S_ISLNK(info.st_mode):
        return _link(full, path, root)
    if stat.S_ISREG(info.st_mode):
        return Found(path, info.st_size, info.st_mtime_ns)
    return Found(path, left_out=Reason("unreadable", "not a regular file"))


def _link(full: bytes, path: bytes, root: bytes) -> Found | None:
    """A link inside the folder is passed by, since its target is met anyway."""
    target = os.path.realpath(full)
    if not os.path.exists(target):  # noqa: PTH110 - bytes
        return Found(path, left_out=Reason("unreadable", "a symbolic link to nothing"))
    if target == root or target.startswith(root.rstrip(b"/") + b"/"):
        return None
    return Found(path, left_out=Reason("unreadable", "a symbolic link that leaves the folder"))


def _without_sources(files: list[Found]) -> Iterator[Found]:
    """Leaves out what a documentation tool keeps beside each page that it made: the page's source.

    Sphinx and Jupyter Book write `_sources/a/b.rst.txt` for `a/b.html`.
    """
    paths = {file.path for file in files}
    for file in files:
        page = next((page for page in _rendered(file.path) if page in paths), None)
        if page is None or file.left_out:
            yield file
        else:
            why = Reason("twin", f"the source of {Found(page).url}")
            yield Found(file.path, left_out=why)


def _rendered(path: bytes) -> Iterable[bytes]:
    """Where the page made of a source may lie."""
    above, mark, below = (b"/" + path).rpartition(b"/_sources/")
    if not mark:
        return ()
    stem = (above + b"/" + below.removesuffix(b".txt").rpartition(b".")[0]).lstrip(b"/")
    return (stem + b".html", stem + b"/index.html")


def read_bytes(path: str, most: int) -> tuple[bytes, int, int]:
    """Content, size and time; never through a link, never from a pipe, never without end."""
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(handle, "rb") as stream:
        info = os.fstat(handle)
        if not stat.S_ISREG(info.st_mode):
            raise OSError(0, "not a regular file")
        return stream.read(most), info.st_size, info.st_mtime_ns
