"""Which files of a folder are read: not those behind links out of it, no secrets."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from fnmatch import translate
from pathlib import Path
from typing import Literal, NamedTuple

from leadline.errors import BadInput

Kind = Literal["secret", "format", "size", "unreadable"]

# What programs make; in `_sources` Sphinx and Jupyter Book keep the source beside every page.
_GENERATED = {"_sources", "node_modules", "__pycache__", "venv", "site-packages", "lost+found"}
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


class File(NamedTuple):
    """A file of the folder: its name there as text that can be printed, and where it lies.

    One that is asked for `by_name` is left out for nothing that looks like a secret.
    """

    url: str
    path: str = ""
    size: int = 0
    mtime: int = 0
    left_out: Reason | None = None
    by_name: bool = False


def list_files(docs: Path) -> list[File]:
    """Every file below `docs` in a fixed order, those that are left out with the reason; or `docs`
    itself where it is a file. Hidden and generated folders are passed by."""
    root = docs.resolve()
    if root.is_file():
        info = root.stat()
        name = _printable(root.name)
        return [File(name, str(root), info.st_size, info.st_mtime_ns, by_name=True)]
    if not root.exists():
        raise BadInput(f"there is no folder or file {docs}")
    if not root.is_dir():
        raise BadInput(f"--docs wants a folder or a file, and {docs} is neither")
    try:
        next(root.iterdir(), None)
    except OSError as error:
        raise BadInput(f"the folder {docs} cannot be read: {error.strerror}") from error
    return list(_walk(str(root)))


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


def read_bytes(path: str, most: int) -> tuple[bytes, int, int]:
    """Content, size and time; never through a link, never from a pipe, never without end."""
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(handle, "rb") as stream:
        info = os.fstat(handle)
        if not stat.S_ISREG(info.st_mode):
            raise OSError(0, "not a regular file")
        return stream.read(most), info.st_size, info.st_mtime_ns


def _walk(root: str) -> Iterator[File]:
    prefix = f"{root.rstrip('/')}/"
    folders = [root]
    while folders:
        folder = folders.pop()
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError as error:
            why = f"the folder cannot be read: {error.strerror}"
            yield _left_out(folder.removeprefix(prefix), "unreadable", why)
            continue
        below = list[str]()
        for entry in entries:
            if why := secret_name(entry.name):  # a secret folder counts as one file
                yield _left_out(entry.path.removeprefix(prefix), "secret", why)
            elif entry.name.startswith("."):
                continue
            elif not entry.is_dir(follow_symlinks=False):
                yield from _file(entry, prefix)
            elif entry.name not in _GENERATED:
                below.append(entry.path)
        folders += reversed(below)


def _file(entry: os.DirEntry[str], prefix: str) -> Iterator[File]:
    """The file, or why it is left out; nothing of a link inside the folder, whose target is met
    anyway."""
    name = entry.path.removeprefix(prefix)
    try:
        info = entry.stat(follow_symlinks=False)
    except OSError as error:
        yield _left_out(name, "unreadable", f"cannot be read: {error.strerror}")
        return
    if stat.S_ISREG(info.st_mode):
        yield File(_printable(name), entry.path, info.st_size, info.st_mtime_ns)
    elif not entry.is_symlink():
        yield _left_out(name, "unreadable", "not a regular file")
    elif not (target := Path(os.path.realpath(entry.path))).exists():
        yield _left_out(name, "unreadable", "a symbolic link to nothing")
    elif not f"{target}/".startswith(prefix):
        yield _left_out(name, "unreadable", "a symbolic link that leaves the folder")


def _left_out(name: str, kind: Kind, why: str) -> File:
    return File(_printable(name), left_out=Reason(kind, why))


def _printable(name: str) -> str:
    """Odd bytes and control characters are escaped."""
    text = name.replace("\\", "\\\\")
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)
