"""The door of memory: what carries instructions does not enter, nor what came with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from leadline.frozen import frozen
from leadline.types.remembering import Finding, Observation


@frozen
class Refusal:
    """Why a text may not be remembered; `worded` where it is only worded like an order."""

    why: str
    worded: bool = False


Refuse = Callable[[str], Refusal | None]
"""Whether a text may be remembered: None when it may."""


@frozen
class Sorted:
    """An observation at the door: what may enter, what may not, and why."""

    welcome: Observation
    refused: Observation
    why: str = ""


def sort(observation: Observation, refuse: Refuse) -> Sorted:
    """Keep out every finding that is refused, and all others from the same page.

    A task that is refused keeps out everything: it would be shown to later runs with the findings.
    A mere wording keeps out the finding alone, and in the user's own documents and questions
    nothing: manuals are full of it.
    """
    bad_task = _order(refuse(observation.task))
    reasons = [bad_task or _refused(finding, refuse) for finding in observation.findings]
    findings = list(zip(observation.findings, reasons, strict=True))
    tainted = {_place(finding): why for finding, why in findings if _order(why)}
    refused = tuple(one for one, why in findings if why or _place(one) in tainted)
    welcome = tuple(one for one, why in findings if not why and _place(one) not in tainted)
    worst = next(filter(None, (*tainted.values(), *reasons)), None)
    return Sorted(
        replace(observation, findings=welcome),
        replace(observation, findings=refused),
        worst.why if worst else "",
    )


def _place(finding: Finding) -> str:
    return finding.page or finding.url


def _order(refusal: Refusal | None) -> Refusal | None:
    """The refusal, unless it is for a mere wording."""
    return None if refusal is None or refusal.worded else refusal


def _refused(finding: Finding, refuse: Refuse) -> Refusal | None:
    texts = dict.fromkeys((finding.text, finding.quote, finding.title))
    reasons = [why for text in texts if text and (why := refuse(text))]
    if finding.kind == "document":
        reasons = [why for why in reasons if not why.worded]
    return min(reasons, key=lambda why: why.worded, default=None)
