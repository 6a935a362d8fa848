"""What a model wrote: its Markdown tidied, and whom it cites."""

from __future__ import annotations

import re
from collections.abc import Set

from leadline.text.sentences import sentences
from leadline.types import Citation, State

_IDS = re.compile(r"\[(\d{1,4})\]")
_LISTED = re.compile(r"\[(\d{1,4}(?:\s*[,;]\s*\d{1,4})+)\]")
_FENCE = re.compile(r"^\s*```(?:markdown|md)?\s*\n(.*)\n```\s*$", re.DOTALL | re.IGNORECASE)
_SOURCES = re.compile(
    r"^(?:#{1,6}\s*|\*\*)?(?:references|sources|bibliography|works cited|quellen|literatur|"
    r"bibliographie|fuentes|参考文献|来源|参考资料)\s*:?\s*(?:\*\*)?\s*$",
    re.IGNORECASE,
)
_MARK = re.compile(r"<<<(?:end )?[a-p]{12}[^>\n]{0,40}>{0,3}")  # our own fences, copied
_LINK = re.compile(r"\[([^\]\n]{1,200})\]\(https?://[^)\s]{1,2000}\)")
_ADDRESS = re.compile(r"<?https?://[^\s)>\]]{1,2000}>?")
# "Sources: [2][5]." and "as mentioned in sources [6] and [7]" are citations in many words.
_IN_WORDS = re.compile(
    r"[,;]?\s*\(?\b(?:(?:this|that|it|which) (?:is|was) )?(?:(?:as )?"
    r"(?:stated|mentioned|described|noted|reported|shown|indicated|found|supported|given|said)"
    r" (?:in|by) |according to |from |in |per |see )?(?:the |these )?"
    r"(?:sources?|passages?|documents?|references?|quellen?|fuentes?)\s*:?\s*"
    r"((?:\[\d{1,4}\](?:\s*(?:,|;|and|&|or|und|et|y)\s*(?=\[))?\s*)+)\)?",
    re.IGNORECASE,
)
_STOP_BEFORE = re.compile(r"([.!?])\s*((?:\[\d{1,4}\])+)\s*\.(?=\s|$)")


_FIRST = re.compile(
    r"^((?:\[\d{1,4}\]\s?)+)(?=[^\[\s])(.+)$", re.MULTILINE
)  # [2] before its sentence


def citations(answer: str, state: State, known: Set[int]) -> tuple[Citation, ...]:
    """The sources that `answer` cites, of those that are `known`."""
    cited = {int(number) for number in _IDS.findall(answer)}
    return tuple(
        Citation(source.id, source.title, source.kind, source.url)
        for source in state.sources
        if source.id in cited & known
    )


def tidy(text: str, *, cut: bool = False) -> str:
    """Markdown as it should have been written."""
    text = _MARK.sub("", text)
    fenced = _FENCE.match(text.strip())
    text = (fenced.group(1) if fenced else text).replace("\r\n", "\n").strip()
    lines = text.split("\n")
    own_list = next((at for at, line in enumerate(lines) if at and _SOURCES.match(line)), None)
    if own_list is not None:
        lines, cut = lines[:own_list], False
    if cut and lines:
        lines[-1] = _whole_sentences(lines[-1])
    text = "\n".join(lines).strip()
    text = _LISTED.sub(lambda many: _apart(many.group(1)), text)
    text = _FIRST.sub(lambda line: f"{line[2].rstrip()} {line[1].strip()}", text)
    text = _IN_WORDS.sub(lambda many: " " + "".join(re.findall(r"\[\d+\]", many[1])), text)
    text = _STOP_BEFORE.sub(r" \2\1", text)
    return _ADDRESS.sub("", _LINK.sub(r"\1", text)).strip()


def _whole_sentences(line: str) -> str:
    """A last line that was cut off, without its last sentence."""
    spans = sentences(line)
    return line[: spans[-2].end] if len(spans) > 1 else ""


def _apart(numbers: str) -> str:
    return "".join(f"[{number.strip()}]" for number in re.split(r"[,;]", numbers))
