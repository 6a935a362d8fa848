"""A file that kills its reader is named, and all others are taken in."""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path

import pytest

import leadline
from leadline.documents.files import list_files
from leadline.documents.ingest import Job, Known, take_in_apart

DEADLY = """
import os
from leadline.fakes.embedder import FakeEmbedder

class Deadly(FakeEmbedder):
    def embed(self, texts):
        if any("poison" in text for text in texts):
            os._exit(9)
        return super().embed(texts)
"""


@pytest.mark.contract("D1")
def test_a_file_that_kills_its_reader_is_named_and_the_rest_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "deadly.py").write_text(DEADLY)
    monkeypatch.syspath_prepend(str(tmp_path))
    source = Path(leadline.__file__).parents[1]
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}{source}")
    docs = tmp_path / "docs"
    docs.mkdir()
    for number in range(20):
        (docs / f"{number:02}.md").write_text("poison" if number in {7, 8} else f"page {number}")
    files = tuple(map(Known, list_files(docs)))
    deadly = importlib.import_module("deadly").Deadly()
    job = Job(files, 1_000, deadly)
    entries = [one for one in take_in_apart(job) if one]
    assert [entry.file.url for entry in entries] == [f"{number:02}.md" for number in range(20)]
    lost = {entry.file.url: entry.left_out.why for entry in entries if entry.left_out}
    assert lost == dict.fromkeys(["07.md", "08.md"], "the reader crashed on it")
    assert sum(bool(entry.vectors) for entry in entries) == 18
    sys.modules.pop("deadly")
