"""The examples of docs/service.md, run as they stand against a service over real documents."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
from service_rig import running

PAGE = Path(__file__).resolve().parents[2] / "docs" / "service.md"
SHELL = re.findall(r"```sh\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
PYTHON = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)


@pytest.mark.contract("H1", "H6")
def test_every_example_of_the_page_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    docs = tmp_path / "handbook"
    docs.mkdir()
    (docs / "refunds.md").write_text(
        "# Refunds\n\nThe head of finance approves every refund above 500 euros.\n\n"
        "A team lead approves a refund up to 500 euros.\n"
    )
    with running(tmp_path / "data", docs=(docs,), memory=False) as served:
        for block in SHELL:
            script = "set -e\n" + block.replace("http://127.0.0.1:8470", served.url)
            script = script.replace("curl -s", "curl --fail-with-body -s")
            done = subprocess.run(
                ["bash", "-c", script], capture_output=True, text=True, timeout=60, check=False
            )
            assert done.returncode == 0, done.stdout + done.stderr
            assert "approves" in done.stdout
        events = [line for line in done.stdout.splitlines() if line.startswith("id: ")]
        assert "id: 1" in events
        exec(PYTHON[0].replace("http://127.0.0.1:8470", served.url), {})
        said = capsys.readouterr().out
        assert "approves" in said
        assert "refunds.md" in said


def test_every_route_of_the_page_exists() -> None:
    from leadline.service.app import Service
    from leadline.settings import Settings

    paths = json.dumps(list(Service(Settings()).app.openapi()["paths"]))
    for route in ("/run-simple", "/estimate", "/search", "/ready", "/metrics", "/v1/models"):
        assert route in paths
