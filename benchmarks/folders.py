"""Data sets of paragraphs written out as folders of Markdown files, as a user has them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path


def as_folder(documents: Iterable[tuple[str, str, str]], folder: Path) -> Path:
    """A file for each (id, title, text); what stands there from an earlier run is taken."""
    if not (folder / ".complete").exists():
        folder.mkdir(parents=True, exist_ok=True)
        for name, title, text in documents:
            safe = "".join(letter if letter.isalnum() else "-" for letter in name)
            (folder / f"{safe}.md").write_text(f"# {title}\n\n{text}\n", "utf-8")
        (folder / ".complete").touch()
    return folder
