"""What child processes of the engine's tests do; each talks to its parent through a pipe."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from leadline.errors import LeadlineError
from leadline.ports import Run
from leadline.store.engine import DurableEngine


async def word(text: str) -> str:
    return text


async def never() -> str:
    await asyncio.Event().wait()
    return "never"


async def three_steps(run: Run, request: dict[str, Any]) -> list[str]:
    return [await run.step("say", word, f"{request['task']} {number}") for number in range(3)]


async def stuck(run: Run, _: dict[str, Any]) -> str:
    await run.step("say", word, "begun")
    return await run.step("hang", never)


async def unstuck(run: Run, _: dict[str, Any]) -> str:
    """The same steps as `stuck`, with the wait over."""
    await run.step("say", word, "begun")
    return await run.step("hang", word, "free")


def hold(data_dir: Path, tell: Connection) -> None:
    """Run until killed or cancelled."""

    async def scene() -> None:
        async with DurableEngine(data_dir, stuck) as engine:
            await engine.start("task", {}, "r")
            async for row in engine.follow("r"):
                if row.name == "say":
                    tell.send("running")
            try:
                await engine.result("r")
            except LeadlineError as error:
                tell.send(str(error))

    try:
        asyncio.run(scene())
    except KeyboardInterrupt:
        tell.send("interrupted")


def hold_with_a_child(data_dir: Path, tell: Connection) -> None:
    """Like `hold`, with a forked child that outlives it."""

    async def scene() -> None:
        async with DurableEngine(data_dir, stuck) as engine:
            await engine.start("task", {}, "r")
            child = os.fork()
            if child == 0:
                signal.pause()
            tell.send(child)
            await engine.result("r")

    asyncio.run(scene())


def take_over(data_dir: Path, tell: Connection) -> None:
    """Try to resume on a sign, and stay until told to go."""

    async def scene() -> None:
        async with DurableEngine(data_dir, stuck) as engine:
            await engine.list()
            tell.send("ready")
            tell.recv()
            try:
                await engine.resume("r")
                tell.send("took it")
            except LeadlineError as error:
                tell.send(str(error))
            tell.recv()

    asyncio.run(scene())


def run_once(data_dir: Path, tell: Connection, name: str) -> None:
    """One run of three steps, begun on a sign."""

    async def scene() -> None:
        tell.send("ready")
        tell.recv()
        async with DurableEngine(data_dir, three_steps) as engine:
            await engine.start(name, {}, name)
            tell.send(await engine.result(name))

    asyncio.run(scene())


def run_on_a_full_disk(data_dir: Path, tell: Connection) -> None:
    """A run whose third step finds that no file may grow any more."""

    async def full() -> str:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1, resource.RLIM_INFINITY))
        return "x" * 100_000

    async def body(run: Run, _: dict[str, Any]) -> str:
        await run.step("say", word, "begun")
        return await run.step("hang", full)

    async def scene() -> None:
        async with DurableEngine(data_dir, body) as engine:
            await engine.start("task", {}, "r")
            try:
                await engine.result("r")
            except LeadlineError as error:
                tell.send(f"{type(error).__name__}: {error}")

    asyncio.run(scene())
