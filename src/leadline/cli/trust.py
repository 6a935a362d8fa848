"""`leadline trust`: let a settings file that came with its folder count as one's own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from leadline.cli.common import say

if TYPE_CHECKING:
    from leadline.fields.trust import TrustedFile


@click.command()
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.option("--list", "listed", is_flag=True, help="Show the files that are trusted.")
@click.option("--forget", is_flag=True, help="Trust FILE no longer.")
@click.option("--debug", is_flag=True, help="Show the traceback of an unexpected error.")
def trust(file: Path | None, listed: bool, forget: bool, debug: bool) -> None:
    """Let all settings of FILE count; ./leadline.toml, unless another is named.

    Until then a leadline.toml that is only found in the working folder may not run a command, name
    a server, a model, a key, a prompt, a host, code, a data folder or documents outside its
    folder. It is trusted as it stands: once it is changed, it has to be trusted again.
    """
    from leadline.settings import CONFIG_NAME, trusted_files

    if listed and (forget or file is not None):
        raise click.UsageError("--list shows all files; it takes neither FILE nor --forget")
    if listed:
        say("".join(map(_row, trusted_files())) or "No settings file is trusted.\n")
        return
    path = file or Path(CONFIG_NAME)
    path = path / CONFIG_NAME if path.is_dir() else path
    if forget:
        known = trusted_files().remove(path)
        say(f"{_shown(path)} {'is trusted no longer' if known else 'was not trusted'}.\n")
        return
    say("".join(f"{line}\n" for line in _trusted(path)))


def _trusted(path: Path) -> Iterator[str]:
    """Record the file; what counts of it from now on, line by line."""
    from leadline.errors import BadInput
    from leadline.fields.trust import read_config, setting_of, untrusted
    from leadline.settings import Settings, trusted_files

    content, values = read_config(path)
    try:
        trusted_files().add(path, content)
    except OSError as error:
        raise BadInput(f"cannot note that {path} is trusted: {error}") from error
    yield f"Trusted {_shown(path)} as it stands."
    theirs = [key for key in values if setting_of(key) not in Settings.declared]
    for name in (*untrusted(path, values, Settings.declared).left_out, *theirs):
        yield f"  {_value(name, values)}"


def _value(name: str, values: dict[str, Any]) -> str:
    from leadline.fields.addresses import bare
    from leadline.fields.trust import setting_of
    from leadline.render.safe import one_line
    from leadline.settings import is_secret

    if name not in values:  # one folder of several stands in the name
        return one_line(name)
    value = "(not shown)" if is_secret(setting_of(name)) else bare(repr(values[name]))
    return one_line(f"{name} = {value}")


def _row(one: TrustedFile) -> str:
    return f"{_state(one):<8} {_shown(one.path)}\n"


def _state(one: TrustedFile) -> str:
    """Whether it is still the file that was trusted."""
    from leadline.settings import trusted_files

    try:
        content = one.path.read_bytes()
    except OSError:
        return "gone"
    return "trusted" if trusted_files().holds(one.path, content) else "changed"


def _shown(path: Path) -> str:
    from leadline.render.safe import one_line

    return one_line(str(path.absolute()))
