"""Sight without a model: the text that stands in an image, read in a process of its own."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from importlib.util import find_spec
from typing import Any

from leadline.errors import SourceLost

LIMIT_S = 180.0  # seconds alone on two cores, a minute where fifteen others work too
COMMAND = (sys.executable, "-m", "leadline.sight.ocr_worker")
NEEDED = ("rapidocr", "onnxruntime", "PIL")


def ocr_installed() -> bool:
    """Whether the extra `ocr` is there; nothing is imported to find out."""
    return all(find_spec(name) is not None for name in NEEDED)


class OcrSight:
    """Satisfies `ports.Sight`. One image at a time: each takes every core and 600 MB."""

    def __init__(self, command: Sequence[str] = COMMAND, limit_s: float = LIMIT_S) -> None:
        self._command, self._limit_s = command, limit_s
        self._turn = asyncio.Lock()

    async def see(self, image: bytes, task: str, today: datetime) -> str:
        async with self._turn:
            answer = await self._ask(image)
        if "lost" in answer:
            raise SourceLost(str(answer["lost"]))
        text = str(answer["text"]).strip()
        if not text:
            raise SourceLost("no text can be read in it; a vision_model could say what it shows")
        return text

    async def _ask(self, image: bytes) -> dict[str, Any]:
        process = await asyncio.create_subprocess_exec(
            *self._command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
        try:
            async with asyncio.timeout(self._limit_s):
                said, _ = await process.communicate(image)
            return dict(json.loads(said))
        except TimeoutError as error:
            raise SourceLost(f"reading it took longer than {self._limit_s:g} s") from error
        except (ValueError, TypeError) as error:
            raise SourceLost("the image broke its reader") from error
        finally:
            if process.returncode is None:
                with suppress(ProcessLookupError):
                    process.kill()
                await process.wait()
