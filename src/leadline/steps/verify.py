"""Nothing the writer says about a source is believed until the words are found in a passage.

Each line of the draft is cut into claims at its citations; a block quote of several lines is one
claim. A claim whose id is unknown, or whose
words stand in none of the passages it cites, is taken out and listed as dropped.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from leadline.steps.context import in_context
from leadline.text.quotes import locate
from leadline.text.sentences import sentences
from leadline.types import Checked, Claim, Draft, Passage, Quote, Verdict

_CITED = re.compile(r"\s*((?:\[\d{1,4}\](?:\s*,\s*)?)+)")
_LAST_CITED = re.compile(r"(?:\s*\[\d{1,4}\])+\s*$")
_IDS = re.compile(r"\[(\d{1,4})\]")
_PLAIN = re.compile(r"^\s*(#{1,6} |_.*_\s*$|\*Not found|Not found|>?\s*$)")


@dataclass(frozen=True, slots=True)
class _Part:
    """A stretch of a line: a claim with the ids it cites, or plain text between claims."""

    text: str
    ids: tuple[int, ...]


async def verify(draft: Draft, passages: tuple[Passage, ...]) -> Checked:
    """The draft with every unproven claim taken out, and the proof of each that stays."""
    kept: list[Claim] = []
    dropped: list[Claim] = []
    lines: list[str] = []
    seen: set[str] = set()
    for block in _blocks(draft.answer.splitlines()):
        check = _check_excerpt if len(block) > 1 else _check_line
        checked = check("\n".join(block), passages, kept, dropped, seen)
        if checked is not None:
            lines += checked.splitlines() or [""]
    answer = _tidy(lines)
    return Checked(answer, in_context(kept, passages), tuple(dropped), draft.found and bool(kept))


def _blocks(lines: Sequence[str]) -> list[list[str]]:
    """Each line by itself, but the lines of one block quote together."""
    blocks: list[list[str]] = []
    for line in lines:
        if blocks and line.startswith(">") and blocks[-1][-1].startswith(">"):
            blocks[-1].append(line)
        else:
            blocks.append([line])
    return blocks


def _check_excerpt(
    block: str,
    passages: Sequence[Passage],
    kept: list[Claim],
    dropped: list[Claim],
    seen: set[str],
) -> str | None:
    """A block quote whole: it is one claim, and ships as it stands or not at all."""
    body = "\n".join(line.removeprefix(">").removeprefix(" ") for line in block.splitlines())
    cited = _LAST_CITED.search(body)
    ids = tuple(int(n) for n in _IDS.findall(cited.group())) if cited else ()
    text = body[: cited.start()].strip() if cited else body.strip()
    claim = _judge(_Part(text, ids), passages)
    if claim.verdict is not Verdict.SUPPORTED:
        dropped.append(claim)
        return None
    if text in seen:
        return None
    seen.add(text)
    kept.append(claim)
    return block


def _check_line(
    line: str,
    passages: Sequence[Passage],
    kept: list[Claim],
    dropped: list[Claim],
    seen: set[str],
) -> str | None:
    """`line` with what is proven, or None when nothing of it is left."""
    parts = _parts(line)
    if not parts:
        return line
    bullet = re.match(r"\s*(?:[-*] |\d+\. |> )?", line)
    prefix = bullet.group() if bullet else ""
    shipped: list[str] = []
    for part in parts:
        claim = _judge(part, passages)
        if claim.verdict is not Verdict.SUPPORTED:
            dropped.append(claim)
        elif claim.text not in seen:
            seen.add(claim.text)
            kept.append(claim)
            shipped.append(claim.text + " " + "".join(f"[{n}]" for n in claim.sources))
    return prefix + " ".join(shipped) if shipped else None


def _parts(line: str) -> list[_Part]:
    """The claims of a line. A line without a citation claims nothing only where it is plain."""
    parts: list[_Part] = []
    at = 0
    body = re.sub(r"^\s*(?:[-*] |\d+\. |> )", "", line)
    for match in _CITED.finditer(body):
        ids = tuple(dict.fromkeys(int(n) for n in _IDS.findall(match.group(1))))
        text = body[at : match.start()].strip()
        if text:
            parts.append(_Part(text, ids))
        at = match.end()
    rest = body[at:].strip()
    if rest and not _PLAIN.match(line) and (parts or _asserts(rest)):
        parts += [_Part(span.text, ()) for span in sentences(rest) if _asserts(span.text)]
    return parts


def _asserts(text: str) -> bool:
    """Does this uncited text claim something? Headings, labels and notes do not."""
    return text.endswith((".", "!", "。", "！")) and len(text) > 1


def _judge(part: _Part, passages: Sequence[Passage]) -> Claim:
    numbers = {passage.source for passage in passages}
    known = tuple(n for n in part.ids if n in numbers)
    for passage in passages:
        if part.ids and passage.source not in known:
            continue
        found = locate(part.text, passage.text)
        if found is not None:
            start, end = found
            quote = Quote(
                passage.source,
                passage.text[start:end],
                passage.page,
                passage.start + start,
                passage.start + end,
            )
            return Claim(part.text, (passage.source,), Verdict.SUPPORTED, 1.0, quote)
    return Claim(part.text, known, Verdict.UNSUPPORTED)


def _tidy(lines: Sequence[str]) -> str:
    """No heading without text under it, no run of blank lines."""
    kept: list[str] = []
    for i, line in enumerate(lines):
        following = next((other for other in lines[i + 1 :] if other.strip()), "")
        if line.startswith("#") and (not following or following.startswith("#")):
            continue
        if line.strip() or (kept and kept[-1].strip()):
            kept.append(line)
    return "\n".join(kept).strip()
