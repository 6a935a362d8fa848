"""The log file stays small, however long a process writes to it."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from leadline.observe.logs import MAX_LOG_BYTES, configure, log_path

LOG = logging.getLogger("leadline.test")
LINE = "x" * 1_000_000


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Path]:
    configure(tmp_path, "info")
    yield log_path(tmp_path)
    configure(tmp_path / "after", "info")


@pytest.mark.contract("O1")
def test_a_log_that_is_full_goes_aside_while_it_is_written(log: Path) -> None:
    for _ in range(45):
        LOG.info(LINE)
    assert log.stat().st_size < MAX_LOG_BYTES
    assert log.with_suffix(".log.1").stat().st_size < MAX_LOG_BYTES + 2 * len(LINE)


@pytest.mark.contract("O1")
def test_two_who_write_to_one_log_go_on_in_the_same_file(log: Path) -> None:
    own = logging.getLogger("leadline").handlers[0]
    assert isinstance(own, logging.FileHandler)
    other = type(own)(log, encoding="utf-8")
    line = logging.LogRecord("leadline", logging.INFO, "", 0, LINE, None, None)
    for _ in range(22):
        own.emit(line)
    other.emit(line)  # the file that it has open has gone aside
    other.emit(line)
    own.emit(line)
    other.close()
    assert log.read_text().count(LINE) == 4
