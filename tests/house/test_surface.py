"""The public surface is curated: what is offered is there, and nothing else is."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import leadline

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", leadline.__all__)
def test_everything_offered_is_there(name: str) -> None:
    assert getattr(leadline, name) is not None


def test_a_name_that_is_not_offered_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        leadline.nonsense  # noqa: B018


def test_dir_lists_what_is_offered() -> None:
    assert dir(leadline) == sorted(leadline.__all__)


def test_the_version_is_that_of_the_project() -> None:
    stated = re.search(r'^version = "(.+)"', (ROOT / "pyproject.toml").read_text("utf-8"), re.M)
    assert stated
    assert stated[1] == leadline.__version__


def test_importing_leadline_loads_nothing_heavy() -> None:
    heavy = ("numpy", "pydantic", "tantivy", "rich", "click", "asyncio")
    code = f"import sys, leadline; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_example_is_short_enough_to_read_at_a_glance() -> None:
    assert len((ROOT / "examples" / "hello.py").read_text("utf-8").splitlines()) < 40
