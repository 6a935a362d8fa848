"""What may enter memory, and how it stands to what is there: said already, newer, or at odds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from leadline.rank.near_duplicates import differing, same_text
from leadline.text.urls import canonical
from leadline.text.words import content_words
from leadline.types import Finding, Observation, Passage, Standing
from leadline.values import replace

Relation = Literal["apart", "same", "replaces", "replaced", "disputes"]
_SHARED = 0.6  # of the words of the shorter: with less two findings are about different things
_DAY = len("2026-01-01")


# ── the door ────────────────────────────────────────────────────────────────────────────────


Refuse = Callable[[str], str]
"""Why a text may not be remembered; "" when it may."""


def sort(observation: Observation, refuse: Refuse) -> tuple[Observation, Observation, str]:
    """What of an observation may enter, what may not, and why.

    An order keeps out all that came from its page, and a task that is one everything: it would be
    shown to later runs with the findings.
    """
    task = refuse(observation.task)
    reasons = [task or _refusal(finding, refuse) for finding in observation.findings]
    pairs = list(zip(observation.findings, reasons, strict=True))
    tainted = {_place(finding) for finding, why in pairs if why}
    welcome = tuple(f for f in observation.findings if _place(f) not in tainted)
    refused = tuple(f for f in observation.findings if _place(f) in tainted)
    why = next(filter(None, reasons), "")
    return replace(observation, findings=welcome), replace(observation, findings=refused), why


def _place(finding: Finding) -> str:
    return finding.page or finding.url


def _refusal(finding: Finding, refuse: Refuse) -> str:
    texts = dict.fromkeys((finding.text, finding.quote, finding.title))
    return next((why for text in texts if text and (why := refuse(text))), "")


# ── among what is there ─────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Merged:
    """`fresh` findings are stored, `changed` ones of the store are written anew."""

    fresh: tuple[Finding, ...]
    changed: tuple[Finding, ...]
    confirmed: int
    superseded: int
    disputed: int


def merge(new: Sequence[Finding], stored: Sequence[Finding]) -> Merged:
    """New findings among those of the store; nothing is said twice, nothing is lost."""
    before = {one.id: one for one in stored}
    after = dict(before)
    counts = {"same": 0, "replaces": 0, "replaced": 0, "disputes": 0}
    for given in new:
        finding = given
        relations = [(other, relation(finding, other)) for other in after.values()]
        twin = next((other for other, how in relations if how == "same"), None)
        if twin is not None:
            after[twin.id] = _confirmed(twin, finding)
            counts["same"] += 1
            continue
        for other, how in relations:
            if how != "apart":
                counts[how] += 1
                finding, after[other.id] = _marked(finding, other, how)
        after[finding.id] = finding
    return Merged(
        fresh=tuple(one for id, one in after.items() if id not in before),
        changed=tuple(one for id, one in after.items() if id in before and one != before[id]),
        confirmed=counts["same"],
        superseded=counts["replaces"] + counts["replaced"],
        disputed=counts["disputes"],
    )


def relation(new: Finding, old: Finding) -> Relation:
    """What `new` is to `old`. Newer by the date of the source, or of the reading of one source."""
    ours, theirs = set(content_words(new.text)), set(content_words(old.text))
    fewest = min(len(ours), len(theirs))
    if not fewest or len(ours & theirs) < _SHARED * fewest:
        return "apart"
    likeness = same_text(new.text, old.text)
    if likeness == "same" or (ours == theirs and differing(new.text, old.text) == ((), ())):
        return "same"
    if likeness == "different" and not _at_odds(new.text, old.text):
        return "apart"
    return _by_date(new, old)


def last_seen(finding: Finding) -> str:
    """When the finding was last read in its source, ISO."""
    return max(finding.found, finding.confirmed)


def _at_odds(one: str, other: str) -> bool:
    from leadline.check.conflicts import conflicts  # its tables are large

    return bool(conflicts([Passage(1, one, "1"), Passage(2, other, "2")]))


def _by_date(new: Finding, old: Finding) -> Relation:
    first, second = new.published[:_DAY], old.published[:_DAY]
    if canonical(new.url) == canonical(old.url):
        older = (first and second and first < second) or last_seen(new) < last_seen(old)
        return "replaced" if older else "replaces"
    if not first or not second or first == second:
        return "disputes"
    return "replaces" if first > second else "replaced"


def _confirmed(stored: Finding, again: Finding) -> Finding:
    """Proven by the later reading, with the date of the first and of the last."""
    first, last = min(stored.found or again.found, again.found), last_seen(again)
    if last <= last_seen(stored):
        confirmed = stored.confirmed if first == stored.found else last_seen(stored)
        return replace(stored, found=first, confirmed=confirmed)
    ours = {"standing": stored.standing, "rivals": stored.rivals, "id": stored.id}
    return replace(again, found=first, confirmed=last, **ours)


def _marked(new: Finding, old: Finding, how: Relation) -> tuple[Finding, Finding]:
    """Both with the mark of what they are to each other."""
    if how == "replaces":
        return new, _with(old, "superseded", new.id)
    if how == "replaced":
        return _with(new, "superseded", old.id), old
    if old.standing == "superseded":
        return new, old
    return _with(new, "disputed", old.id), _with(old, "disputed", new.id)


def _with(finding: Finding, standing: Standing, rival: str) -> Finding:
    """A finding that is superseded stays so, whatever disputes it."""
    standing = "superseded" if finding.standing == "superseded" else standing
    return replace(finding, standing=standing, rivals=(*finding.rivals, rival))
