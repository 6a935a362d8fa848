"""`-o`: the suffix says the format, several at once, also for runs that ended long ago."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from fake_runs import FakeRuns, Told

QUESTION = "Who may approve a refund?"
Call = Callable[..., Told]


@pytest.mark.contract("R4", "U2")
@pytest.mark.parametrize("name", ["report.md", "report.json"])
def test_a_run_that_reached_no_source_leaves_the_report_of_an_earlier_one(
    call: Call, handbook: Path, fake: FakeRuns, tmp_path: Path, name: str
) -> None:
    report = tmp_path / name
    asked = ("Who approves refunds?", "--docs", str(handbook), "-o", str(report))
    assert call(*asked).code == 0
    earlier = report.read_bytes()
    fake.reached = fake.found = False
    told = call(*asked)
    assert told.code == 1
    assert report.read_bytes() == earlier
    assert f"{report} is left as it was" in told.err
    assert f"leadline runs show {fake.ids()[-1]}" in told.err
    assert f"Report: {report}" not in told.err


def test_a_run_that_reached_no_source_is_told_in_a_file_where_there_was_none(
    call: Call, handbook: Path, fake: FakeRuns, tmp_path: Path
) -> None:
    fake.reached = fake.found = False
    report = tmp_path / "report.md"
    report.touch()
    told = call("Who approves refunds?", "--docs", str(handbook), "-o", str(report))
    assert told.code == 1
    assert "Not found in the sources." in report.read_text()


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
