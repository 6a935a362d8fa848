"""Finds instructions that a text from outside gives to the machine that reads it.

`scan` judges, `strip` cuts out what it found; what to do with a verdict is up to each door. Both
are loaded when they are asked for: what is spoken in a passage is found by a few of the parts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from leadline.guard.removed_spans import MARK
from leadline.guard.scan_result import Scan, Spot

if TYPE_CHECKING:
    from leadline.guard.scanning import scan, strip

__all__ = ["MARK", "Scan", "Spot", "scan", "strip"]


def __getattr__(name: str) -> Any:
    if name not in {"scan", "strip"}:
        raise AttributeError(f"{__name__} has no {name}")
    from leadline.guard import scanning

    return getattr(scanning, name)
