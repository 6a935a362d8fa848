"""Rebuilds a report from the records of a run: no network, no model, no other file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leadline.bundle.contents import RunFile
from leadline.errors import BadInput, LeadlineError
from leadline.kit import billed
from leadline.kit.sealed import sealed_kit, sealed_recall
from leadline.ports import Run
from leadline.records import RecordedLedger, again
from leadline.render.json import as_json
from leadline.render.markdown import markdown
from leadline.research.agent.loop import research
from leadline.research.follow_up import follow
from leadline.settings import Settings
from leadline.types import AgentResponse

# What code meets when records are not what it wrote itself.
_UNFIT = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, AssertionError)


@dataclass(frozen=True)
class Rebuilt:
    """A report made again from the records, and which parts of the file it differs from."""

    response: AgentResponse
    report_md: str
    report_json: str
    differs: tuple[str, ...]

    @property
    def equal(self) -> bool:
        return not self.differs


async def replay(content: RunFile) -> Rebuilt:
    """The report of a run again. Raises `LeadlineError` when the records do not lead to one."""
    settings = _settings(content.settings)
    try:
        response = await _response(content, settings, judged=False)
    except LeadlineError:  # whether a model was asked about claims, only its records tell
        response = await _response(content, settings, judged=True)
    text, data = markdown(response), as_json(response)
    pairs = (("report.md", text, content.report_md), ("report.json", data, content.report_json))
    return Rebuilt(response, text, data, tuple(name for name, new, old in pairs if new != old))


async def _response(content: RunFile, settings: Settings, *, judged: bool) -> AgentResponse:
    """What the records lead to; all of them must be used."""
    about, ledger = content.about, RecordedLedger(content.records)
    names = {record["name"] for record in content.records}

    async def body(run: Run, task: str) -> AgentResponse:
        remembers, examined = not names.isdisjoint(("recall", "remember")), "judge" in names
        kit = sealed_kit(settings, judged=judged, examined=examined, remembers=remembers)
        if settings.follows:
            return await follow(task, kit, run, sealed_recall)
        return await research(task, kit, run)

    try:
        response: AgentResponse = await again(about.id, about.seed, ledger, about.task, body)
    except LeadlineError as error:
        raise _unreplayable(str(error), content) from error
    except _UNFIT as error:
        raise _unreplayable("its records do not fit together", content) from error
    if ledger.used != len(content.records):
        left = len(content.records) - ledger.used
        raise _unreplayable(f"{left} of its records are not used", content)
    # Calls that a deadline cut short were paid for and left no record of a step.
    return billed(response, content.response.calls)


def _settings(stored: dict[str, Any]) -> Settings:
    try:
        return Settings.restore(stored, Settings(data_dir=Path()))
    except ValueError as error:
        raise BadInput(f"the settings in the file are not valid: {error}") from error


def _unreplayable(why: str, content: RunFile) -> LeadlineError:
    """Another version of the program may do other steps, so the message names both."""
    from leadline import __version__

    made = content.versions.get("leadline", "an unknown version")
    note = "" if made == __version__ else f" (made by Leadline {made}, this is {__version__})"
    return LeadlineError(f"this run cannot be replayed: {why}{note}")
