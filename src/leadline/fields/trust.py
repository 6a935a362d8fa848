"""What of a settings file counts: all of one that was named or trusted; of one that was only found
in the working folder, nothing that could run a command or send something somewhere.

Such a file may have come with the folder. Its user trusts it by its place and its very words.
"""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from leadline.errors import BadInput
from leadline.fields.files import beside, flat
from leadline.fields.own import OwnNames
from leadline.fields.setting import Setting
from leadline.values import replace

_PROVIDERS = "search_providers"  # their own settings are known once their code is loaded


@dataclass(frozen=True)
class ConfigFile:
    """A settings file: what counts of it, each by its dotted name, and what was left out."""

    path: Path
    tables: Mapping[str, Any]
    found: bool = True  # there is one
    trusted: bool = True
    left_out: tuple[str, ...] = ()

    def without_own(self, named: OwnNames, declared: Collection[str]) -> ConfigFile:
        """The same without settings of providers of the user's own, which only they know to be
        harmless. Where the file named the providers itself, any unknown setting may be one."""
        unknown = [key for key in self.tables if setting_of(key) not in declared]
        theirs = [
            key for key in unknown if _PROVIDERS in self.left_out or setting_of(key) in named.names
        ]
        kept = {key: value for key, value in self.tables.items() if key not in theirs}
        return replace(self, tables=kept, left_out=(*self.left_out, *theirs))

    @property
    def notice(self) -> str:
        """Which file is in use, what of it does not count, and how it would."""
        path = _printable(self.path.absolute())
        if not self.left_out:
            return f"settings from {path}"
        names = ", ".join(map(_printable, self.left_out))
        return (
            f"settings from {path}, which is not trusted, so without: {names}. "
            f"Read it, and to let them count: leadline trust {shlex.quote(path)}"
        )


class TrustedFile(NamedTuple):
    """A settings file that was trusted as it stood then."""

    path: Path
    digest: str


class TrustedFiles:
    """Which settings files their user has trusted, each in a small file of `folder`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @classmethod
    def of(cls, env: Mapping[str, str]) -> TrustedFiles:
        """Those of the user whose environment this is. Kept in no data folder: a file names one."""
        home = Path(env.get("XDG_CONFIG_HOME", ""))
        if not home.is_absolute():
            try:
                home = Path(env.get("HOME") or Path.home()) / ".config"
            except RuntimeError as error:
                raise BadInput(f"{error}; set HOME, where trusted files are noted") from error
        return cls(home / "leadline" / "trusted")

    def holds(self, path: Path, content: bytes) -> bool:
        """Whether this file was trusted with exactly this content."""
        record = self._read(self._record(path))
        return record is not None and record == TrustedFile(_place(path), _digest(content))

    def add(self, path: Path, content: bytes) -> None:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        record = self._record(path)
        scratch = record.with_suffix(".part")
        scratch.write_text(json.dumps({"path": str(_place(path)), "sha256": _digest(content)}))
        scratch.replace(record)

    def remove(self, path: Path) -> bool:
        """Trust it no longer; whether it had been trusted."""
        record = self._record(path)
        known = record.exists()
        record.unlink(missing_ok=True)
        return known

    def __iter__(self) -> Iterator[TrustedFile]:
        for record in sorted(self._folder.glob("*.json")):
            if (one := self._read(record)) is not None:
                yield one

    def _record(self, path: Path) -> Path:
        return self._folder / f"{_digest(bytes(_place(path)))[:32]}.json"

    def _read(self, record: Path) -> TrustedFile | None:
        with suppress(OSError, ValueError, KeyError, TypeError):  # a damaged one trusts nothing
            row = json.loads(record.read_text("utf-8"))
            return TrustedFile(Path(row["path"]), str(row["sha256"]))
        return None


def open_config(
    named: Path | None,
    usual: Path,
    trusted_files: Callable[[], TrustedFiles],
    declared: Mapping[str, Setting],
) -> ConfigFile:
    """The file that was named; else the usual one where there is one, as far as it is trusted."""
    if named is not None:
        return ConfigFile(named, read_config(named)[1])
    if not usual.is_file():
        return ConfigFile(usual, {}, found=False)
    content, tables = read_config(usual)
    if trusted_files().holds(usual, content):
        return ConfigFile(usual, tables)
    return untrusted(usual, tables, declared)


def log_left_out(file: ConfigFile) -> None:
    """For programs: a line in their log, which is stderr where they have none."""
    if file.left_out:
        import logging

        logging.getLogger("leadline").warning(file.notice)


def read_config(path: Path) -> tuple[bytes, dict[str, Any]]:
    """The bytes of a settings file and its values by dotted name. Raises `BadInput`."""
    import tomllib

    try:
        content = path.read_bytes()
        return content, dict(flat(tomllib.loads(content.decode("utf-8"))))
    except OSError as error:
        raise BadInput(f"cannot read the settings file {path}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadInput(f"{path} is not valid TOML: {error}") from error


def untrusted(path: Path, tables: Mapping[str, Any], declared: Mapping[str, Setting]) -> ConfigFile:
    """A settings file without what counts only once it is trusted."""
    kept: dict[str, Any] = {}
    left_out: list[str] = []
    for key, value in tables.items():
        one = declared.get(setting_of(key))
        needs = "no" if one is None else one.needs_trust
        if needs == "no":
            kept[key] = value
        elif needs == "yes":
            left_out.append(key)
        else:
            folders = value if isinstance(value, list) else [value]
            inside = [folder for folder in folders if _is_inside(path, folder)]
            if inside:
                kept[key] = inside if isinstance(value, list) else value
            left_out += [f"{key} ({folder})" for folder in folders if folder not in inside]
    return ConfigFile(path, kept, trusted=False, left_out=tuple(left_out))


def setting_of(key: str) -> str:
    """The setting that a dotted name of a file means."""
    return key.replace(".", "_")


def _is_inside(path: Path, folder: object) -> bool:
    """Whether a folder lies where the file does, links resolved; a number is refused later on."""
    if not isinstance(folder, str):
        return True
    try:
        real = Path(str(beside(path, folder))).expanduser().resolve()
    except (OSError, RuntimeError, ValueError):  # links in a circle, an unknown user, a NUL
        return False
    return real.is_relative_to(path.parent.resolve())


def _place(path: Path) -> Path:
    """Where a file stands; its folder's links are resolved, its own is not: what it says is
    meant from where it stands."""
    return path.parent.resolve() / path.name


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _printable(text: object) -> str:
    return "".join(one if one.isprintable() else ascii(one)[1:-1] for one in str(text))
