"""A report that anybody wrote is checked against its sources, claim by claim."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from leadline import BadInput, Settings, check_report
from leadline.check.report import take_apart
from leadline.cli.app import program

ROCKS = (
    "# Rocks\n\nBasalt is a volcanic rock. It forms when lava cools quickly.\n\n"
    "The quarry of Selm sold 400 tonnes of basalt in 1921.\n"
)
HARBOUR = "# Harbour\n\nThe harbour of Selm is 12 fathoms deep at low tide.\n"
REPORT = """# Selm

Basalt is a volcanic rock [1]. Basalt is formed when the lava is quick to cool [1].
The quarry of Selm sold 900 tonnes of basalt in 1921 [1].

- The harbour of Selm is 12 fathoms deep at low tide.
- Salmon prices doubled in Chile [2].

Is that so?

## Sources

1. [Rocks](notes/rocks.md)
[2] **Harbour** — harbour.md
"""
WANTED = ["quoted", "sourced", "contradicted", "quoted", "not_found"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    docs = tmp_path / "docs"
    (docs / "notes").mkdir(parents=True)
    (docs / "notes" / "rocks.md").write_text(ROCKS)
    (docs / "harbour.md").write_text(HARBOUR)
    return docs


def settings(folder: Path) -> Settings:
    return Settings(docs=(folder,), data_dir=folder.parent / "data")


@pytest.mark.contract("W3", "W7", "W11")
def test_each_claim_has_its_verdict_and_the_place_that_proves_it(folder: Path) -> None:
    found = check_report(REPORT, settings=settings(folder))
    assert [claim.verdict for claim in found.claims] == WANTED
    assert [claim.cited for claim in found.claims] == [(1,), (1,), (1,), (), (2,)]
    assert [claim.proved_by for claim in found.claims] == [(1,), (1,), (), (2,), ()]
    quote = found.claims[3].quote
    assert quote is not None
    assert HARBOUR[quote.start : quote.end] == quote.text
    assert "it cites nothing" in found.claims[3].why
    assert not found.borne_out


@pytest.mark.contract("W3")
def test_a_source_that_cannot_be_read_is_told_and_others_are_tried(folder: Path) -> None:
    text = "Basalt is a volcanic rock [7].\n\n## References\n\n[7]: https://lost.example/rocks\n"
    found = check_report(text, settings=settings(folder))
    (claim,) = found.claims
    assert (claim.verdict, claim.cited) == ("quoted", (7,))
    assert "no page of https://lost.example/rocks is kept here" in claim.why
    (number,) = claim.proved_by
    assert {one.id: one.location for one in found.sources}[number] == "notes/rocks.md"


@pytest.mark.contract("W3", "U2")
def test_the_command_tells_and_exits_by_what_it_found(folder: Path, tmp_path: Path) -> None:
    def run(text: str, *more: str) -> tuple[int, str]:
        path = tmp_path / "report.md"
        path.write_text(text)
        env = {"RESEARCH_DATA_DIR": str(tmp_path / "data")}
        ran = CliRunner().invoke(
            program, ["verify", str(path), "--docs", str(folder), *more], env=env
        )
        return ran.exit_code, ran.output

    code, told = run(REPORT, "--json")
    assert code == 3
    claims = json.loads(told)["claims"]
    assert [claim["verdict"] for claim in claims] == WANTED
    assert set(claims[0]) == {"text", "verdict", "cited", "proved_by", "quote", "why"}
    assert claims[0]["quote"]["file"] == "notes/rocks.md"
    code, told = run(REPORT)
    assert (code, "NOT borne out" in told) == (3, True)
    assert run("Basalt is a volcanic rock. [1]\n\nSources:\n\n[1] notes/rocks.md\n")[0] == 0


@pytest.mark.contract("W3")
@pytest.mark.parametrize("text", ["", "# Only a title\n", "## Sources\n\n[1] a.md\n"])
def test_a_report_without_a_claim_is_bad_input(text: str, folder: Path) -> None:
    with pytest.raises(BadInput):
        check_report(text, settings=settings(folder))


@pytest.mark.parametrize(
    ("line", "title", "location"),
    [
        ("[1] **Title** — docs/a.md", "Title", "docs/a.md"),
        ("1. [Title](https://x.example/a_(b))", "Title", "https://x.example/a_(b)"),
        ("- [1] Title, <https://x.example/a>", "Title", "https://x.example/a"),
        ("[^1]: Title. https://x.example/a.", "Title", "https://x.example/a"),
        ("[1] docs/a.md", "docs/a.md", "docs/a.md"),
        ("1) Title - `docs/a b.md`", "Title", "docs/a b.md"),
    ],
)
def test_sources_are_listed_in_many_ways(line: str, title: str, location: str) -> None:
    body, (source,) = take_apart(f"A claim [1].\n\n**Sources**\n\n{line}\n")
    assert body.strip() == "A claim [1]."
    assert (source.id, source.title, source.location) == (1, title, location)
