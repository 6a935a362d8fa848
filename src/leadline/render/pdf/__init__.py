"""A report as PDF, set by typst. What no font can show is told, never left as empty boxes alone."""

from __future__ import annotations

from leadline.render.pdf.setting import as_pdf

__all__ = ["as_pdf"]
