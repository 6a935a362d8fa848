"""The crew: a file that kills its reader is named, and all others are taken in."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

from leadline.documents.files import walk
from leadline.documents.ingest import Job
from leadline.documents.workers import taken_in

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
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    docs = tmp_path / "docs"
    docs.mkdir()
    for number in range(20):
        (docs / f"{number:02}.md").write_text("poison" if number in {7, 8} else f"page {number}")
    files = [(file, b"") for file in walk(docs)]
    jobs = [Job(docs, tuple(files[at : at + 3]), 1_000) for at in range(0, 20, 3)]
    results = list(taken_in(jobs, importlib.import_module("deadly").Deadly(), 2))
    taken = [one for job in results for one in job]
    assert [one.file.url for one in taken] == [f"{number:02}.md" for number in range(20)]
    lost = {one.file.url: one.entry.lost for one in taken if one.entry and one.entry.lost}
    assert lost == dict.fromkeys(["07.md", "08.md"], "the reader crashed on it")
    assert sum(one.vectors is not None for one in taken) == 18
    sys.modules.pop("deadly")
