"""Shows the plan of a run to whoever sits at the terminal, and takes it back as edited."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from leadline.cli.common import note
from leadline.cli.planform import as_form, from_form

if TYPE_CHECKING:
    from leadline.types import Plan


def at_hand() -> TerminalReview | None:
    """Somebody to ask, if there is a terminal to ask at."""
    return TerminalReview() if sys.stdin.isatty() and sys.stderr.isatty() else None


class TerminalReview:
    """A `Review` in the user's editor, or line by line where none can be opened."""

    def __init__(self) -> None:
        self.declined = False

    async def __call__(self, task: str, plan: Plan) -> Plan | None:
        """Nothing else happens meanwhile, so that an interrupt reaches whoever is asked."""
        with _interruptible():
            try:
                edited = _asked(task, plan)
            except (KeyboardInterrupt, click.Abort):
                edited = None
        self.declined = edited is None
        return edited


@contextmanager
def _interruptible() -> Iterator[None]:
    """Ctrl-C raises at once, whatever the event loop would make of it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _asked(task: str, plan: Plan) -> Plan | None:
    """Ask until the plan can be used, or nothing of it is left."""
    from leadline.errors import BadInput
    from leadline.research.review import accept_plan

    form, edit = as_form(task, plan), _edited if sys.stdout.isatty() else _by_line
    while True:
        try:
            form = edit(form)
        except click.ClickException as error:
            note(f"No editor can be opened ({error.message}); line by line instead.")
            edit = _by_line
            continue
        try:
            edited = from_form(form, plan)
            return None if edited is None else accept_plan(task, plan, edited)
        except BadInput as error:
            form = f"# Not yet: {error}\n{_without_complaint(form)}"
            note(f"The plan cannot be used: {error}")


def _without_complaint(form: str) -> str:
    return "\n".join(line for line in form.splitlines() if not line.startswith("# Not yet: "))


def _edited(form: str) -> str:
    return click.edit(form, require_save=False, extension=".plan.txt") or ""


def _by_line(form: str) -> str:
    """The form, its lines changed one after the other at a prompt."""
    lines = [line for line in form.splitlines() if line.strip() and not line.startswith("#")]
    while lines:
        for number, line in enumerate(lines, 1):
            note(f"{number:3}  {line}")
        said = str(
            click.prompt(
                "ok takes it; N TEXT puts TEXT in line N; -N drops line N; N+ TEXT adds after it; "
                "nothing stops here",
                default="",
                show_default=False,
                err=True,
            )
        ).strip()
        if said.lower() == "ok":
            break
        if not said:
            return ""
        lines = _changed(lines, said)
    return "\n".join(lines)


def _changed(lines: list[str], said: str) -> list[str]:
    mark, _, text = said.partition(" ")
    digits = mark.strip("-+")
    if not digits.isdigit() or not 1 <= int(digits) <= len(lines):
        note(f"There is no line {mark!r}.")
        return lines
    at = int(digits) - 1
    if mark.startswith("-"):
        return lines[:at] + lines[at + 1 :]
    if mark.endswith("+"):
        return [*lines[: at + 1], f"- {text.strip()}", *lines[at + 1 :]]
    old = lines[at]
    return [
        *lines[:at],
        f"- {text.strip()}" if old.startswith("-") else text.strip(),
        *lines[at + 1 :],
    ]
