"""What a user is shown is counted: nothing pretends to know how much of the whole was seen."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

SRC = Path(__file__).resolve().parents[2] / "src" / "leadline"
SHOWN = ("render", "page", "cli", "mcpserver", "service", "observe", "prompts")
ESTIMATED = re.compile(r"\bcoverage\b|good.turing|\bchao[12]?\b|unseen share", re.I)


@pytest.mark.contract("G9")
@pytest.mark.parametrize("folder", SHOWN)
def test_no_face_speaks_of_coverage(folder: str) -> None:
    files = [
        file
        for kind in ("py", "js", "html", "md", "css")
        for file in (SRC / folder).rglob(f"*.{kind}")
    ]
    assert files
    said = [f"{file.name}: {line}" for file in files for line in file.read_text().splitlines()]
    claimed = [line for line in said if ESTIMATED.search(line)]
    assert [line for line in claimed if "never claimed" not in line] == []
