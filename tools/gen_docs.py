"""Writes docs/reference from the code: `python tools/gen_docs.py`, or `--check` to compare only."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from leadline.bounds import allowed
from leadline.cli.app import program
from leadline.cli.exits import MEANINGS
from leadline.cli.run import EXAMPLES
from leadline.fields.flags import flag_of
from leadline.fields.secret import SecretText
from leadline.settings import BY_TIER, CONFIG_NAME, PREFIX, Settings

PAGES = Path(__file__).resolve().parents[1] / "docs" / "reference"
NOTE = "<!-- Written by tools/gen_docs.py from the code; edit that. -->"


def settings_page() -> str:
    """Every setting with its default, what is allowed and what it does."""
    lines = [
        "# Settings",
        "",
        NOTE,
        "",
        f"A value comes from its default, then from `{CONFIG_NAME}` in the current folder (or the",
        f"file given with `--config`), then from a variable `{PREFIX}…` in the environment, then",
        "from the flag or the request; later wins. A wrong value or an unknown name is refused at",
        "the start with its name, where it was given, what was given and what is allowed.",
        "",
        f"In `{CONFIG_NAME}` a table is the first part of a name: `max_iters = 3` and",
        "`[max]` with `iters = 3` are the same. A relative path means relative to the file.",
        "",
        "| Setting | Default | Allowed | What it does |",
        "|---|---|---|---|",
    ]
    for name, field in Settings.declared.items():
        lines.append(f"| `{name}` | {default_of(name)} | {allowed(field)} | {field.description} |")
    lines += [
        "",
        "## Names in the environment and on the command line",
        "",
        "| Setting | Variable | Flag |",
        "|---|---|---|",
    ]
    flags = set(_flags(program.commands["run"]))
    for name in Settings.declared:
        variable = f"`{PREFIX}{name.upper()}`"
        if name == "chunk_budget":
            variable += " or `HARNESS_CHUNK_BUDGET`"
        flag = f"`{flag_of(name)}`" if flag_of(name) in flags else ""
        lines.append(f"| `{name}` | {variable} | {flag} |")
    lines += [
        "",
        "An empty variable counts as unset. `RESEARCH_DOCS` holds paths with `:` between, every",
        "other list has commas. Keys are never stored with a run, logged or shown.",
    ]
    lines += [
        "",
        "## What counts only once it is trusted",
        "",
        f"Of a `{CONFIG_NAME}` that is only found in the current folder these are left out until",
        "`leadline trust` ([safety](../safety.md#a-settings-file-that-came-with-a-folder)):",
        "",
        _names_that_need("yes") + ",",
        "and all settings of search providers of your own.",
        "",
        f"Folders outside that of the file are left out of {_names_that_need('outside')}.",
    ]
    return "\n".join(lines) + "\n"


def _names_that_need(trust: str) -> str:
    found = (f"`{name}`" for name, one in Settings.declared.items() if one.needs_trust == trust)
    return ", ".join(found)


def default_of(name: str) -> str:
    """The default of a setting, in words."""
    if name in BY_TIER:
        return ", ".join(f"{tier.value} {number}" for tier, number in BY_TIER[name].items())
    if name == "data_dir":
        return "`$XDG_DATA_HOME/leadline` or `~/.local/share/leadline`"
    default = Settings.declared[name].default
    if default is None:
        return "unset"
    if isinstance(default, SecretText) or default in ((), ""):
        return "none"
    if isinstance(default, tuple):
        return ", ".join(map(str, default))
    return f"{default:g}" if isinstance(default, float) else str(default).lower()


def cli_page() -> str:
    """Every command with its options, the examples and the exit codes."""
    lines = ["# Command line", "", NOTE, "", "## Examples", ""]
    for command, meaning in EXAMPLES:
        lines += [f"- `{command}`: {meaning}"]
    lines += ["", "## Exit codes", "", "| Code | Meaning |", "|---|---|"]
    lines += [f"| {code} | {meaning} |" for code, meaning in MEANINGS]
    for path, found in sorted(_commands(program, "leadline")):
        lines += ["", f"## `{path}`", "", *_command(found, path)]
    return "\n".join(lines) + "\n"


def _commands(group: click.Group, path: str) -> Iterator[tuple[str, click.Command]]:
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from _commands(command, f"{path} {name}")
        else:
            yield f"{path} {name}", command


def _command(command: click.Command, path: str) -> Iterator[str]:
    context = click.Context(command, info_name=path)
    yield from _prose(command.help or "")
    usage = " ".join(command.collect_usage_pieces(context))
    yield f"Usage: `{path} {usage}`"
    yield ""
    yield "| Option | What it does |"
    yield "|---|---|"
    for option in command.get_params(context):
        record = option.get_help_record(context)
        if record is not None:
            name, said = (part.replace("|", "\\|") for part in record)
            yield f"| `{name}` | {said} |"


def _prose(text: str) -> Iterator[str]:
    """The help text; what click must not wrap is a block of code here."""
    for paragraph in text.split("\n\n"):
        lines = [line.strip() for line in paragraph.splitlines() if line.strip()]
        if lines and lines[0] == "\b":
            yield from ("```", *lines[1:], "```", "")
        elif lines:
            yield from (" ".join(lines), "")


def _flags(command: click.Command) -> Iterator[str]:
    for option in command.params:
        yield from option.opts


def main() -> int:
    stale = []
    for name, text in (("settings.md", settings_page()), ("cli.md", cli_page())):
        path = PAGES / name
        if path.exists() and path.read_text("utf-8") == text:
            continue
        stale.append(name)
        if "--check" not in sys.argv:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
    if "--check" in sys.argv and stale:
        sys.stderr.write(f"out of date, run make docs: {', '.join(stale)}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
