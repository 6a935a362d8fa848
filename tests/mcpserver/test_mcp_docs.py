"""The configurations in docs/mcp.md are such that they would start the server."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import click
import pytest

from leadline.cli.app import program
from leadline.cli.mcpserver import PORT
from leadline.mcpserver.serving import PATH
from leadline.settings import Settings

DOCS = Path(__file__).resolve().parents[2] / "docs"
TEXT = (DOCS / "mcp.md").read_text("utf-8")
BLOCKS = [json.loads(one) for one in re.findall(r"```json\n(.+?)```", TEXT, re.DOTALL)]
SERVERS: list[dict[str, Any]] = [
    server for block in BLOCKS for group in block.values() for server in group.values()
]
LINES = [
    line
    for one in re.findall(r"```sh\n(.+?)```", TEXT, re.DOTALL)
    for line in one.splitlines()
    if line.strip()
]


def parsed(words: list[str]) -> click.Context:
    """The command that the words mean, read to its last option."""
    name, *rest = words
    assert name == "leadline"
    command: click.Command = program
    while isinstance(command, click.Group):
        name, *rest = rest
        command = command.commands[name]
    return command.make_context(name, rest)


@pytest.mark.contract("U3")
def test_every_configuration_starts_the_server_or_names_its_address() -> None:
    assert len(SERVERS) == 6
    for server in SERVERS:
        if "command" in server:
            ctx = parsed([server["command"], *server["args"]])
            assert ctx.info_name == "mcp"
            for name in server.get("env", {}):
                assert name.removeprefix("RESEARCH_").lower() in Settings.declared
        else:
            assert server["url"].endswith(PATH)
    assert f"http://127.0.0.1:{PORT}{PATH}" in TEXT


@pytest.mark.contract("U3")
def test_every_command_line_parses() -> None:
    ours = [shlex.split(line) for line in LINES if "leadline " in line]
    ours = [words[words.index("--") + 1 :] if "--" in words else words for words in ours]
    ours = [words for words in ours if words[0] == "leadline"]
    assert len(ours) == 4
    assert {parsed(words).info_name for words in ours} == {"mcp", "create"}


@pytest.mark.contract("U3")
def test_a_wrong_option_in_the_docs_would_be_seen() -> None:
    with pytest.raises(click.UsageError):
        parsed(["leadline", "mcp", "--doc-folder", "x"])
