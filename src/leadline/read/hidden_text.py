"""Which hidden elements of a page are its article all the same, as a script or a login shows it.

Hidden text is a way in for orders to the reader, so nothing else is taken up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from leadline.read.boilerplate_phrases import bars_the_way
from leadline.read.class_names import is_body, is_folded

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_REST = 2  # paragraphs in sight and as many hidden: one may be a message or a line of a form
_NEAR = 40  # nodes before a hidden element that are looked at, spaces too: ten paragraphs and more
_BESIDE = 12  # nodes on either side in which the reader is asked to log in
_WHOLE, _PARAGRAPHS = 500, 3  # characters and paragraphs that make an article
_LONGEST_BAR = 400
_Attributes = dict[str, str | None]


class Folded:
    """The hidden elements of one page; of those that hold most of its text there is one."""

    def __init__(self, body: LexborNode) -> None:
        self._body = body
        self._all = -1

    def is_shown(self, node: LexborNode, attributes: _Attributes) -> bool:
        """Whether a hidden element is a part of the article that readers get to see."""
        return is_folded(attributes) and (_goes_on(node) or self._is_article(node))

    def _is_article(self, node: LexborNode) -> bool:
        """Whether it is the better part of the page's prose, and is marked or barred as such.

        What else a page hides is less than its text: menus, messages, forms, orders to machines.
        """
        own = _prose(node)
        if len(own) < _PARAGRAPHS or sum(own) < _WHOLE:
            return False
        if self._all < 0:
            self._all = sum(_prose(self._body))
        return 2 * sum(own) > self._all and (_is_marked(node.attributes) or _is_barred(node))


def _prose(node: LexborNode) -> list[int]:
    """The lengths of all paragraphs; of paragraphs in paragraphs, which no article has, of none."""
    if node.css_first("p p") is not None:
        return []
    return [len(one.text(deep=True).strip()) for one in node.css("p")]


def _is_marked(attributes: _Attributes) -> bool:
    names = f"{attributes.get('class') or ''} {attributes.get('id') or ''}"
    return attributes.get("itemprop") == "articleBody" or is_body(names)


def _is_barred(node: LexborNode) -> bool:
    """Whether a line beside the element says that one has to log in to read on."""
    before, after = node.prev, node.next
    for _ in range(_BESIDE):
        for beside in (before, after):
            if beside is not None and beside.tag not in ("script", "style", "-text"):
                said = beside.text(deep=True).strip()
                if len(said) <= _LONGEST_BAR and bars_the_way(" ".join(said.split())):
                    return True
        before = before.prev if before is not None else None
        after = after.next if after is not None else None
    return False


def _goes_on(node: LexborNode) -> bool:
    """Whether a hidden element is the rest of an article, which a button shows.

    It holds paragraphs of the very classes of those that stand before it in sight; to have none
    is no sign of being alike.
    """
    if node.tag != "div":
        return False
    own = [one.attributes.get("class") for one in node.iter() if one.tag == "p"]
    if len(own) < _REST:
        return False
    seen: list[str | None] = []
    before = node.prev
    for _ in range(_NEAR):
        if before is None:
            break
        if before.tag == "p":
            seen.append(before.attributes.get("class"))
        before = before.prev
    return len(seen) >= _REST and set(own) == set(seen) and None not in own
