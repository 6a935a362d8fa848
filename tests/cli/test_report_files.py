"""`-o`: the suffix says the format, several at once, also for runs that ended long ago."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from fake_runs import FakeRuns, Told

QUESTION = "Who may approve a refund?"
Call = Callable[..., Told]


@pytest.mark.contract("W8", "U2")
def test_one_run_writes_every_format_that_is_asked_for(
    call: Call, handbook: Path, tmp_path: Path
) -> None:
    names = ("a.md", "a.html", "a.pdf", "a.docx", "a.json", "a.bib", "a.ris", "a.csl.json")
    asked = [part for name in names for part in ("-o", str(tmp_path / name))]
    told = call(QUESTION, "--docs", str(handbook), *asked)
    assert told.code == 0
    assert told.out == ""
    assert [name for name in names if f"Report: {tmp_path / name}" not in told.err] == []
    assert (tmp_path / "a.html").read_text("utf-8").startswith("<!doctype html>")
    assert (tmp_path / "a.pdf").read_bytes().startswith(b"%PDF")
    assert zipfile.is_zipfile(tmp_path / "a.docx")
    assert (tmp_path / "a.csl.json").read_text("utf-8").startswith("[")


@pytest.mark.contract("W8")
def test_a_finished_run_is_written_in_another_format_later(
    call: Call, fake: FakeRuns, handbook: Path, tmp_path: Path
) -> None:
    call(QUESTION, "--docs", str(handbook), "-o", str(tmp_path / "first.docx"))
    told = call("runs", "show", fake.ids()[0], "-o", str(tmp_path / "again.docx"), "-q")
    assert told.code == 0
    assert (tmp_path / "again.docx").read_bytes() == (tmp_path / "first.docx").read_bytes()


def test_one_unknown_suffix_among_several_starts_no_run(
    call: Call, fake: FakeRuns, handbook: Path, tmp_path: Path
) -> None:
    good = tmp_path / "a.html"
    told = call(QUESTION, "--docs", str(handbook), "-o", str(good), "-o", "a.odt")
    assert told.code == 2
    assert ".csl.json" in told.err
    assert fake.ids() == []
    assert not good.exists()
