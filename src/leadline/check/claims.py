"""Cuts a draft into what it claims: sentences, list items, table rows, quotations and code, each
with the sources it cites. Decides nothing about them; `verify` does."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from leadline.text.quotes import plain
from leadline.text.sentences import sentences
from leadline.text.words import words
from leadline.write.wordings import every

Kind = Literal["text", "item", "quote", "code", "row", "heading", "other"]

_CITED = re.compile(
    r"\s{0,4}(?:\[(?P<ids>\^?\d{1,4}(?:\s{0,2}[,;–-]\s{0,2}\^?\d{1,4}){0,40})\]"
    r"|【(?P<wide>\d{1,4})[^】\n]{0,40}】)"
    r"(?:\([^()\s]{0,500}\))?"
)
_IDS = re.compile(r"(\d{1,4})(?:\s{0,2}[–-]\s{0,2}(\d{1,4}))?")
_CODE_SPAN = re.compile(r"(`+)[^`\n]{1,300}\1(?!`)")
_LINK = re.compile(r"!?\[([^\[\]\n]{0,300})\]\([^()\s]{0,500}(?:\s+\"[^\"\n]{0,200}\")?\)")
_FENCE = re.compile(r"\s{0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s+")
_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+")
_RULE = re.compile(r"\s*(?:[-*_]\s*){3,}$")
_ROW_RULE = re.compile(r"[\s:|-]+")
_CELL = re.compile(r"(?<!\\)\|")
_LABEL = re.compile(r"(?:\*\*|__)[^*_\n]{1,80}?(?::(?:\*\*|__)|(?:\*\*|__)\s*:)\s*")
_LAST_CITED = re.compile(
    rf"(?:{_CITED.pattern.replace('?P<ids>', '').replace('?P<wide>', '')})+\s*$"
)
_STOPS = (".", "!", "。", "！", "…")
_YEARS = range(1900, 2100)
_MOST_IDS = 20  # of a range
_FEW_WORDS = 4  # that an uncited line without a stop has at least when it says something
_NOT_FOUND = re.compile(
    r"not found|not documented|nicht gefunden|introuvable|no se encontr|未找到|見つから",
    re.IGNORECASE,
)
_ABSENT = re.compile(
    r"^(?:however, |but )?(?:none of )?(?:the |these |my )?(?:\w+ )?"
    r"(?:sources?|passages?|documents?|texts?) (?:\w+ )?(?:do(?:es)? not|don['’]t|doesn['’]t"
    r"|did not|didn['’]t|lacks?|never|hold nothing|say nothing)\b"
    r"|^(?:die|den|in den) quellen\b.{0,60}\bnicht\b|^les sources ne\b|^las fuentes no\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Part:
    """A sentence. `ids` are those it cites, `near` those that what follows it cites; what is not
    `asserted` is a note, a question or a lead-in."""

    text: str
    ids: tuple[int, ...] = ()
    near: tuple[int, ...] = ()
    asserted: bool = True


@dataclass(frozen=True)
class Unit:
    """A block of the draft: `lead` is its marker, `raw` how it stands there. `stretches` are its
    sentences, each run of them up to one that cites; a row, quotation or code is one part."""

    kind: Kind
    raw: str
    lead: str = ""
    stretches: tuple[tuple[Part, ...], ...] = ()
    missing: bool = field(default=False)  # stands under a heading for what was not found


def cut(answer: str) -> tuple[Unit, ...]:
    """The units of `answer` in order. A section on disagreeing sources is left out: it is made
    anew from the sources."""
    units: list[Unit] = []
    for unit in _units(_without_disputes(_unmarked(answer).splitlines())):
        units += unit
    return tuple(_under_headings(units))


def _unmarked(text: str) -> str:
    """`text` without the marks of claims that are judged or sourced: they are set anew."""
    for say in every():
        for mark in (say.partly, say.judged, say.sourced):
            text = text.replace(f" {mark}", "")
    return text


def cited_ids(text: str) -> tuple[int, ...]:
    """The ids cited anywhere in `text`, in order, each once."""
    return _split_ids(text)[1]


def is_note(text: str) -> bool:
    """Whether `text` only says what was looked for and not found, in words of ours."""
    bare = text.strip().strip("_*").strip()
    if is_unproven(bare):
        return True
    for say in every():
        if bare.startswith(tuple(_opening(one) for one in (say.tried, say.nothing, say.nearest))):
            return True
        if bare.startswith((_opening(say.missing), _opening(say.fewer))):
            return len(sentences(bare)) <= 1
    return bool(_ABSENT.match(bare))


def is_unproven(text: str) -> bool:
    """Whether `text` shows a model's answer apart, as one that no source bears out."""
    return text.strip(" _*").startswith(tuple(_opening(say.unproven) for say in every()))


