"""The one table of formats: by name, by suffix, with a clear word for what cannot be written."""

from __future__ import annotations

import subprocess
import sys
from pathlib import PurePath

import pytest
from sample_reports import HOSTILE, RICH

from leadline.errors import BadInput
from leadline.render.formats import FORMATS, Format, format_of, lacks, named, render
from leadline.types import AgentResponse


@pytest.mark.contract("W8")
@pytest.mark.parametrize("one", FORMATS, ids=lambda one: one.name)
@pytest.mark.parametrize("response", [RICH, HOSTILE], ids=["rich", "hostile"])
def test_every_format_gives_the_same_bytes_again(one: Format, response: AgentResponse) -> None:
    assert render(response, one.name) == render(response, one.suffix)


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("a.md", "markdown"),
        ("a.MARKDOWN", "markdown"),
        ("a.htm", "html"),
        ("a.csl.json", "csl"),
        ("a.json", "json"),
        ("b.c.Pdf", "pdf"),
    ],
)
def test_the_longest_suffix_says_the_format(file: str, name: str) -> None:
    found = format_of(PurePath("some", file))
    assert found
    assert found.name == name


def test_an_unknown_format_is_refused_with_those_there_are() -> None:
    assert format_of(PurePath("a.odt")) is None
    assert named("odt") is None
    with pytest.raises(BadInput, match=r"\.md, \.html, \.pdf, \.docx, \.json, \.bib, \.ris, \.csl"):
        render(RICH, "odt")


def test_a_missing_package_is_told_with_the_command_that_brings_it() -> None:
    missing = lacks(Format("x", ".x", "text/x", "no_such_package_at_all", "pdf"))
    assert "no_such_package_at_all" in missing
    assert "pip install '.[pdf]'" in missing
    assert all(not lacks(one) for one in FORMATS)


def test_a_markdown_report_loads_none_of_the_other_formats() -> None:
    code = (
        "import sys; from leadline.render import formats, markdown;"
        "print([m for m in ('typst', 'nh3', 'markdown_it', 'zipfile') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
