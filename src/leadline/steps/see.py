"""The images that a task names become words before anything is planned: later stages see text."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import datetime

from leadline.errors import SourceLost
from leadline.ports import Look
from leadline.text.images import image_paths, with_descriptions
from leadline.types import AgentResponse, Loss

MOST_IMAGES = 8


def seeing(look: Look | None, task: str, today: datetime) -> Callable[[str], Awaitable[str]]:
    """What describes one image of `task`."""
    first = image_paths(task)[:MOST_IMAGES]

    async def see(path: str) -> str:
        if look is None:
            raise SourceLost("this run looks at no images")
        if path not in first:
            raise SourceLost(f"only the first {MOST_IMAGES} images of a question are looked at")
        return await look(path, task, today)

    return see


def described(task: str, seen: Sequence[str | Loss]) -> str:
    """`task` with `[Image: …]` for each image that could be seen; the others stay as they are."""
    said = zip(image_paths(task), seen, strict=True)
    return with_descriptions(task, {path: text for path, text in said if isinstance(text, str)})


def as_asked(response: AgentResponse, task: str, seen: Sequence[str | Loss]) -> AgentResponse:
    """The response to the task as it was put, with a note on each image that was not seen."""
    unseen = tuple(one for one in seen if isinstance(one, Loss))
    return replace(response, task=task, error_log=unseen + response.error_log)
