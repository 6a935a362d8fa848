"""A vision model describes an image for the question it belongs to (V1, L5)."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest

from leadline.errors import ReasonerFailed
from leadline.fakes.model import ScriptedModel
from leadline.ports import Model
from leadline.sight.model import ModelSight
from pictures import encoded

TODAY = datetime(2026, 1, 2, tzinfo=UTC)
TASK = "Wie hoch ist der Umsatz in chart.bmp und warum ist er gefallen?"


def sight(model: ScriptedModel) -> ModelSight:
    async def opened() -> Model:
        return model

    return ModelSight(opened)


@pytest.mark.contract("V1", "P7")
def test_the_model_gets_the_image_the_question_the_date_and_the_language() -> None:
    model = ScriptedModel(["<think>a bar chart</think>2024: 12 Mio., 2025: 9 Mio."])
    said = asyncio.run(sight(model).see(encoded("BMP"), TASK, TODAY))
    assert said == "2024: 12 Mio., 2025: 9 Mio."
    (ask,) = model.asks
    assert TASK in ask.prompt
    assert "2026-01-02" in ask.system
    assert "German" in ask.system
    assert [image[:4] for image in ask.images] == [b"\x89PNG"]


@pytest.mark.contract("L5")
def test_a_long_question_is_cut_to_the_window_of_the_model() -> None:
    model = ScriptedModel(["a chart"], window=4096)
    asyncio.run(sight(model).see(encoded("PNG"), "What is in a.png? " + "word " * 4000, TODAY))
    assert len(model.asks) == 1


@pytest.mark.contract("L3")
def test_a_model_that_says_nothing_fails_by_name() -> None:
    with pytest.raises(ReasonerFailed, match="answered nothing"):
        asyncio.run(sight(ScriptedModel(["", ""])).see(encoded("PNG"), TASK, TODAY))
