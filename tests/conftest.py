"""Shared by all tests: no socket may leave this machine, and hypothesis keeps to a steady pace."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
from typing import Any

import pytest
import stamina
from hypothesis import settings

from leadline.fields.models import OTHER_NAMES

LOOPBACK = ("127.", "localhost", "::1", "0.0.0.0")


def _refuse_the_network(event: str, args: tuple[Any, ...]) -> None:
    if event != "socket.connect":
        return
    address = args[1]
    if isinstance(address, tuple) and not str(address[0]).startswith(LOOPBACK):
        raise RuntimeError(f"a test tried to reach {address!r}; only loopback is allowed")


sys.addaudithook(_refuse_the_network)

# Whoever runs the tests may have keys or an Ollama; no test may find and pay for them.
for _name in OTHER_NAMES:
    os.environ.pop(_name, None)
os.environ["RESEARCH_NO_MODEL"] = "1"
# What they trust is noted here and not among what whoever runs them has trusted.
os.environ["XDG_CONFIG_HOME"] = tempfile.mkdtemp(prefix="leadline-tests-")

# Where the tests run in the background, Ctrl-C is ignored, and what they start would ignore it too.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

stamina.set_testing(True, attempts=99, cap=True)  # as often as in a run, without the waits

settings.register_profile("steady", deadline=None, derandomize=True, print_blob=False)
settings.load_profile("steady")

SLOW_S = 900  # the longest takes two minutes on two cores; a hang must not cost CI its whole time


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.get_closest_marker("slow") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(SLOW_S))
