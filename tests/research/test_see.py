"""Images become words before planning; the report still names the task as it was put (V1, V2)."""

from __future__ import annotations

import asyncio
from datetime import datetime

import pytest
from test_loop import a_kit

from leadline.errors import SourceLost
from leadline.fakes.run import MemoryRun
from leadline.research.images import MOST_IMAGES
from leadline.research.loop import Kit, research
from leadline.values import replace

TASK = "Where was the designer of the lighthouse in plan.png born?"


def kit_that_sees(**shows: str) -> Kit:
    async def look(path: str, task: str, today: datetime) -> str:
        if path not in shows:
            raise SourceLost("it cannot be read: No such file or directory")
        return shows[path]

    return replace(a_kit(), look=look)


@pytest.mark.contract("V1", "R2")
def test_what_an_image_shows_is_searched_for_and_the_task_stays_as_it_was_put() -> None:
    run = MemoryRun()
    kit = kit_that_sees(**{"plan.png": "Lantern Bay [1]"})
    response = asyncio.run(research(TASK, kit, run))
    names = [row.name for row in run.rows()]
    assert names[:2] == ["see", "plan"]
    assert run.rows()[0].value == "Lantern Bay [1]"
    assert any("Lantern Bay" in query.text for query in response.plan.search_queries)  # type: ignore[union-attr]
    assert "born in Graufeld in 1871" in response.final_answer
    assert response.task == TASK
    assert not response.error_log


@pytest.mark.contract("V2")
def test_an_image_that_cannot_be_seen_stays_and_is_noted() -> None:
    response = asyncio.run(research(TASK, kit_that_sees(), MemoryRun()))
    assert response.task == TASK
    (note,) = response.error_log
    assert (note.stage, note.what) == ("see", "plan.png")
    assert "No such file" in note.why


@pytest.mark.contract("V2")
def test_a_task_of_many_images_has_the_first_ones_looked_at() -> None:
    names = [f"p{at}.png" for at in range(MOST_IMAGES + 2)]
    kit = kit_that_sees(**dict.fromkeys(names, "Lantern Bay"))
    response = asyncio.run(research(f"Where is this: {' '.join(names)}", kit, MemoryRun()))
    assert [note.what for note in response.error_log] == names[MOST_IMAGES:]
