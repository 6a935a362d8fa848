"""What enters a run is scanned for orders to its reader, and flagged, stripped or refused.

A page stays as it was fetched, so that quotes can be checked against it: what is stripped from it
is only barred, and no passage is cut from there.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from threading import Lock
from types import MappingProxyType
from typing import Final

from leadline.guard.addressed import is_order, may_be_order, paragraphs, signs_of
from leadline.guard.instruction_sentences import strange
from leadline.guard.removed_spans import clean
from leadline.guard.scan_result import ATTACK as LINE
from leadline.guard.scan_result import LIKE, Scan, Spot
from leadline.types import Batch, Doors, Hit, Injection, Page, Seen
from leadline.types.guarding import Done, Door, ScanPolicy
from leadline.types.remembering import Recall

SLICE, OVERLAP = 40_000, 1_000  # characters scanned at once; other work waits for no more
SHORT = 4_000  # texts up to this length are remembered: searches bring the same ones again
MOST = 1_024  # of them
ATTACK: Final = "attack"
ORDER = "an order to a machine that reads"
STRANGE = "stands in another language than the text round it"
UNSAID = "the message reads like an instruction to the reader and is not shown"

Known = Mapping[str, Scan]  # what `scanned` said of texts, wherever it was asked
_NOTHING: Final[Known] = MappingProxyType({})
_KEPT: dict[str, Scan] = {}
_LOCK = Lock()


def scanned(text: str) -> Scan:
    """`text` scanned piece by piece, and each short paragraph of it by itself, since round much
    prose an order is diluted. Raises `OSError` or `ValueError` without the weights."""
    return scanned_all([text])[0]


def scanned_all(texts: Sequence[str]) -> list[Scan]:
    """`scanned` of each text; many short ones cost less together."""
    short = [text for text in dict.fromkeys(texts) if len(text) <= SHORT]
    with _LOCK:
        known = {text: _KEPT[text] for text in short if text in _KEPT}
    if new := [text for text in short if text not in known]:
        from leadline.guard.scanning import scans  # numpy: not before the first search

        fresh = dict(zip(new, map(_whole, new, scans(new)), strict=True))
        keep(fresh)
        known |= fresh
    return [known[text] if text in known else _whole(text, _in_slices(text)) for text in texts]


def keep(known: Known) -> None:
    """What `scanned` says of short texts from now on, until there are too many of them."""
    with _LOCK:
        _KEPT.update((text, said) for text, said in known.items() if len(text) <= SHORT)
        for text in list(_KEPT)[: max(0, len(_KEPT) - MOST)]:
            del _KEPT[text]


def _whole(text: str, said: Scan) -> Scan:
    if others := tuple(_others(text)):
        said = replace(said, told=(*said.told, *others))
    found = [one for one in _orders(text) if not _within(one, said)]
    if not found:
        return said
    score = max(said.score, *(one.score for one in found))
    ordered = sorted((*said.spots, *found), key=lambda one: (one.start, one.end))
    return replace(said, verdict=ATTACK, score=score, spots=tuple(ordered))


def _light(text: str) -> Scan:
    found = tuple(_orders(text))
    best = max((one.score for one in found), default=0.0)
    return Scan(ATTACK if found else "clean", best, found)


def _orders(text: str) -> list[Spot]:
    from leadline.guard.scanning import scans

    signs = signs_of(text)
    found: list[Spot] = []
    closer: list[tuple[int, int]] = []
    for start, end in paragraphs(text):
        one = text[start:end]
        if is_order(one, signs):
            found.append(Spot(start, end, LINE, ORDER, ""))
        elif len(one) < len(text) and may_be_order(one):
            closer.append((start, end))
    alone = scans([text[start:end] for start, end in closer]) if closer else ()
    for (start, end), said in zip(closer, alone, strict=True):
        if said.score >= LINE:
            found.append(Spot(start, end, said.score, said.spots[0].reason, ""))
    return sorted(found, key=lambda one: one.start)


def _others(text: str) -> Iterator[Spot]:
    """Paragraphs in another language: orders in it would not be known, so it is noted."""
    for start, end in strange(text):
        yield Spot(start, end, LIKE, STRANGE, "")


def _within(one: Spot, said: Scan) -> bool:
    """Whether an attack that was found covers it already."""
    return any(two.start <= one.start and two.end >= one.end for two in attacks(said))


def _in_slices(text: str) -> Scan:
    from leadline.guard.scanning import scan  # numpy: not before the first search

    if len(text) <= SLICE + OVERLAP:
        return scan(text)
    pieces = [(at, scan(text[at : at + SLICE + OVERLAP])) for at in range(0, len(text), SLICE)]
    worst = max((piece for _, piece in pieces), key=lambda piece: piece.score)
    spots = _moved((at, piece.spots) for at, piece in pieces)
    told = _moved((at, piece.told) for at, piece in pieces)
    nearly = _moved((at, piece.nearly) for at, piece in pieces)
    return Scan(worst.verdict, worst.score, spots, told, nearly)


def _moved(pieces: Iterable[tuple[int, Sequence[Spot]]]) -> tuple[Spot, ...]:
    """The spots of slices at their places in the whole, none of them twice."""
    found = (
        replace(one, start=one.start + at, end=one.end + at) for at, some in pieces for one in some
    )
    return tuple(dict.fromkeys(found))


# ── each kind of text ───────────────────────────────────────────────────────────────────────


def texts_of(one: Batch | Page, doors: Doors) -> tuple[str, ...]:
    """The texts that `batch_at` or `page_at` looks at, each once, for whoever scans them ahead;
    none where something of it is the user's own, for that is looked at in other ways."""
    if isinstance(one, Page):
        own, policy, texts = one.kind == "document", doors.pages, [one.text, _about(one)]
    else:
        own, policy = any(hit.kind == "document" for hit in one.hits), doors.results
        texts = [text for hit in one.hits for text in (hit.text, hit.title)]
        texts += [one.error] if one.error else []
    return () if own or policy == "off" else tuple(dict.fromkeys(texts))


