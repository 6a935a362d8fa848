"""`leadline serve` and `leadline keys`: the HTTP service, and who may ask it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import click

from leadline.cli.common import common_of, common_options, note, on_terminal, say, settings_from

if TYPE_CHECKING:
    import asyncio

    from leadline.service.lodger import App, Lodger
    from leadline.session import Session
    from leadline.settings import Settings
    from leadline.store.keyring import Key, Keyring

MOST = 1_000_000_000  # of a quota; who means more sets none


@click.command(context_settings={"max_content_width": 100})
@click.option("--host", "serve_host", metavar="ADDRESS", help="Where to listen; 127.0.0.1.")
@click.option("--port", "serve_port", metavar="N", help="Port; 8470. 0 takes a free one.")
@click.option("--docs", multiple=True, metavar="PATH", help="Folder or file that questions search.")
@click.option("--web/--no-web", default=None, help="Search the web; else where no docs are given.")
@click.option(
    "--folder",
    "serve_folders",
    multiple=True,
    metavar="DIR",
    help="Folder whose documents a request may name; repeatable.",
)
@click.option("--model", metavar="PROVIDER:NAME", help="Language model, such as ollama:qwen3.")
@click.option("--no-model", is_flag=True, default=None, help="Use none: quote, nothing else.")
@click.option("--workers", "serve_workers", metavar="N", help="Runs at the same time; 100.")
@common_options
def serve(**given: Any) -> None:
    """Serve questions over HTTP until stopped; see docs/service.md and /docs of the service.

    On loopback no key is needed. Bound elsewhere it starts only where there is one:
    leadline keys create --owner NAME
    """
    from importlib.util import find_spec

    from leadline.errors import BadInput, with_extra

    for package in ("fastapi", "uvicorn", "prometheus_client"):
        if find_spec(package) is None:
            raise BadInput(
                f"the service needs the package {package}, which is not installed; "
                f"install it {with_extra('serve')}"
            )
    several = {name: given.pop(name) or None for name in ("docs", "serve_folders")}
    if given["model"] and given["no_model"] is None:
        given["no_model"] = False  # a flag wins over the variable
    settings = settings_from(common_of(given), **several, **given)
    from leadline.service.server import serve as run_service

    def told(where: str) -> None:
        note(f"Leadline listens on {where} (open it in a browser)")

    run_service(settings, told, _lodger(settings) if find_spec("mcp") else None)


def _lodger(settings: Settings) -> Lodger:
    """The tools of `leadline mcp` at `/mcp` of the service, loaded when a client asks for them."""
    from leadline.service.lodger import Lodger

    @asynccontextmanager
    async def opened(session: Session, closing: asyncio.Event) -> AsyncIterator[App]:
        from leadline.mcpserver.serving import lodging

        async with lodging(session, settings.serve_host, closing) as app:
            yield app

    return Lodger("/mcp", opened)


@click.group()
def keys() -> None:
    """Make, list and revoke the keys with which others ask the service."""


@keys.command()
@click.option("--owner", required=True, metavar="NAME", help="Whose runs they will be.")
@click.option(
    "--runs-per-day",
    default=0,
    metavar="N",
    type=click.IntRange(0, MOST),
    help="0 sets no limit.",
)
@click.option(
    "--concurrency",
    default=0,
    metavar="N",
    type=click.IntRange(0, MOST),
    help="Runs at the same time; 0 sets no limit.",
)
@common_options
def create(owner: str, runs_per_day: int, concurrency: int, **given: Any) -> None:
    """Make a key and print it. It is shown this once; only its hash is kept."""
    secret, key = _ring(given).create(owner, runs_per_day, concurrency)
    note(f"Key {key.id} of {owner}. Keep it now, it is not shown again:")
    say(f"{secret}\n")


@keys.command("list")
@click.option("--json", "as_json", is_flag=True, help="A JSON array.")
@common_options
def list_keys(as_json: bool, **given: Any) -> None:
    """List the keys, the newest first."""
    found = _ring(given).keys()
    say(_as_json(found) if as_json else _table(found))


@keys.command()
@click.argument("key_id", metavar="ID")
@common_options
def revoke(key_id: str, **given: Any) -> None:
    """From now on the key with this ID opens nothing. Its runs stay."""
    key = _ring(given).revoke(key_id)
    note(f"Key {key.id} of {key.owner} is revoked.")


def _ring(given: dict[str, Any]) -> Keyring:
    from leadline.store.keyring import Keyring

    return Keyring(settings_from(common_of(given)).data_dir)


def _table(found: list[Key]) -> str:
    if not found:
        return "No keys yet.\n" if on_terminal() else ""
    return "".join(
        f"{key.id}  {_date(key.created_ms)}  {'revoked' if key.revoked_ms else 'valid':<7}  "
        f"{_limit(key.runs_per_day):>6}/day  {_limit(key.concurrency):>4} at once  {key.owner}\n"
        for key in found
    )


def _limit(number: int) -> str:
    return str(number) if number else "any"


def _date(milliseconds: int) -> str:
    from datetime import UTC, datetime

    return f"{datetime.fromtimestamp(milliseconds / 1000, UTC):%Y-%m-%d %H:%M}"


def _as_json(found: list[Key]) -> str:
    import json
    from dataclasses import asdict

    return json.dumps([asdict(key) for key in found], indent=2) + "\n"
