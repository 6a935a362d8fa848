"""What a model cites by address, file or chunk becomes the number that the run knows it by."""

from __future__ import annotations

import re

from leadline.text.urls import canonical
from leadline.types import State

_LINK = re.compile(r"!?\[[^\]\n]{0,200}\]\((https?://[^()\s]{1,2000}(?:\([^()\s]{0,200}\))?)\)")
_ADDRESS = re.compile(r"<?(https?://[^\s<>\])]{1,2000})>?")
_BRACKETED = re.compile(r"[\[(【]([^\[\]()【】\n]{1,300})[\])】]")
_HANDLE = re.compile(r" ?[\[(](?: ?r\d{1,4}[,;]?){1,20} ?[\])]")
_WRAPPED = re.compile(r"\(((?: ?\[\d{1,4}\][,;]?){1,20}) ?\)")
_CITED = re.compile(r"\[(\d{1,4})\]")


def by_number(answer: str, state: State) -> str:
    """`answer` with `[n]` for every known source it names in another way; handles are left out."""
    numbers = {canonical(source.url): source.id for source in state.sources}
    refs = {source.url: source.id for source in state.sources}
    refs |= {hit.ref: numbers[canonical(hit.url)] for hit in state.search_results if hit.ref}

    def linked(found: re.Match[str]) -> str:
        return _as_number(numbers.get(canonical(found[1])), found[0])

    def addressed(found: re.Match[str]) -> str:
        bare = found[1].rstrip(".,;:!?")
        number = numbers.get(canonical(bare))
        return found[0] if number is None else f"[{number}]{found[1][len(bare) :]}"

    def bracketed(found: re.Match[str]) -> str:
        named = [part.strip().strip("`") for part in re.split(r"[,;]", found[1])]
        known = [refs.get(name) for name in named]
        if None in known:
            return found[0]
        return "".join(dict.fromkeys(f"[{number}]" for number in known))

    text = _HANDLE.sub("", answer)
    text = _ADDRESS.sub(addressed, _LINK.sub(linked, text))
    text = _BRACKETED.sub(bracketed, text)
    return _WRAPPED.sub(lambda found: "".join(_bracket(n) for n in _CITED.findall(found[1])), text)


def cited(answer: str) -> tuple[int, ...]:
    """The numbers that an answer cites, in their order."""
    return tuple(dict.fromkeys(int(number) for number in _CITED.findall(answer)))


def _as_number(number: int | None, other: str) -> str:
    return other if number is None else f"[{number}]"


def _bracket(number: str) -> str:
    return f"[{number}]"
