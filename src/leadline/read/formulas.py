"""Formulas in MathML: which elements make one, and what it says in TeX."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_NAMES = """
math semantics mrow mi mo mn ms mtext mspace mstyle mpadded mphantom merror menclose mfenced
maction msub msup msubsup mfrac msqrt mroot mover munder munderover mmultiscripts mtable mtr mtd
"""
FORMULA = frozenset(_NAMES.split())
# What makes no sense in a line of letters: 1/2 is not 12.
_RAISED = "mfrac, msup, msubsup, msqrt, mroot, munderover, mmultiscripts, mtable"


def needed_tex(node: LexborNode) -> str:
    """A formula in TeX, where the page tells it and the letters alone would say another thing."""
    inner = node.parent is not None and node.parent.tag in FORMULA
    if node.tag != "math" or inner or node.css_first(_RAISED) is None:
        return ""
    note = node.css_first("annotation[encoding*='tex' i]")
    told = note.text() if note is not None else node.attributes.get("alttext") or ""
    return " ".join(told.split())
