"""`bench ocr` on pages made for it, and what it says of data that is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from leadline.bench.ocr import load, run
from leadline.bench.options import BenchOptions
from leadline.errors import BadInput
from leadline.sight.ocr import ocr_installed
from pictures import written


def page(folder: Path, name: str, *lines: str, gold: str = "") -> None:
    (folder / f"{name}.png").write_bytes(written([[(30, line)] for line in lines]))
    told = gold or "\n".join(lines)
    rows = [f"1,2,3,4,5,6,7,8,{line}" for line in told.splitlines()]
    (folder / f"{name}.csv").write_text("\n".join(rows) + "\n", "utf-8")


@pytest.mark.contract("Z2")
def test_the_text_of_a_line_may_hold_commas(tmp_path: Path) -> None:
    page(tmp_path, "a", "Tea, green, 2")
    assert load(tmp_path)[0].lines == ("Tea, green, 2",)


@pytest.mark.contract("Z2")
def test_data_of_another_kind_is_refused_with_what_is_wanted(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"no images with a \.csv"):
        load(tmp_path)
    page(tmp_path, "a", "Tea")
    (tmp_path / "a.csv").write_text("1,2,Tea\n", "utf-8")
    with pytest.raises(BadInput, match="eight coordinates"):
        load(tmp_path)


@pytest.mark.slow
@pytest.mark.skipif(not ocr_installed(), reason="needs the extra ocr")
@pytest.mark.contract("Z2", "V1")
def test_recall_is_what_stands_there_and_was_read(tmp_path: Path) -> None:
    page(tmp_path, "a", "Harbour Cafe", "Green tea")
    page(tmp_path, "b", "Apple cake", gold="Apple cake\nnever printed")
    figures = run(tmp_path, BenchOptions())
    assert figures["n"] == 2
    assert figures["recall.a"] == 1.0
    assert figures["recall.b"] == 0.5
    assert figures["recall"] == 0.75
    assert {"recall.plain", "recall.half", "order", "strict", "peak_mb"} <= figures.keys()
