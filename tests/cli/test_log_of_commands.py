"""What commands write to the log has no key in it, whatever went wrong."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from leadline.cli.common import settings_from
from leadline.cli.crash import crash_hook
from leadline.observe.logs import configure, log_path

KEY = "brave-planted-4711"


@pytest.mark.contract("X2", "U2")
def test_the_traceback_of_a_crash_has_no_key_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RESEARCH_BRAVE_API_KEY", KEY)
    common = {"config": None, "data_dir": str(tmp_path), "verbose": False}
    settings_from(common)
    try:
        raise ZeroDivisionError(f"GET https://api.example/?key={KEY}")
    except ZeroDivisionError as error:
        crash_hook(show=False)(type(error), error, error.__traceback__)
    logging.getLogger("leadline.run").warning("lost: %s", KEY)
    written = log_path(tmp_path).read_text()
    configure(tmp_path / "after", "info")
    assert "ZeroDivisionError" in written
    assert "lost: ***" in written
    assert KEY not in written
