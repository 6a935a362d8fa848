"""Text in images is read, in reading order, in a process that cannot hurt us (V1, V2)."""

from __future__ import annotations

import asyncio
import sys
from datetime import UTC, datetime

import pytest

from leadline.errors import SourceLost
from leadline.sight.ocr import OcrSight, ocr_installed
from pictures import png, written

TODAY = datetime(2026, 1, 2, tzinfo=UTC)
with_ocr = pytest.mark.skipif(not ocr_installed(), reason="needs the extra ocr")
LINES = [
    [(200, "Harbour Cafe")],
    [(30, "Green tea"), (400, "12.40")],
    [(30, "Apple cake"), (400, "7.85")],
    [(30, "Total"), (400, "20.25")],
]


def see(image: bytes, sight: OcrSight | None = None) -> str:
    return asyncio.run((sight or OcrSight()).see(image, "", TODAY))


def child(code: str, limit_s: float = 20.0) -> OcrSight:
    return OcrSight((sys.executable, "-c", code), limit_s)


@pytest.mark.slow
@with_ocr
@pytest.mark.contract("V1")
@pytest.mark.parametrize("turned", [0, 2, 180])
def test_a_receipt_is_read_line_by_line(turned: int) -> None:
    text = see(written(LINES, turned)).replace(" ", "").replace("|", " ")
    assert text == "HarbourCafe\nGreentea 12.40\nApplecake 7.85\nTotal 20.25"


@pytest.mark.slow
@with_ocr
@pytest.mark.contract("V1")
def test_a_page_far_longer_than_wide_is_read_to_its_end() -> None:
    lines = [[(30, f"Entry number {at}")] for at in range(60)]
    text = see(written(lines)).replace(" ", "").splitlines()
    assert [line for line in text if line.startswith("Entry")] == [
        f"Entrynumber{at}" for at in range(60)
    ]


@pytest.mark.slow
@with_ocr
@pytest.mark.contract("V2")
def test_an_image_without_text_and_one_that_does_not_decode_are_lost_with_a_reason() -> None:
    with pytest.raises(SourceLost, match="vision_model"):
        see(png(200, 100))
    with pytest.raises(SourceLost, match="does not decode"):
        see(png(200, 100)[:60])


@pytest.mark.slow
@with_ocr
@pytest.mark.contract("D7")
def test_the_reader_cannot_open_a_connection() -> None:
    code = (
        "import sys, socket; sys.stdin.buffer.read();"
        "from leadline.sight import ocr_worker as w; w._settle()\n"
        "try: socket.create_connection(('127.0.0.1', 9))\n"
        "except w.SourceLost as lost: print(w.json.dumps({'lost': str(lost)}))"
    )
    with pytest.raises(SourceLost, match="nothing is downloaded"):
        see(b"", child(code))


@pytest.mark.contract("V2")
def test_a_reader_that_breaks_or_hangs_costs_only_its_image() -> None:
    with pytest.raises(SourceLost, match="broke its reader"):
        see(b"x", child("import os; os.abort()"))
    with pytest.raises(SourceLost, match=r"longer than 0\.3 s"):
        see(b"x", child("import time; time.sleep(60)", limit_s=0.3))


@pytest.mark.contract("R7")
def test_a_cancelled_look_ends_its_process() -> None:
    async def cancel() -> float:
        loop = asyncio.get_running_loop()
        look = asyncio.ensure_future(child("import time; time.sleep(60)").see(b"x", "", TODAY))
        await asyncio.wait({look}, timeout=0.3)
        look.cancel()
        began = loop.time()
        with pytest.raises(asyncio.CancelledError):
            await look
        return loop.time() - began

    assert asyncio.run(cancel()) < 5.0