def batch_at(batch: Batch, doors: Doors, known: Known = _NOTHING) -> Batch:
    """The batch with only what may pass, and a note on everything that was found. What is `known`
    of a text is not looked at again."""
    texts = [text for text in texts_of(batch, doors) if text not in known]
    known = {**known, **dict(zip(texts, scanned_all(texts), strict=True))} if texts else known
    hits: list[Hit] = []
    found: list[Injection] = []
    at_ease = _at_ease(batch.hits, doors)
    for hit in batch.hits:
        if hit.kind == "document" and hit in at_ease:
            hits.append(hit)
            continue
        door: Door = "documents" if hit.kind == "document" else "results"
        passed, noted = hit_at(hit, door, doors, known)
        hits += passed
        found += noted
    error = batch.error
    if error and doors.results != "off" and _said(error, known).verdict == ATTACK:
        error = UNSAID
    return replace(batch, hits=tuple(hits), injections=tuple(found), error=error)


def _at_ease(hits: Sequence[Hit], doors: Doors) -> frozenset[Hit]:
    """The documents among `hits` that need no look of their own, as they are clean as a whole;
    where they are only flagged, one look at all of them costs half of a look at each."""
    own = [hit for hit in hits if hit.kind == "document"]
    if doors.documents != "flag" or not own:
        return frozenset()
    texts = [f"{hit.title}\n\n{hit.text}" for hit in own]
    said = scanned("\n\n".join(texts))
    if said.verdict != "clean":
        return frozenset()
    ends = [end + 2 * n for n, end in enumerate(accumulate(map(len, texts)), 1)]
    like = {bisect_right(ends, one.start) for one in said.told}
    return frozenset(hit for n, hit in enumerate(own) if n not in like)


def _said(text: str, known: Known) -> Scan:
    return known.get(text) or scanned(text)


def hit_at(
    hit: Hit, door: Door, doors: Doors, known: Known = _NOTHING
) -> tuple[list[Hit], list[Injection]]:
    """What of a hit may pass: all, the stretches round what was stripped, or nothing."""
    policy: ScanPolicy = getattr(doors, door)
    if policy == "off":
        return [hit], []
    said, title = _said(hit.text, known), _said(hit.title, known)
    worst = max(said, title, key=lambda one: one.score)
    if worst.verdict == "clean":
        like = said.told or title.told
        return [hit], [_injection(like[0], door, hit.url, "flagged", hit.start)] if like else []
    if worst.verdict != ATTACK or policy == "flag":
        return [hit], [_noted(worst, door, hit.url, "flagged", hit.start)]
    if policy == "refuse":
        return [], [_noted(worst, door, hit.url, "refused", hit.start)]
    spans = [(one.start, one.end) for one in attacks(said)]
    noted = [_injection(one, door, hit.url, "stripped", hit.start) for one in attacks(said)]
    if title.verdict == ATTACK:
        noted.append(_of_title(title, door, hit.url, "stripped"))
        hit = replace(hit, title="")
    return list(_split(hit, spans)), noted


def _split(hit: Hit, barred: Sequence[tuple[int, int]]) -> Iterator[Hit]:
    """A hit that can be quoted becomes several at their places; a snippet stays one."""
    parts = list(clean(hit.text, 0, len(hit.text), barred))
    if hit.page:
        for a, b in parts:
            at = hit.start
            yield replace(hit, text=hit.text[a:b], start=at + a, end=at + b)
    elif parts:
        yield replace(hit, text=" […] ".join(hit.text[a:b] for a, b in parts))


