"""A report as a Word document, written part by part; it needs no package."""

from __future__ import annotations

from leadline.render.docx.document import as_docx

__all__ = ["as_docx"]
