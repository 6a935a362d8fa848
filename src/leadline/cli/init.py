"""`leadline init`: a settings file to start from, with what was asked for set and the rest told."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING

import click

from leadline.cli.common import say

if TYPE_CHECKING:
    from leadline.settings import Settings

_WIDTH = 96

# What most people change, in the order in which they come to it.
_TOLD = {
    "What is searched": ("docs", "web", "search_providers", "searxng_url", "fetch_allow_hosts"),
    "Who writes": ("model", "model_base_url", "evaluator_model", "max_cost"),
    "How far a question goes": ("tier", "policy", "max_queries", "max_execution_time_s"),
    "What stays": ("data_dir", "search_cache_ttl_s", "memory", "memory_project"),
}


@click.command()
@click.argument("folder", default=".", type=click.Path(path_type=Path))
@click.option("--docs", multiple=True, metavar="PATH", help="Folder or file to search; repeatable.")
@click.option(
    "--provider", "providers", multiple=True, metavar="NAME", help="Search the web with this one."
)
@click.option("--model", metavar="MODEL", help="Write with this model, such as ollama:qwen3.")
@click.option("--tier", metavar="TIER", help="simple, standard or deep.")
@click.option("--data-dir", metavar="DIR", help="Where runs, indexes and logs are to be kept.")
@click.option("--force", is_flag=True, help="Replace the file that is there.")
def init(
    folder: Path,
    docs: tuple[str, ...],
    providers: tuple[str, ...],
    model: str | None,
    tier: str | None,
    data_dir: str | None,
    force: bool,
) -> None:
    """Write a leadline.toml into FOLDER (here, unless said otherwise).

    What is asked for is set in it, and what most people change stands there as a comment with its
    default. Keys belong into the environment or a file of their own, never in here. The file is
    trusted as it is written; once you change it: leadline trust.
    """
    from leadline.errors import BadInput
    from leadline.settings import CONFIG_NAME, Settings, changed, trusted_files

    asked = {"docs": docs, "search_providers": providers, "model": model, "tier": tier}
    given = {name: value for name, value in (asked | {"data_dir": data_dir}).items() if value}
    _refuse_missing(changed(Settings(), given, flags=True))
    path = folder / CONFIG_NAME
    try:
        with path.open("w" if force else "x", encoding="utf-8") as file:
            file.write(_file({name: _beside(folder, name, one) for name, one in given.items()}))
    except FileExistsError:
        raise BadInput(f"{path} is there already; replace it with --force") from None
    except OSError as error:
        raise BadInput(f"cannot write {path}: {error.strerror}") from error
    with suppress(OSError, BadInput):  # else it is asked for when it is met
        trusted_files().add(path, path.read_bytes())
    say(f'Wrote {path}. Next: leadline doctor, then leadline "your question"\n')


def _refuse_missing(settings: Settings) -> None:
    """What is not there or has no such name is most often a slip of the hand."""
    from leadline.errors import BadInput
    from leadline.kit import refuse_unknown_providers
    from leadline.models.providers import take_apart

    refuse_unknown_providers(settings)
    if settings.model:
        take_apart(settings.model)
    for docs in settings.docs:
        if not docs.exists():
            raise BadInput(f"--docs: {docs} is not a folder or file")


def _beside(folder: Path, name: str, value: object) -> object:
    """Paths are told from where the file lies, as they will be read."""
    if isinstance(value, tuple):
        return tuple(_beside(folder, name, one) for one in value)
    if name not in ("docs", "data_dir") or str(value).startswith("~"):
        return value
    home, path = folder.resolve(), Path(str(value)).resolve()
    return str(path.relative_to(home) if path.is_relative_to(home) else path)


def _file(given: dict[str, object]) -> str:
    from leadline.settings import Settings

    lines = ["# Settings of Leadline; docs/reference/settings.md has all of them.", ""]
    for heading, names in _TOLD.items():
        lines += [f"# ── {heading} ".ljust(_WIDTH, "─"), ""]
        for name in names:
            field = Settings.declared[name]
            lines += wrap(
                field.description or "", _WIDTH, initial_indent="# ", subsequent_indent="# "
            )
            if name in given:
                lines += [f"{name} = {_toml(given[name])}", ""]
            else:
                lines += [f"# {name} = {_example(name)}", ""]
    return "\n".join(lines)


def _example(name: str) -> str:
    """The default, or where there is none, what one would write."""
    from leadline.settings import BY_TIER, Settings
    from leadline.types import Tier

    if name in BY_TIER:
        return str(BY_TIER[name][Tier.STANDARD])
    written: dict[str, object] = {
        "docs": ("docs",),
        "model": "ollama:qwen3",
        "evaluator_model": "ollama:gemma3",
        "tier": "standard",
        "web": True,
    }
    written |= {"data_dir": "~/.local/share/leadline", "searxng_url": "http://127.0.0.1:8080"}
    written |= {"model_base_url": "http://127.0.0.1:8000/v1", "fetch_allow_hosts": ("wiki.local",)}
    return _toml(written.get(name) or Settings.declared[name].default)


def _toml(value: object) -> str:
    """A value as TOML writes it, which for these few kinds is as JSON does."""
    return json.dumps(list(value) if isinstance(value, tuple) else value, ensure_ascii=False)
