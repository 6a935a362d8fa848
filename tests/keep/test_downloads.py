"""Downloads wait to be read; a killed run finds them again."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from leadline.keep.downloads import MAX_AGE_S, Downloads

ABOUT: dict[str, str | int] = {"url": "https://a.example/", "status": 200}


@pytest.mark.contract("R9")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=2000))
def test_what_was_downloaded_comes_back_byte_for_byte(tmp_path: Path, data: bytes) -> None:
    Downloads(tmp_path).put("https://a.example/", ABOUT, data)
    assert Downloads(tmp_path).get("https://a.example/") == (ABOUT, data)


def test_a_page_that_was_read_is_gone(tmp_path: Path) -> None:
    downloads = Downloads(tmp_path)
    downloads.put("https://a.example/", ABOUT, b"x")
    downloads.drop("https://a.example/")
    downloads.drop("https://a.example/")
    assert downloads.get("https://a.example/") is None
    assert not list(tmp_path.iterdir())


def test_what_a_crash_left_long_ago_is_not_taken_for_the_page_of_today(tmp_path: Path) -> None:
    Downloads(tmp_path).put("https://a.example/", ABOUT, b"x")
    now = next(tmp_path.iterdir()).stat().st_mtime
    assert Downloads(tmp_path, lambda: now + MAX_AGE_S + 1).get("https://a.example/") is None


def test_a_damaged_file_is_as_good_as_none(tmp_path: Path) -> None:
    Downloads(tmp_path).put("https://a.example/", ABOUT, b"x")
    next(tmp_path.iterdir()).write_bytes(b"\xff\xfe not json")
    assert Downloads(tmp_path).get("https://a.example/") is None


def test_no_half_written_file_is_ever_seen(tmp_path: Path) -> None:
    downloads = Downloads(tmp_path)
    downloads.put("https://a.example/", ABOUT, b"x" * 100_000)
    assert [path.suffix for path in tmp_path.iterdir()] == [".raw"]
    assert str(os.getpid()) not in "".join(path.name for path in tmp_path.iterdir())


def test_what_crashes_left_long_ago_does_not_pile_up(tmp_path: Path) -> None:
    Downloads(tmp_path).put("https://a.example/", ABOUT, b"x")
    (tmp_path / "half.4711").write_bytes(b"killed while it was written")
    newest = max(path.stat().st_mtime for path in tmp_path.iterdir())
    Downloads(tmp_path, lambda: newest + MAX_AGE_S - 60)
    assert len(list(tmp_path.iterdir())) == 2
    Downloads(tmp_path, lambda: newest + MAX_AGE_S + 60)
    assert not list(tmp_path.iterdir())
