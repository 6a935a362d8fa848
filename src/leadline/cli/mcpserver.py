"""`leadline mcp`: the tools of Leadline for a client that speaks MCP."""

from __future__ import annotations

from typing import Any

import click

from leadline.cli.common import common_of, common_options, note, settings_from

PORT = 8471


@click.command(context_settings={"max_content_width": 100})
@click.option("--docs", multiple=True, metavar="PATH", help="Folder or file to search; repeatable.")
@click.option("--web/--no-web", default=None, help="Search the web; else where no docs are given.")
@click.option("--model", metavar="PROVIDER:NAME", help="Language model, such as ollama:qwen3.")
@click.option("--no-model", is_flag=True, default=None, help="Use none: quote, nothing else.")
@click.option("--http", is_flag=True, help="Serve HTTP at /mcp in place of stdin and stdout.")
@click.option("--host", metavar="ADDRESS", help="Where to listen with --http; 127.0.0.1.")
@click.option(
    "--port",
    metavar="N",
    type=click.IntRange(0, 65_535),
    help=f"Port with --http; {PORT}. 0 takes a free one.",
)
@common_options
def mcp(http: bool, host: str | None, port: int | None, **given: Any) -> None:
    """Serve the tools research, search_web, search_docs, read_doc, recall and verify_claim by MCP.

    A client starts it and talks to it over stdin and stdout; docs/mcp.md has the settings of
    common clients. With --http any number of clients reach one server; beyond loopback it starts
    only where there is a key: leadline keys create --owner NAME
    """
    from importlib.util import find_spec

    from leadline.errors import BadInput, with_extra

    if find_spec("mcp") is None:
        raise BadInput(
            "the MCP server needs the package mcp, which is not installed; "
            f"install it {with_extra('mcp')}"
        )
    if not http and (host is not None or port is not None):
        raise click.UsageError("--host and --port go with --http")
    docs = given.pop("docs") or None
    if given["model"] and given["no_model"] is None:
        given["no_model"] = False  # a flag wins over the variable
    settings = settings_from(common_of(given), docs=docs, **given)
    from leadline.mcpserver.serving import serve_http, serve_stdio

    if not http:
        serve_stdio(settings)
        return
    serve_http(
        settings,
        host or "127.0.0.1",
        PORT if port is None else port,
        lambda where: note(f"Leadline speaks MCP at {where}"),
    )
