"""A web page to clean Markdown of its main content, with title, author and date."""

from __future__ import annotations

from leadline.errors import SourceLost
from leadline.types import Page


def read_article(html: str, url: str) -> Page:
    """The main content of a web page. Raises `SourceLost` when there is none."""
    from trafilatura import bare_extraction

    found = bare_extraction(
        html, url=url, include_formatting=True, include_comments=False, with_metadata=True
    )
    if found is None or isinstance(found, dict) or not found.text:
        raise SourceLost("the page has no main content")
    return Page(url, found.title or "", found.text, "web", found.author or "", found.date or "")
