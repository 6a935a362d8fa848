"""A process that carries out runs one after another: requests on stdin, results on stdout.

Each line is JSON. A run that crashes takes this process with it and nothing else.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from pathlib import Path
from typing import Any, TextIO

from leadline.errors import LeadlineError
from leadline.experiment.responses import Measured, measure
from leadline.session import open_session
from leadline.settings import Settings, calm_math, load


def main() -> None:
    """Serve until stdin ends. Whatever else prints must not reach the pipe of results."""
    calm_math()
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as results:
        os.dup2(2, 1)
        for line in sys.stdin:
            _told(results, _answer(json.loads(line)))


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    try:
        config = Path(request["config"]) if request["config"] else None
        settings = load(config=config, overrides=request["settings"], tell=lambda file: None)
        return asyncio.run(_carried_out(settings, request))
    except (LeadlineError, OSError) as error:
        return {"why": f"{type(error).__name__}: {error}"}


async def _carried_out(settings: Settings, request: dict[str, Any]) -> dict[str, Any]:
    async with open_session(settings) as session:
        if settings.docs:
            session.prepare()
        began, cpu = time.perf_counter(), time.process_time()
        run_id = await session.start(request["task"])
        response = await session.response(run_id)
        run = Measured(
            response,
            gold=tuple(request["gold"]),
            seconds=time.perf_counter() - began,
            cpu_s=time.process_time() - cpu,
        )
    return {"values": measure(run, request["responses"]), "run_id": run_id}


def _told(results: TextIO, answer: dict[str, Any]) -> None:
    results.write(json.dumps(answer) + "\n")
    results.flush()


if __name__ == "__main__":
    main()
