"""The file of snapshots held open for the length of a run."""

from __future__ import annotations

from pathlib import Path

import pytest

from leadline.keep.pages import Snapshots
from leadline.types import Page


@pytest.mark.contract("E2")
def test_what_is_kept_while_the_file_is_held_is_there_for_others_and_afterwards(
    tmp_path: Path,
) -> None:
    snapshots, page = Snapshots(tmp_path), Page("https://a.example/", "A", "text", "web")
    log = tmp_path / "snapshots.db-wal"
    with snapshots.held():
        key = snapshots.keep(page)
        assert log.exists()  # an operation does not fold it in
        other = Snapshots(tmp_path).get(key)
        assert other is not None
        assert other.page == page
    assert not log.exists()
    found = Snapshots(tmp_path).latest(page.url, 60)
    assert found is not None
    assert found.page == page
