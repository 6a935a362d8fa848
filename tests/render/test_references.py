"""Bibliographies: what a reference manager reads back is what the source said."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sample_reports import HOSTILE, LONG_URL, RICH

from leadline.render.references import bibtex, csl_json, ris
from leadline.types import Citation
from leadline.values import replace


def entries(text: str) -> dict[str, dict[str, str]]:
    """A small BibTeX reader: braces nest, a backslash takes the next character along."""
    found: dict[str, dict[str, str]] = {}
    for kind, key, body in re.findall(r"@(\w+)\{([^,\s]+),\n(.*?)\n\}\n", text, re.DOTALL):
        fields = dict(re.findall(r"^  (\w+) = \{(.*)\},$", body, re.MULTILINE))
        assert all(_balanced(value) for value in fields.values())
        found[key] = {"kind": kind, **fields}
    return found


def _balanced(value: str) -> bool:
    depth = 0
    for char in re.sub(r"\\.", "", value):
        depth += (char == "{") - (char == "}")
        if depth < 0:
            return False
    return depth == 0


@pytest.mark.contract("W8")
def test_bibtex_has_who_what_when_and_where() -> None:
    found = entries(bibtex(RICH))
    assert found["mariner2024sounding"] == {
        "kind": "online",
        "title": "{Sounding line}",
        "author": "{Ann Mariner}",
        "year": "2024",
        "date": "2024-03-01",
        "url": "https://sea.example/wiki/Sounding_line",
        "urldate": "2026-11-16",
    }
    assert found["theseamanshandbook"]["title"] == r"{The Seaman's Handbook \& Guide}"
    assert found["theseamanshandbook"]["kind"] == "misc"
    assert len(found) == len(RICH.sources)


@pytest.mark.contract("W8")
def test_ris_has_one_record_a_source_with_its_lines_ended_as_asked() -> None:
    records = ris(RICH).split("ER  - \r\n\r\n")[:-1]
    assert len(records) == len(RICH.sources)
    lines = records[0].split("\r\n")
    assert lines[0] == "TY  - ELEC"
    assert "AU  - Ann Mariner" in lines
    assert "DA  - 2024/03/01" in lines
    assert "Y2  - 2026/11/16" in lines
    assert f"UR  - {LONG_URL}" in records[2]
    assert "TI  - 深度研究" in records[2]


@pytest.mark.contract("W8")
def test_csl_json_has_dates_in_parts() -> None:
    first, second, third, *_ = json.loads(csl_json(RICH))
    assert first == {
        "id": "mariner2024sounding",
        "type": "webpage",
        "title": "Sounding line",
        "author": [{"literal": "Ann Mariner"}],
        "issued": {"date-parts": [[2024, 3, 1]]},
        "accessed": {"date-parts": [[2026, 11, 16]]},
        "URL": "https://sea.example/wiki/Sounding_line",
    }
    assert second["type"] == "document"
    assert third["issued"] == {"date-parts": [[2025]]}


def test_several_authors_are_told_apart() -> None:
    source = Citation(1, "Depths", "web", "https://a.example", "Ann Mariner; Lee, Bo and Cy Ray")
    (item,) = json.loads(csl_json(replace(RICH, sources=(source,))))
    names = [one["literal"] for one in item["author"]]
    assert names == ["Ann Mariner", "Lee, Bo", "Cy Ray"]


def test_hostile_fields_stay_within_their_field() -> None:
    found = entries(bibtex(HOSTILE))
    assert len(found) == 2
    assert r"\{\}\textbackslash{}\%\&\#\$\_\textasciitilde{}\textasciicircum{}" in bibtex(HOSTILE)
    assert "javascript:alert(1)" not in {one.get("url") for one in found.values()}


@given(st.lists(st.tuples(st.text(max_size=30), st.text(max_size=30)), max_size=6))
def test_keys_are_unique_and_every_source_is_there(given: list[tuple[str, str]]) -> None:
    sources = tuple(
        Citation(at, title, "web", "https://a.example/", author, author, title)
        for at, (title, author) in enumerate(given, 1)
    )
    response = replace(RICH, sources=sources)
    found = entries(bibtex(response))
    assert len(found) == len(sources)
    items = json.loads(csl_json(response))
    assert len({item["id"] for item in items}) == len(sources)
    assert ris(response).count("ER  - \r\n") == len(sources)
    assert all(re.match(r"[A-Z][A-Z0-9]  - |$", line) for line in ris(response).split("\r\n"))