def page_at(page: Page, doors: Doors, known: Known = _NOTHING) -> Page:
    """The page with what was found noted; its text stays, its title and author may go. What is
    `known` of a text is not looked at again."""
    door: Door = "documents" if page.kind == "document" else "pages"
    policy: ScanPolicy = getattr(doors, door)
    if policy == "off":
        return page
    # Where it is only flagged, and its hits have had the whole look: this costs a tenth.
    light = door == "documents" and policy == "flag"
    said = _light(page.text) if light else _said(page.text, known)
    found = list(_in_text(said, page.text, door, page.url, policy))
    about = _said(_about(page), known)
    if about.verdict == ATTACK and policy != "flag":
        found.append(_of_title(about, door, page.url, "stripped"))
        page = replace(page, title="", author="")
    elif about.verdict != "clean":
        found.append(_of_title(about, door, page.url, "flagged"))
    return replace(page, injections=tuple(found)) if found else page


def _about(page: Page) -> str:
    return f"{page.title}\n{page.author}"


def text_at(text: str, door: Door, source: str, doors: Doors) -> tuple[Injection, ...]:
    """What is found in a text that is neither a hit nor a whole page."""
    policy: ScanPolicy = getattr(doors, door)
    return () if policy == "off" else tuple(_in_text(scanned(text), text, door, source, policy))


def _in_text(
    said: Scan, text: str, door: Door, source: str, policy: ScanPolicy
) -> Iterator[Injection]:
    """What is to be noted of a text, by what a scan said of it."""
    if said.verdict == "clean":
        # What no claim may quote is told, or it would be left out in silence.
        like = said.told or (() if door == "documents" else said.nearly)
        if like:
            yield _injection(like[0], door, source, "flagged")
        return
    if said.verdict != ATTACK or policy == "flag":
        yield _noted(said, door, source, "flagged")
    elif policy == "refuse":
        yield replace(_noted(said, door, source, "refused"), start=0, end=len(text))
    else:
        for one in attacks(said):
            yield _injection(one, door, source, "stripped")


def image_at(text: str, path: str, doors: Doors) -> str | Seen:
    """What was read from an image: as it is, or what may be shown of it and what was found."""
    found = text_at(text, "images", path, doors)
    if not found:
        return text
    barred = [(one.start, one.end) for one in found if one.done != "flagged"]
    shown = " ".join(text[a:b] for a, b in clean(text, 0, len(text), barred))
    return Seen(shown, found)


def recall_at(recall: Recall, doors: Doors) -> Recall:
    """What memory gives a run, without what it should never have kept."""
    if doors.memory == "off":
        return recall
    hits: list[Hit] = []
    found: list[Injection] = []
    for hit in recall.hits:
        passed, noted = hit_at(hit, "memory", doors)
        hits += passed
        found += noted
    leads = recall.leads
    if any(one.done != "flagged" for one in found):
        # What was thrown out may have been the answer: none counts as a whole one any more.
        leads = tuple(replace(lead, answers=False) for lead in leads)
    facts = tuple(fact for fact in recall.facts if _is_fact(fact, doors, found))
    if not found:
        return recall
    return replace(recall, hits=tuple(hits), facts=facts, leads=leads, injections=tuple(found))


def _is_fact(fact: str, doors: Doors, found: list[Injection]) -> bool:
    said = scanned(fact)
    if said.verdict == "clean" and not said.told:
        return True
    goes = (said.verdict == ATTACK or bool(said.told)) and doors.memory != "flag"
    found.append(_noted(said, "memory", "a remembered finding", "refused" if goes else "flagged"))
    return not goes


# ── notes ───────────────────────────────────────────────────────────────────────────────────


def attacks(said: Scan) -> tuple[Spot, ...]:
    """The spots that are more than suspect."""
    return tuple(one for one in said.spots if one.score >= LINE)


def _injection(one: Spot, door: Door, source: str, done: Done, offset: int = 0) -> Injection:
    start, end = one.start + offset, one.end + offset
    return Injection(door, source, one.score, one.reason, done, start, end)


def _noted(said: Scan, door: Door, source: str, done: Done, offset: int = 0) -> Injection:
    """One note on the whole of a text: where it is worst, and why."""
    worst = max((*said.spots, *said.told), key=lambda one: one.score, default=None)
    if worst is None:
        return Injection(door, source, said.score, "reads like an instruction", done)
    return _injection(worst, door, source, done, offset)


def _of_title(said: Scan, door: Door, source: str, done: Done) -> Injection:
    """The same for what stands beside a text: it has no place in it."""
    return replace(_noted(said, door, source, done), start=0, end=0)
