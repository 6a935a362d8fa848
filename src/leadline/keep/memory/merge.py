"""What enters is set beside what is there: said already, newer, at odds, or new."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from leadline.frozen import frozen
from leadline.research.remember import Relation, last_seen, relation
from leadline.types.remembering import Finding


@frozen
class Merged:
    """`fresh` findings are stored, `changed` ones of the store are written anew."""

    fresh: tuple[Finding, ...]
    changed: tuple[Finding, ...]
    confirmed: int
    superseded: int
    disputed: int


def merge(new: Sequence[Finding], held: Sequence[Finding]) -> Merged:
    """New findings among those that are held; nothing is said twice, nothing is lost."""
    known = {one.id: one for one in held}
    before = dict(known)
    fresh: dict[str, Finding] = {}
    counts: dict[Relation, int] = {"same": 0, "replaces": 0, "replaced": 0, "disputes": 0}
    for given in new:
        finding = given
        others = [*known.values(), *fresh.values()]
        relations = [(other, relation(finding, other)) for other in others]
        twin = next((other for other, found in relations if found == "same"), None)
        if twin is not None:
            place = known if twin.id in known else fresh
            place[twin.id] = _confirmed(twin, finding)
            counts["same"] += 1
            continue
        for other, found in relations:
            if found == "apart":
                continue
            counts[found] += 1
            finding, changed = _beside(finding, other, found)
            place = known if other.id in known else fresh
            place[other.id] = changed
        fresh[finding.id] = finding
    return Merged(
        fresh=tuple(fresh.values()),
        changed=tuple(one for one in known.values() if one != before[one.id]),
        confirmed=counts["same"],
        superseded=counts["replaces"] + counts["replaced"],
        disputed=counts["disputes"],
    )


def _confirmed(held: Finding, again: Finding) -> Finding:
    """Proven by the later reading, with the date of the first and of the last."""
    if last_seen(again) <= last_seen(held):
        return replace(held, found=min(held.found, again.found), confirmed=last_seen(held))
    proof = {
        name: getattr(again, name)
        for name in ("text", "quote", "url", "title", "kind", "page", "start", "end", "published")
    }
    found = min(held.found or again.found, again.found)
    return replace(held, **proof, found=found, confirmed=last_seen(again))


def _beside(new: Finding, old: Finding, found: Relation) -> tuple[Finding, Finding]:
    """Both with the mark of what they are to each other."""
    if found == "replaces":
        return new, _marked(old, "superseded", new.id)
    if found == "replaced":
        return _marked(new, "superseded", old.id), old
    if old.standing == "superseded":
        return new, old
    return _marked(new, "disputed", old.id), _marked(old, "disputed", new.id)


def _marked(finding: Finding, standing: str, rival: str) -> Finding:
    """A finding that is superseded stays so, whatever disputes it."""
    kept = "superseded" if finding.standing == "superseded" else standing
    rivals = tuple(dict.fromkeys((*finding.rivals, rival)))
    return replace(finding, standing=kept, rivals=rivals)  # type: ignore[arg-type]
