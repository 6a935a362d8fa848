"""A rig that also asks questions of ours: the same servers and pages by link, more questions.

Three questions tell no two systems apart. Those in `bench/arena/questions.json` were written from
the titles of the pages, with their gold strings, before any system was run on them.
"""

from __future__ import annotations

import json
from pathlib import Path

QUESTIONS = "questions.json"


def with_questions(rig: Path, more: Path, where: Path) -> Path:
    """A folder in `where` that is the rig, with its own questions and `more` after them."""
    folder = where / "rig"
    folder.mkdir(parents=True, exist_ok=True)
    for file in rig.iterdir():
        link = folder / file.name
        if file.name != QUESTIONS and file.is_file() and not link.exists():
            link.symlink_to(file.resolve())
    own = json.loads((rig / QUESTIONS).read_text("utf-8"))
    asked = own + json.loads(more.read_text("utf-8"))
    names = [one["id"] for one in asked]
    if len(set(names)) < len(names):
        raise SystemExit(f"{more}: an id of {', '.join(names)} stands there twice")
    (folder / QUESTIONS).write_text(json.dumps(asked, indent=1), "utf-8")
    return folder
