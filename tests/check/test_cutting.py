"""The chunker's modes: by headings, by pieces, or from the top."""

from __future__ import annotations

import pytest

from leadline.reader.static import StaticEmbedder
from leadline.text.chunk import best_pieces

PAGE = "\n\n".join(
    [
        "# Tides",
        "## Methods\n\n" + "We measured the depth of the harbour with a rope each day. " * 12,
        "## Background\n\n" + "Ropes were made of hemp in the village by the sea. " * 12,
        "## Conclusion\n\n" + "The harbour is nine metres deep at low tide. " * 4,
        "## Thanks\n\n" + "We thank the pilots for their patience. " * 12,
    ]
)


@pytest.mark.contract("C1", "C2")
def test_flat_reading_takes_no_notice_of_headings() -> None:
    by_heading = best_pieces(PAGE, "thanks to pilots", 400, StaticEmbedder())
    by_piece = best_pieces(PAGE, "thanks to pilots", 400, StaticEmbedder(), flat=True)
    assert "nine metres" in by_heading[0].text
    assert any("thank the pilots" in piece.text for piece in by_piece)


@pytest.mark.contract("C2")
def test_without_an_embedder_the_top_is_taken() -> None:
    first = best_pieces(PAGE, "thanks to pilots", 400, None, flat=True)
    assert first[0].start < 200
