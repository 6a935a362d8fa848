"""A report as one HTML file that needs nothing else: no script, no font, no other server."""

from __future__ import annotations

from leadline.render.html.page import as_html

__all__ = ["as_html"]
