"""What is written down about a run once it has its answer, whichever face asked."""

from __future__ import annotations

import logging
from pathlib import Path

from leadline.observe.estimate import forget_estimate, noted_estimate
from leadline.observe.record import append_record, run_record
from leadline.ports import Engine
from leadline.types import AgentResponse


async def keep_record(engine: Engine, response: AgentResponse, data_dir: Path) -> bool:
    """Add the run to `runs.jsonl`; False when it stands there already or there is no room.

    The answer matters more than the record of it, so a full disk is told to the log only.
    """
    info = await engine.info(response.run_id)
    foreseen = noted_estimate(data_dir, response.run_id)
    record = run_record(response, await engine.rows(response.run_id), info.settings, foreseen)
    try:
        added = append_record(data_dir, record)
        forget_estimate(data_dir, response.run_id)
        return added
    except OSError as error:
        logging.getLogger("leadline.run").warning("no record of %s: %s", response.run_id, error)
        return False
