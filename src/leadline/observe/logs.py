"""Logs as data: JSON lines in `DATA_DIR/logs/leadline.log`, one at each boundary of a phase.

Nothing reaches the terminal unless asked for.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO

from leadline.observe.rows import results_of, why_failed
from leadline.ports import Row

LOG_NAME = "leadline.log"
MAX_LOG_BYTES = 20_000_000


def log_path(data_dir: Path) -> Path:
    """Where the log of a data folder is."""
    return data_dir / "logs" / LOG_NAME


def configure(data_dir: Path, level: str, verbose: bool = False) -> Path:
    """Send all logs to the file, and to stderr too when `verbose`. Returns the file's path."""
    path = log_path(data_dir)
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists() and path.stat().st_size > MAX_LOG_BYTES:
        path.replace(path.with_suffix(".log.1"))
    handlers: list[logging.Handler] = [_File(path, encoding="utf-8", errors="backslashreplace")]
    if verbose:
        handlers.append(logging.StreamHandler(sys.stderr))
    for handler in handlers:
        handler.setFormatter(JsonLines())
    _attach(logging.getLogger("leadline"), handlers, level)
    return path


def _attach(logger: logging.Logger, handlers: list[logging.Handler], level: str) -> None:
    for old in list(logger.handlers):
        logger.removeHandler(old)
        old.close()
    for handler in handlers:
        logger.addHandler(handler)
    logger.setLevel(level.upper())
    logger.propagate = False


class JsonLines(logging.Formatter):
    """One JSON object a record: the event, when, where, how grave, and what was said with it."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "timestamp": datetime.fromtimestamp(record.created, UTC).isoformat(),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)


class _File(logging.FileHandler):
    """A log on a full disk loses lines; it must not lose the run or write to the terminal.

    One that is full goes aside, also while a service writes to it for months.
    """

    def emit(self, record: logging.LogRecord) -> None:
        super().emit(record)
        with suppress(OSError, ValueError):  # as above; or it was closed meanwhile
            if self.stream is not None and self.stream.tell() > MAX_LOG_BYTES:
                self._turn_over(self.stream)

    def _turn_over(self, full: TextIO) -> None:
        """Begin anew; where another process has done so already, write to its file."""
        path, ours = Path(self.baseFilename), os.fstat(full.fileno())
        if path.exists() and os.path.samestat(path.stat(), ours):
            path.replace(path.with_suffix(".log.1"))
        full.close()
        self.stream = self._open()

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the library's name
        return


class PhaseLog:
    """Tells the log what each finished step of one run did."""

    def __init__(self, run_id: str, token_budget: int = 0) -> None:
        self._log = logging.getLogger("leadline.run")
        self._always = {"run_id": run_id, "token_budget": token_budget}
        self._iterations: dict[str, int] = {}  # of the run, and of each child

    def started(self, task: str, reasoner: str) -> None:
        self._tell("run started", task=task, reasoner=reasoner)

    def row(self, row: Row) -> None:
        """One line for one step: iteration, token budget, number of results, seconds."""
        said: dict[str, Any] = {}
        if row.name == "search" and row.value:
            said["query"] = row.value["query"]["text"]
        elif row.name == "gate":
            self._iterations[row.child] = self._iterations.get(row.child, 0) + 1
            said["accepted"] = sum(bool(verdict["accepted"]) for verdict in row.value or ())
        elif row.name == "compact" and row.value:
            said |= {"before": row.value["before"], "after": row.value["after"]}
        if row.child:
            said["child"] = row.child
        if row.what:
            said["what"] = row.what
        if error := why_failed(row):
            said["error"] = error
        self._tell(
            row.name,
            logging.WARNING if error else logging.INFO,
            seq=row.seq,
            iteration=self._iterations.get(row.child, 0),
            results=results_of(row),
            seconds=round((row.finished_at - row.started_at).total_seconds(), 4),
            **said,
        )

    def finished(self, stop_reason: str, found: bool, searches: int) -> None:
        self._tell("run finished", stop_reason=stop_reason, found=found, searches=searches)

    def _tell(self, event: str, level: int = logging.INFO, **said: Any) -> None:
        self._log.log(level, event, extra={"fields": {**self._always, **said}})