def is_count(text: str) -> bool:
    """Whether `text` says how many of the items asked for were found: it is counted anew."""
    bare = text.strip().strip("_*").strip()
    return any(bare.startswith(_opening(say.fewer)) for say in every())


def _opening(template: str) -> str:
    return template.split("{", 1)[0]


# ── blocks ──────────────────────────────────────────────────────────────────────────────────


def _without_disputes(lines: Sequence[str]) -> list[str]:
    titles = {say.disagree for say in every()}
    kept: list[str] = []
    skipping = False
    for line in lines:
        if _HEADING.match(line):
            skipping = line.strip("# \t") in titles
        if not skipping:
            kept.append(line)
    return kept


def _units(lines: list[str]) -> Iterator[list[Unit]]:
    at = 0
    while at < len(lines):
        end = _block_end(lines, at)
        yield _block(lines[at:end])
        at = end


def _block_end(lines: list[str], at: int) -> int:
    """Where the block that begins at line `at` ends."""
    line = lines[at]
    end = at + 1
    if fence := _FENCE.match(line):
        while end < len(lines) and not lines[end].strip().startswith(fence[1]):
            end += 1
        return min(end + 1, len(lines))
    if not line.strip() or _HEADING.match(line) or _RULE.match(line):
        return end
    if line.startswith(">"):
        while end < len(lines) and lines[end].startswith(">"):
            end += 1
        return end
    if line.lstrip().startswith("|"):
        while end < len(lines) and lines[end].lstrip().startswith("|"):
            end += 1
        return end
    item = bool(_ITEM.match(line))
    while end < len(lines) and _goes_on(lines[end], item):
        end += 1
    return end


def _goes_on(line: str, item: bool) -> bool:
    """Whether `line` continues a paragraph or, indented, an item."""
    if not line.strip() or line.startswith((">", "|")) or _FENCE.match(line):
        return False
    if _HEADING.match(line) or _ITEM.match(line) or _RULE.match(line):
        return False
    return not item or line[0].isspace()


def _block(lines: list[str]) -> list[Unit]:
    first, raw = lines[0], "\n".join(lines)
    if not raw.strip() or _RULE.match(first):
        return [Unit("other", raw)]
    if _FENCE.match(first):
        return [Unit("code", raw, stretches=((Part("\n".join(lines[1:-1]) or raw),),))]
    if heading := _HEADING.match(first):
        text, ids = _split_ids(first[heading.end() :])
        return [Unit("heading", raw, heading.group(), ((Part(text, ids, asserted=False),),))]
    if first.startswith(">"):
        return [_quotation(lines)]
    if first.lstrip().startswith("|"):
        return _rows(lines)
    item = _ITEM.match(first)
    lead = item.group() if item else ""
    text = " ".join([first[len(lead) :].strip(), *(line.strip() for line in lines[1:])]).strip()
    if label := _LABEL.match(text):
        lead, text = lead + label.group(), text[label.end() :]
    kind: Kind = "item" if item else "text"
    return [Unit(kind, raw, lead, _stretches(text, kind))]


def _quotation(lines: list[str]) -> Unit:
    """A block quote whole: it is one claim, word for word."""
    bare = [line.removeprefix(">").removeprefix(" ") for line in lines]
    fenced = bool(_FENCE.match(bare[0]))  # code in a quotation: its marks are ours
    body = "\n".join(line for line in bare if not (fenced and _FENCE.match(line)))
    cited = _LAST_CITED.search(body)
    ids = cited_ids(cited.group()) if cited else ()
    text = body[: cited.start()].strip() if cited else body.strip()
    return Unit("quote", "\n".join(lines), stretches=((Part(text, ids),),) if text else ())


