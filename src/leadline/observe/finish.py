"""What is written down about a run once it has its answer, whichever face asked."""

from __future__ import annotations

from pathlib import Path

from leadline.observe.record import append_record, run_record
from leadline.ports import Engine
from leadline.types import AgentResponse


async def keep_record(engine: Engine, response: AgentResponse, data_dir: Path) -> bool:
    """Add the run to `runs.jsonl`; False when it stands there already."""
    info = await engine.info(response.run_id)
    rows = await engine.rows(response.run_id)
    return append_record(data_dir, run_record(response, rows, info.settings))
