"""Logs as data: JSON lines in `DATA_DIR/logs/leadline.log`, one at each boundary of a phase.

Nothing reaches the terminal unless asked for. Records of the libraries below us go the same way.
"""

from __future__ import annotations

import logging
import sys
from pathlib import Path
from typing import Any

import structlog

from leadline.observe.rows import results_of
from leadline.ports import Row

LOG_NAME = "leadline.log"
MAX_LOG_BYTES = 20_000_000
# Libraries that would print to the terminal by themselves.
_ALSO_HEARD = ("dbos",)


def log_path(data_dir: Path) -> Path:
    """Where the log of a data folder is."""
    return data_dir / "logs" / LOG_NAME


def configure(data_dir: Path, level: str, verbose: bool = False) -> Path:
    """Send all logs to the file, and to stderr too when `verbose`. Returns the file's path."""
    path = log_path(data_dir)
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists() and path.stat().st_size > MAX_LOG_BYTES:
        path.replace(path.with_suffix(".log.1"))
    before: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    handlers: list[logging.Handler] = [_File(path, encoding="utf-8", errors="backslashreplace")]
    if verbose:
        handlers.append(logging.StreamHandler(sys.stderr))
    for handler in handlers:
        handler.setFormatter(_formatter(before))
    for name in ("leadline", *_ALSO_HEARD):
        _attach(logging.getLogger(name), handlers, level if name == "leadline" else "warning")
    structlog.configure(
        processors=[*before, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )
    return path


def _formatter(before: list[Any]) -> logging.Formatter:
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=before,
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(ensure_ascii=False),
        ],
    )


def _attach(logger: logging.Logger, handlers: list[logging.Handler], level: str) -> None:
    for old in list(logger.handlers):
        logger.removeHandler(old)
        old.close()
    for handler in handlers:
        logger.addHandler(handler)
    logger.setLevel(level.upper())
    logger.propagate = False


class _File(logging.FileHandler):
    """A log on a full disk loses lines; it must not lose the run or write to the terminal."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the library's name
        return


class PhaseLog:
    """Tells the log what each finished step of one run did."""

    def __init__(self, run_id: str, token_budget: int = 0) -> None:
        self._log = structlog.get_logger("leadline.run").bind(run_id=run_id)
        self._token_budget = token_budget
        self._iteration = 0

    def started(self, task: str, reasoner: str) -> None:
        self._log.info("run started", task=task, reasoner=reasoner, token_budget=self._token_budget)

    def row(self, row: Row) -> None:
        """One line for one step: iteration, token budget, number of results, seconds."""
        if row.name == "search":
            said: dict[str, Any] = {"query": row.value["query"]["text"]} if row.value else {}
        elif row.name == "gate":
            self._iteration += 1
            said = {"accepted": sum(bool(verdict["accepted"]) for verdict in row.value or ())}
        else:
            said = {}
        self._log.log(
            logging.WARNING if row.error else logging.INFO,
            row.name,
            seq=row.seq,
            iteration=self._iteration,
            token_budget=self._token_budget,
            results=results_of(row),
            seconds=round((row.finished_at - row.started_at).total_seconds(), 4),
            **said,
            **({"error": row.error} if row.error else {}),
        )

    def finished(self, stop_reason: str, found: bool, searches: int) -> None:
        self._log.info("run finished", stop_reason=stop_reason, found=found, searches=searches)
