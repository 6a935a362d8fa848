"""Gathers what proves a finished run: its records, and the text of every page that it quotes."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from typing import TYPE_CHECKING, Any

from leadline import prompts
from leadline.bundle.contents import About, RunFile, parts_of
from leadline.codec import loaded
from leadline.errors import BadInput
from leadline.keep.pages import Snapshot
from leadline.kit.cited import quoted_pages
from leadline.kit.stores import open_snapshots
from leadline.render.json import as_json
from leadline.render.markdown import markdown
from leadline.settings import Settings
from leadline.types import AgentResponse, Page

if TYPE_CHECKING:
    from leadline.ports import Engine, RunInfo

_PAGE = frozenset({"url", "title", "text", "fetched_at"})
# Packages whose version can change what a step computes.
_MATTER = ("numpy", "pydantic", "selectolax", "tantivy", "tokenizers", "trafilatura", "wordllama")


@dataclass(frozen=True)
class Exported:
    """A run ready to be written, and the quoted pages that are no longer to be had."""

    content: RunFile
    missing: tuple[str, ...] = ()


async def export(engine: Engine, run_id: str, settings: Settings) -> Exported:
    """Everything about a finished run. `BadInput` when it is not finished."""
    info = await engine.info(run_id)
    if info.status != "finished":
        raise BadInput(
            f"run {run_id} is {info.status}, and only a finished run can be exported; "
            f"go on with it: leadline runs resume {run_id}"
        )
    records = await engine.records(run_id)
    response: AgentResponse = loaded(AgentResponse, await engine.result(run_id))
    of_run = Settings.restore(info.settings, settings)
    pages, missing = _pages(response, list(records.values()), of_run)
    content = RunFile(
        about=_about(info, response),
        settings=info.settings,
        records=tuple(records[place] for place in sorted(records)),
        pages=pages,
        prompts=tuple((name, _prompt(name, of_run)) for name in prompts.names()),
        versions=versions(),
        response=response,
        report_md=markdown(response),
        report_json=as_json(response),
    )
    return Exported(content, missing)


def versions() -> dict[str, str]:
    """What the report was made with, as far as it can matter."""
    from leadline import __version__

    found = {name: _version(name) for name in _MATTER}
    return {"leadline": __version__, "python": platform.python_version(), **found}


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"


def _about(info: RunInfo, response: AgentResponse) -> About:
    seed = int(info.settings.get("seed", 0))
    return About(info.id, info.task, seed, response.stop_reason.value, info.forked_from)


def _prompt(name: str, settings: Settings) -> str:
    prompt = prompts.load(name, settings.prompts)
    return f"{prompt.system}{prompts.RULE}{prompt.user}\n"


def _pages(
    response: AgentResponse, records: list[Any], settings: Settings
) -> tuple[tuple[Snapshot, ...], tuple[str, ...]]:
    """The quoted pages by hash, as kept, else as the run read them; and where others were."""
    wanted = quoted_pages(response)
    read = {page.hash: page for record in records for page in pages_in_value(record["value"])}
    snapshots = open_snapshots(settings)
    where = {source.id: source.location for source in response.sources}
    found: list[Snapshot] = []
    missing: list[str] = []
    for page_hash, number in sorted(wanted.items()):
        kept = snapshots.get(page_hash)
        if (kept is None or not kept.page.url) and page_hash in read:
            kept = Snapshot(read[page_hash], read[page_hash].url)
        if kept is None:
            missing.append(where.get(number, page_hash))
        else:
            found.append(kept)
    return tuple(found), tuple(dict.fromkeys(missing))


def pages_in_value(value: Any) -> Iterator[Page]:
    """The whole pages among the values of a step."""
    if isinstance(value, dict | list):
        yield from parts_of(value, Page, _PAGE)
