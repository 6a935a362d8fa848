"""Where a report goes: a file by its suffix, the terminal, or a pipe; checked before the run."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from leadline.cli.common import Command, console, note, on_terminal, say

if TYPE_CHECKING:
    from leadline.types import AgentResponse


class Output(NamedTuple):  # not a dataclass: importing those is a tenth of the time of `--help`
    """What the user wants to see and keep."""

    files: tuple[Path, ...] = ()
    json: bool = False
    quiet: bool = False
    trace: Path | None = None

    @property
    def live(self) -> bool:
        """Is there a screen for the live view, and does the user want it?"""
        return not self.quiet and not self.json and on_terminal()


_OPTIONS = (
    click.option(
        "-o",
        "--output",
        "files",
        multiple=True,
        metavar="FILE",
        help="Write the report: .md .html .pdf .docx .json .bib .ris .csl.json; repeatable.",
    ),
    click.option("--json", "as_json", is_flag=True, help="Print everything as JSON."),
    click.option("-q", "--quiet", is_flag=True, help="The report and nothing else."),
    click.option("--trace", metavar="FILE", help="Write a trace that opens in Perfetto."),
)


def output_options(command: Command) -> Command:
    """Add the options that say where a report goes."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def output_from(given: dict[str, Any]) -> Output:
    """Take those options out; a wish that cannot be met is refused before any work is done."""
    files, trace = given.pop("files"), given.pop("trace")
    for file in files:
        refuse_unknown(file)
    return Output(
        tuple(path for file in files if (path := writable(file, "-o"))),
        given.pop("as_json"),
        given.pop("quiet"),
        writable(trace, "--trace"),
    )


def refuse_unknown(file: str) -> None:
    """No format for this name, or one that lacks its package, is told before money is spent."""
    from leadline.errors import BadInput
    from leadline.render.formats import format_of, lacks, suffixes

    path = Path(file).expanduser()
    found = format_of(path)
    if found is None and not _is_special(path):
        known = ", ".join(suffixes())
        raise BadInput(f"-o {file}: the suffix says the format, and must be one of {known}")
    if found is not None and (missing := lacks(found)):
        raise BadInput(f"-o {file}: {missing}")


def writable(name: str | None, flag: str) -> Path | None:
    from leadline.errors import BadInput

    if name is None:
        return None
    path = Path(name).expanduser()
    folder = path.parent
    if path.is_dir():
        raise BadInput(f"{flag} {name}: that is a folder")
    if not folder.is_dir():
        raise BadInput(f"{flag} {name}: the folder {folder} does not exist")
    try:
        _try_to_write(path)
    except OSError as error:
        raise BadInput(f"{flag} {name}: cannot be written: {error.strerror}") from error
    return path


def _try_to_write(path: Path) -> None:
    from leadline.observe.folder import try_to_write

    if path.exists() and not os.access(path, os.W_OK):
        raise PermissionError(13, "no permission")
    if not _is_special(path):
        try_to_write(path.parent)


def _is_special(path: Path) -> bool:
    """A pipe or a device is written to, never replaced."""
    return path.exists() and not path.is_file()


def _is_kept(path: Path) -> bool:
    """A file with something in it, which may be the report of an earlier run."""
    return path.is_file() and path.stat().st_size > 0


def deliver(response: AgentResponse, output: Output) -> None:
    """Put the report where the user wants it.

    One that says only that no source was reached takes the place of no earlier one.
    """
    from leadline.render.formats import format_of, rendered

    for path in output.files:
        if not response.reached and _is_kept(path):
            note(
                f"leadline: {path} is left as it was, since this run reached no source; "
                f"what it tried: leadline runs show {response.run_id}"
            )
            continue
        found = format_of(path)
        report = rendered(response, found.name if found else "markdown")
        write_file(path, report.data)
        for said in report.notes:
            note(f"leadline: {path.name}: {said}")
        if not output.quiet:
            note(f"Report: {path}")
    if output.json:
        from leadline.render.json import as_json

        say(as_json(response))
    elif not output.files:
        show_report(response)


def show_report(response: AgentResponse) -> None:
    """The report on a terminal with its headings and emphasis, or as plain Markdown in a pipe."""
    from leadline.render.markdown import markdown

    if not on_terminal():
        say(markdown(response))
        return
    from rich.markdown import Markdown

    screen = console()
    screen.print()
    screen.print(Markdown(markdown(response, links=False), hyperlinks=False))


def write_file(path: Path, content: str | bytes) -> None:
    """Write the whole file or leave the old one as it was."""
    data = content.encode("utf-8") if isinstance(content, str) else content
    if _is_special(path):
        path.write_bytes(data)
        return
    from leadline.observe.folder import written_beside

    temporary = written_beside(path, data)
    try:
        temporary.chmod(_mode(path))
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _mode(path: Path) -> int:
    """The permissions an ordinary new file would get, or those the old one has."""
    if path.exists():
        return path.stat().st_mode & 0o777
    mask = os.umask(0o022)
    os.umask(mask)
    return 0o666 & ~mask
