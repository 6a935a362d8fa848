"""What a run file holds, as values, and how each part is written and read."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from leadline.bundle.container import MANIFEST, pack, unpack
from leadline.codec import dumped, loaded
from leadline.errors import BadInput
from leadline.keep.pages import Snapshot
from leadline.results import Record
from leadline.types import AgentResponse, Page
from leadline.values import replace

T = TypeVar("T")

FORMAT, VERSION = "leadline-run", 1
_LOGIN = re.compile(r"(?<=://)[^/\s@]{1,500}@")
_UNREADABLE = (ValueError, TypeError, LookupError, AttributeError, RecursionError)


@dataclass(frozen=True)
class About:
    """The run itself."""

    id: str
    task: str
    seed: int
    stop_reason: str = ""
    forked_from: str = ""


@dataclass(frozen=True)
class RunFile:
    """Everything that is needed to check a run and to rebuild its report."""

    about: About
    settings: dict[str, Any]
    records: tuple[Record, ...]  # in the order in which their steps began
    pages: tuple[Snapshot, ...]
    prompts: tuple[tuple[str, str], ...]
    versions: dict[str, str]
    response: AgentResponse
    report_md: str
    report_json: str


@dataclass(frozen=True)
class Opened:
    """A file as it was found: what in it was changed since, and what it holds if it can be read."""

    changed: tuple[str, ...]
    content: RunFile | None
    unreadable: str = ""


# ── writing ─────────────────────────────────────────────────────────────────────────────────


def written(content: RunFile) -> bytes:
    """The file: the same content always makes the same bytes."""
    files = {
        "run.json": _json(dumped(content.about)),
        "settings.json": _json(without_logins(content.settings)),
        "steps.jsonl": b"".join(_line(record) for record in content.records),
        "pages.json": _json([_about_page(kept) for kept in content.pages]),
        "versions.json": _json(content.versions),
        "report.md": _text(content.report_md),
        "report.json": _text(content.report_json),
    }
    files |= {f"pages/{kept.page.hash}.txt": _text(kept.page.text) for kept in content.pages}
    files |= {f"prompts/{name}.md": _text(text) for name, text in content.prompts}
    return pack(files | {MANIFEST: manifest_of(files)})


def manifest_of(files: Mapping[str, bytes]) -> bytes:
    """Name, size and hash of every other part, and one hash over them all."""
    listed = [
        {"name": name, "bytes": len(files[name]), "sha256": _sha256(files[name])}
        for name in sorted(files)
    ]
    lines = "".join(f"{part['sha256']} {part['bytes']} {part['name']}\n" for part in listed)
    root = _sha256(lines.encode())
    return _json({"format": FORMAT, "version": VERSION, "root": root, "files": listed})


def without_logins(settings: Any) -> Any:
    """Settings without the name and password that an address may carry."""
    if isinstance(settings, dict):
        return {name: without_logins(value) for name, value in settings.items()}
    if isinstance(settings, list | tuple):
        return [without_logins(value) for value in settings]
    return _LOGIN.sub("", settings) if isinstance(settings, str) else settings


def _about_page(kept: Snapshot) -> dict[str, Any]:
    about = dumped(replace(kept.page, text=""))
    del about["text"], about["injections"]  # these are in the records
    final = {"final_url": _LOGIN.sub("", kept.final_url), "content_type": kept.content_type}
    return {"hash": kept.page.hash, **about, **final}


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _json(value: Any) -> bytes:
    return (json.dumps(value, indent=1, sort_keys=True) + "\n").encode("ascii")


def _line(record: Record) -> bytes:
    return (json.dumps(record, sort_keys=True) + "\n").encode("ascii")


def _text(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


# ── reading ─────────────────────────────────────────────────────────────────────────────────


def opened(data: bytes, name: str) -> Opened:
    """Read a file. `BadInput` when it is no run file, or one of a format that is not known."""
    files = unpack(data, name)
    manifest = files.pop(MANIFEST)
    listed = _listed(manifest, name)
    changed = tuple(_changed(files, listed, manifest, data))
    try:
        return Opened(changed, _content(files))
    except _UNREADABLE as error:
        if not changed:
            raise BadInput(f"{name} is not a run file: a part cannot be read ({error})") from error
        return Opened(changed, None, str(error))


def _listed(manifest: bytes, name: str) -> dict[str, str]:
    """The hash of each part, as the manifest has it."""
    try:
        told = json.loads(manifest)
        made_as, version = told["format"], told["version"]
        listed = {str(part["name"]): str(part["sha256"]) for part in told.get("files", ())}
    except _UNREADABLE as error:
        raise BadInput(f"{name} is not a run file: {MANIFEST} cannot be read") from error
    if made_as != FORMAT:
        raise BadInput(f"{name} is not a run file: its {MANIFEST} says {str(made_as)[:40]!r}")
    if version != VERSION:
        raise BadInput(
            f"{name} is a run file of version {str(version)[:40]}, this Leadline reads {VERSION}; "
            "use the Leadline that made it, or a newer one"
        )
    return listed


def _changed(
    files: Mapping[str, bytes], listed: Mapping[str, str], manifest: bytes, data: bytes
) -> Iterator[str]:
    """What is not as it was when the file was written, each said in a few words."""
    found = {name: _sha256(body) for name, body in sorted(files.items())}
    for name, digest in found.items():
        if listed.get(name) != digest:
            yield f"{name} was {'changed' if name in listed else 'added'}"
    yield from (f"{ascii(name)[1:-1]} is missing" for name in sorted(listed.keys() - found.keys()))
    if listed == found and manifest != manifest_of(files):
        yield f"{MANIFEST} was changed"
    if pack({**files, MANIFEST: manifest}) != data:
        yield "the zip around the parts was changed"


def _content(files: Mapping[str, bytes]) -> RunFile:
    texts = {name: body.decode("utf-8", "surrogatepass") for name, body in files.items()}

    def value(kind: Any, name: str) -> Any:
        return loaded(kind, json.loads(texts[name]))

    prompts = sorted(name for name in texts if name.startswith("prompts/"))
    return RunFile(
        about=value(About, "run.json"),
        settings=value(dict[str, Any], "settings.json"),
        records=tuple(_record(line) for line in texts["steps.jsonl"].splitlines() if line),
        pages=tuple(_page(about, texts) for about in value(list[dict[str, Any]], "pages.json")),
        prompts=tuple((name[len("prompts/") : -len(".md")], texts[name]) for name in prompts),
        versions=value(dict[str, str], "versions.json"),
        response=value(AgentResponse, "report.json"),
        report_md=texts["report.md"],
        report_json=texts["report.json"],
    )


def _record(line: str) -> Record:
    record = json.loads(line)
    if not record.keys() <= Record.__annotations__.keys():
        raise ValueError("a line of steps.jsonl is no record of a step")
    checked: Record = loaded(Record, record)
    return checked


def _page(about: dict[str, Any], texts: Mapping[str, str]) -> Snapshot:
    text = texts[f"pages/{about['hash']}.txt"]
    page: Page = loaded(Page, about | {"text": text})
    return Snapshot(page, str(about["final_url"]), str(about["content_type"]))


def parts_of(value: Any, kind: type[T], wanted: frozenset[str]) -> Iterator[T]:
    """Every value of that type inside the JSON of a step, whatever the step is called: what has
    all the `wanted` names."""
    if isinstance(value, dict) and value.keys() >= wanted:
        yield loaded(kind, value)
    for inner in value.values() if isinstance(value, dict) else value:
        if isinstance(inner, dict | list):
            yield from parts_of(inner, kind, wanted)
