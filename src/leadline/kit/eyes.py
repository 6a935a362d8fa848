"""What a run sees images with: a vision model where one is set, else the reader of text."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from leadline.errors import ReasonerFailed, SourceLost, with_extra
from leadline.ports import Look, Model, Sight
from leadline.settings import Settings

if TYPE_CHECKING:
    from leadline.models.opening import Till
    from leadline.sight.images import ImageFiles

HOW = f"to have the text in images read, {with_extra('ocr')}; or set vision_model"


def look_with(files: ImageFiles, eyes: Sequence[Sight]) -> Look:
    """Opens a file, then asks one sight after the other: the next where a model failed."""

    async def look(path: str, task: str, today: datetime) -> str:
        image = await asyncio.to_thread(files.open, path)
        failed = HOW
        for sight in eyes:
            try:
                return await sight.see(image, task, today)
            except ReasonerFailed as failure:
                failed = str(failure)
        raise SourceLost(failed)

    return look


def image_files(settings: Settings) -> ImageFiles:
    """The files that a task may name."""
    from leadline.sight.images import ImageFiles

    return ImageFiles(
        (Path.cwd(), *settings.image_folders),
        int(settings.image_max_mb * 1_000_000),
        int(settings.image_max_megapixels * 1_000_000),
    )


def open_look(settings: Settings, stack: AsyncExitStack, till: Till | None = None) -> Look:
    """How a run with these settings looks at images; nothing is loaded before there is one.

    `till` is where the calls of a vision model are paid, `stack` what closes it.
    """
    held: list[Look] = []

    async def look(path: str, task: str, today: datetime) -> str:
        if not held:
            held.append(look_with(image_files(settings), _eyes(settings, stack, till)))
        return await held[0](path, task, today)

    return look


def _eyes(settings: Settings, stack: AsyncExitStack, till: Till | None) -> list[Sight]:
    """A vision model where one is set, and the reader of text where it is installed."""
    from leadline.sight.ocr import OcrSight, ocr_installed

    eyes: list[Sight] = [OcrSight()] if ocr_installed() else []
    if settings.vision_model:
        eyes.insert(0, _vision(settings, stack, till))
    return eyes


def _vision(settings: Settings, stack: AsyncExitStack, till: Till | None) -> Sight:
    from leadline.models.opening import open_client, open_model
    from leadline.models.roles import keys_from, temperature_of, wanted_for
    from leadline.sight.model import ModelSight

    async def opened() -> Model:
        wanted = wanted_for(settings, "vision")
        assert wanted is not None
        client = open_client()
        stack.push_async_callback(client.aclose)
        keys = keys_from(settings)
        return await open_model(wanted, client, role="vision", keys=keys, till=till)

    return ModelSight(opened, temperature_of(settings, "vision", 0.0), settings.prompts)
