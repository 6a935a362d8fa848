"""The images that a task names become words before anything is planned: later stages see text."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime

from leadline.errors import SourceLost
from leadline.ports import Look
from leadline.text.images import image_paths, with_descriptions
from leadline.types import AgentResponse, Doors, Loss, Seen
from leadline.values import replace

MOST_IMAGES = 8
Sight = str | Seen | Loss


def seeing(
    look: Look | None, task: str, today: datetime, doors: Doors | None = None
) -> Callable[[str], Awaitable[str | Seen]]:
    """What describes one image of `task`; what gives orders in it is dealt with at the door."""
    first = image_paths(task)[:MOST_IMAGES]

    async def see(path: str) -> str | Seen:
        if look is None:
            raise SourceLost("this run looks at no images")
        if path not in first:
            raise SourceLost(f"only the first {MOST_IMAGES} images of a question are looked at")
        text = await look(path, task, today)
        if doors is None:
            return text
        from leadline.guard.policy import screen_image  # few tasks name an image

        return await asyncio.to_thread(screen_image, text, path, doors)

    return see


def described(task: str, seen: Sequence[Sight]) -> str:
    """`task` with `[Image: …]` for each image that could be seen; the others stay as they are."""
    texts = {
        path: sight.text if isinstance(sight, Seen) else sight
        for path, sight in zip(image_paths(task), seen, strict=True)
        if not isinstance(sight, Loss)
    }
    return with_descriptions(task, {path: text for path, text in texts.items() if text})


def as_asked(response: AgentResponse, task: str, seen: Sequence[Sight]) -> AgentResponse:
    """The response to the task as it was put, with a note on each image that was not seen, and on
    what gave orders in those that were."""
    unseen = tuple(sight for sight in seen if isinstance(sight, Loss))
    orders = tuple(note for sight in seen if isinstance(sight, Seen) for note in sight.injections)
    return replace(
        response,
        task=task,
        error_log=unseen + response.error_log,
        injections=orders + response.injections,
    )
