"""Sight by a vision model: one call that describes the image for the question it belongs to."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime
from pathlib import Path

from leadline.ports import Model
from leadline.prompts import load
from leadline.question.language import language, named
from leadline.sight.images import as_sent
from leadline.text.tokens import Counter
from leadline.types import Ask
from leadline.write.ask_model import written
from leadline.write.prompt_fit import assemble, section

LONGEST = 2000  # pixels a side: what the providers shrink an image to anyway
ANSWER_TOKENS = 1500


class ModelSight:
    """Satisfies `ports.Sight` over a model that can see. Raises `ReasonerFailed` as it does."""

    def __init__(
        self,
        open_model: Callable[[], Awaitable[Model]],
        temperature: float = 0.0,
        prompts: Path | None = None,
    ) -> None:
        self._open, self._temperature, self._prompts = open_model, temperature, prompts
        self._model: Model | None = None
        self._turn = asyncio.Lock()

    async def _opened(self) -> Model:
        """The model, opened when the first image needs it."""
        async with self._turn:
            if self._model is None:
                self._model = await self._open()
            return self._model

    async def see(self, image: bytes, task: str, today: datetime) -> str:
        model = await self._opened()
        sent = await asyncio.to_thread(as_sent, image, LONGEST)
        prompt = load("describe_image", self._prompts)
        given = {"today": f"{today:%Y-%m-%d}", "language": named(language(task))}

        def build(window: int) -> Ask:
            return assemble(
                prompt,
                given,
                [section("task", task, outside=False, needed=True)],
                window=window,
                counter=Counter(model.chars_per_token),
                max_tokens=ANSWER_TOKENS,
                temperature=self._temperature,
                images=(sent,),
            )

        return (await written(model, build)).text
