"""The door of memory: what carries instructions does not enter, nor what came with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from leadline.types.remembering import Finding, Observation

Refuse = Callable[[str], str]
"""Why a text may not be remembered; "" when it may."""

WORDED = "worded"  # how a reason begins where a sentence is only worded like an order


@dataclass(frozen=True, slots=True)
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
    bad_task = refuse(observation.task)
    bad_task = "" if bad_task.startswith(WORDED) else bad_task
    reasons = [bad_task or _refused(finding, refuse) for finding in observation.findings]
    findings = list(zip(observation.findings, reasons, strict=True))
    tainted = {
        finding.page or finding.url: why
        for finding, why in findings
        if why and not why.startswith(WORDED)
    }
    welcome = tuple(
        one for one, why in findings if (one.page or one.url) not in tainted and not why
    )
    refused = tuple(one for one, why in findings if (one.page or one.url) in tainted or why)
    return Sorted(
        replace(observation, findings=welcome),
        replace(observation, findings=refused),
        next(iter(tainted.values()), "") or next(filter(None, reasons), ""),
    )


def _refused(finding: Finding, refuse: Refuse) -> str:
    texts = dict.fromkeys((finding.text, finding.quote, finding.title))
    reasons = [why for text in texts if text and (why := refuse(text))]
    if finding.kind == "document":
        reasons = [why for why in reasons if not why.startswith(WORDED)]
    return next((why for why in reasons if not why.startswith(WORDED)), "".join(reasons[:1]))
