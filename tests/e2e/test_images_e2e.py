"""A whole run over a question that names an image file, read by the real reader (V1, V2)."""

from __future__ import annotations

from pathlib import Path

import pytest

from leadline.session import run_research_sync
from leadline.settings import Settings
from leadline.sight.ocr import ocr_installed
from pictures import written


@pytest.mark.slow
@pytest.mark.skipif(not ocr_installed(), reason="needs the extra ocr")
@pytest.mark.contract("V1", "V2", "R1")
def test_a_question_about_a_picture_is_answered_from_the_documents(tmp_path: Path) -> None:
    docs, scans = tmp_path / "docs", tmp_path / "my scans"
    docs.mkdir()
    scans.mkdir()
    (docs / "bay.md").write_text(
        "# Lantern Bay\n\nThe lighthouse of Lantern Bay was designed by Ottilie Brandt.\n", "utf-8"
    )
    (docs / "ropes.md").write_text("# Ropes\n\nHemp ropes rot when they are stored wet.\n", "utf-8")
    (scans / "sign.png").write_bytes(written([[(40, "Lantern Bay")]]))
    task = f'Who designed the lighthouse of the place on "{scans / "sign.png"}" or gone.png?'
    settings = Settings(
        docs=(docs,),
        image_folders=(scans,),
        data_dir=tmp_path / "data",
        max_execution_time_s=900,  # a busy machine takes its time over a picture
    )
    response = run_research_sync(task, settings=settings)
    assert "designed by Ottilie Brandt" in response.final_answer
    assert response.task == task
    assert [loss.what for loss in response.error_log if loss.stage == "see"] == ["gone.png"]
