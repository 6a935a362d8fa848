"""Finds instructions that a text from outside gives to the machine that reads it.

`scan` judges, `strip` cuts out what it found; what to do with a verdict is up to each door.
"""

from __future__ import annotations

from leadline.text.barred import MARK
from leadline.text.inject.scan import scan, strip
from leadline.text.spots import Scan, Spot

__all__ = ["MARK", "Scan", "Spot", "scan", "strip"]
