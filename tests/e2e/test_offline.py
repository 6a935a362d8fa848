"""With documents alone a whole question opens no network socket: counted, not assumed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
WATCHED = """
import json, socket, sys
seen = []
def watch(event, args):
    inet = (socket.AF_INET, socket.AF_INET6)
    if event == "socket.__new__" and args[1] in inet:
        seen.append(event)
    elif event in ("socket.connect", "socket.bind", "socket.getaddrinfo", "socket.sendto"):
        seen.append(event)
sys.addaudithook(watch)
from leadline.cli.app import outcome
code = outcome(sys.argv[1:])
print(json.dumps(seen), file=sys.stderr)
sys.exit(code)
"""


@pytest.mark.contract("D7")
def test_a_question_about_documents_opens_no_socket(tmp_path: Path) -> None:
    question = "What happens to a batch below the novelty threshold?"
    command = [sys.executable, "-c", WATCHED, question, "--docs", str(DOCS), "-q"]
    command += ["--data-dir", str(tmp_path / "data")]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stderr
    assert "discarded" in done.stdout
    assert json.loads(done.stderr.strip().splitlines()[-1]) == []