def _rows(lines: list[str]) -> list[Unit]:
    """A table: its head is no claim, each row below is one, told with the names of the columns."""
    headed = len(lines) > 1 and bool(_ROW_RULE.fullmatch(lines[1])) and "-" in lines[1]
    names = [plain(cell) for cell in cells(lines[0])] if headed else []
    units: list[Unit] = []
    for number, line in enumerate(lines):
        if headed and number < 2:
            units.append(Unit("other", line))
            continue
        told, ids = _split_ids(line)
        units.append(Unit("row", line, stretches=((Part(_row_text(cells(told), names), ids),),)))
    return units


def cells(row: str) -> list[str]:
    """The cells of a table row."""
    return [cell.strip() for cell in _CELL.split(row.strip().removeprefix("|").removesuffix("|"))]


def _row_text(told: Sequence[str], names: Sequence[str]) -> str:
    first, *rest = told or [""]
    pairs = [
        f"{names[at]} {cell}".strip() if at < len(names) else cell
        for at, cell in enumerate(rest, 1)
        if cell.strip(" -–—")
    ]
    return f"{first}: {'; '.join(pairs)}" if pairs else first


def _under_headings(units: Sequence[Unit]) -> Iterator[Unit]:
    """The units, those under a heading for what was not found marked as such."""
    missing = False
    for unit in units:
        if unit.kind == "heading":
            missing = bool(_NOT_FOUND.search(unit.stretches[0][0].text))
        yield Unit(unit.kind, unit.raw, unit.lead, unit.stretches, missing)


# ── sentences ───────────────────────────────────────────────────────────────────────────────


def _stretches(text: str, kind: Kind) -> tuple[tuple[Part, ...], ...]:
    """The sentences of `text` with the ids that stand in or right after each."""
    bare, marks = _lifted(text)
    spans = sentences(bare)
    ids: list[list[int]] = [[] for _ in spans]
    for place, found in marks:
        owner = max((at for at, span in enumerate(spans) if span.start < place), default=0)
        if ids:
            ids[owner] += found
    said = [_LINK.sub(r"\1", span.text) for span in spans]
    groups: list[list[int]] = [[]]
    for at in range(len(spans)):
        groups[-1].append(at)
        if ids[at]:
            groups.append([])
    return tuple(
        tuple(_part(said[at], ids[at], ids[group[-1]], kind) for at in group)
        for group in groups
        if group
    )


def _part(text: str, ids: Sequence[int], near: Sequence[int], kind: Kind) -> Part:
    cited = tuple(dict.fromkeys(ids))
    return Part(text, cited, tuple(dict.fromkeys(near)), bool(cited) or _asserts(text, kind))


def _asserts(text: str, kind: Kind) -> bool:
    """Does this uncited text claim something? Lead-ins, questions and notes do not."""
    bare = plain(text).strip()
    if not words(bare) or bare.endswith((":", "：", "?", "？")) or is_note(text):
        return False
    return kind == "item" or bare.endswith(_STOPS) or len(words(bare)) >= _FEW_WORDS


def _split_ids(text: str) -> tuple[str, tuple[int, ...]]:
    bare, marks = _lifted(text)
    return bare.strip(), tuple(dict.fromkeys(number for _, found in marks for number in found))


def _lifted(text: str) -> tuple[str, list[tuple[int, list[int]]]]:
    """`text` without its citations, and where in it each stood. Code is left alone."""
    code = [match.span() for match in _CODE_SPAN.finditer(text)]
    parts: list[str] = []
    marks: list[tuple[int, list[int]]] = []
    last = size = 0
    for match in _CITED.finditer(text):
        found = _numbers(match["ids"] or match["wide"])
        inside = any(start <= match.end() - 1 < end for start, end in code)
        if inside or not found:
            continue
        parts.append(text[last : match.start()])
        size += len(parts[-1])
        marks.append((size, found))
        last = match.end()
        if last < len(text) and text[last].isalnum():
            parts.append(" ")
            size += 1
    return "".join([*parts, text[last:]]), marks


def _numbers(written: str) -> list[int]:
    """The ids of one pair of brackets; a lone year is no id."""
    found: list[int] = []
    for match in _IDS.finditer(written):
        first, last = int(match[1]), int(match[2] or match[1])
        found += range(first, min(last, first + _MOST_IDS) + 1) if last >= first else (first, last)
    return [] if len(found) == 1 and found[0] in _YEARS else found
