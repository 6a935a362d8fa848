"""What a run file holds, as values, and how each part is written and read."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from typing import Any, cast

from leadline.bundle.container import MANIFEST, pack, unpack
from leadline.codec import loaded
from leadline.errors import BadInput
from leadline.frozen import frozen
from leadline.keep.pages import Snapshot
from leadline.results import Record
from leadline.types import AgentResponse, Page

FORMAT, VERSION = "leadline-run", 1
_LOGIN = re.compile(r"(?<=://)[^/\s@]{1,500}@")
_UNREADABLE = (ValueError, TypeError, LookupError, AttributeError, RecursionError)


@frozen
class About:
    """The run itself."""

    id: str
    task: str
    seed: int
    stop_reason: str = ""
    forked_from: str = ""


@frozen
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


@frozen
class Opened:
    """A file as it was found: what in it was changed since, and what it holds if it can be read."""

    changed: tuple[str, ...]
    content: RunFile | None
    unreadable: str = ""


# ── writing ─────────────────────────────────────────────────────────────────────────────────


def written(content: RunFile) -> bytes:
    """The file: the same content always makes the same bytes."""
    files = {
        "run.json": _json(asdict(content.about)),
        "settings.json": _json(without_logins(content.settings)),
        "steps.jsonl": b"".join(_line(record) for record in content.records),
        "pages.json": _json([_about_page(kept) for kept in content.pages]),
        "claims.json": _json(claims_of(content.response)),
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
        {"name": name, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        for name, data in sorted(files.items())
    ]
    lines = "".join(f"{one['sha256']} {one['bytes']} {one['name']}\n" for one in listed)
    root = hashlib.sha256(lines.encode()).hexdigest()
    return _json({"format": FORMAT, "version": VERSION, "root": root, "files": listed})


def claims_of(response: AgentResponse) -> dict[str, Any]:
    """The claims with their offsets, and the sources they cite, for whoever reads only that."""
    whole = asdict(response)
    return {name: whole[name] for name in ("task", "claims", "sources", "dropped", "grounds")}


def without_logins(settings: Any) -> Any:
    """Settings without the name and password that an address may carry."""
    if isinstance(settings, dict):
        return {name: without_logins(value) for name, value in settings.items()}
    if isinstance(settings, list | tuple):
        return [without_logins(value) for value in settings]
    return _LOGIN.sub("", settings) if isinstance(settings, str) else settings


def _about_page(kept: Snapshot) -> dict[str, Any]:
    about = asdict(replace(kept.page, text=""))
    del about["text"], about["injections"]  # these are in the records
    final = {"final_url": _LOGIN.sub("", kept.final_url), "content_type": kept.content_type}
    return {"hash": kept.page.hash, **about, **final}


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
    claimed = _manifest(files[MANIFEST], name)
    others = {part: body for part, body in files.items() if part != MANIFEST}
    changed = tuple(_changed(files, others, claimed, data))
    try:
        return Opened(changed, _content(others))
    except _UNREADABLE as error:
        if not changed:
            raise BadInput(f"{name} is not a run file: a part cannot be read ({error})") from error
        return Opened(changed, None, str(error))


def _manifest(data: bytes, name: str) -> dict[str, Any]:
    try:
        manifest = json.loads(data)
        kind, version = manifest["format"], manifest["version"]
    except _UNREADABLE as error:
        raise BadInput(f"{name} is not a run file: {MANIFEST} cannot be read") from error
    if kind != FORMAT:
        raise BadInput(f"{name} is not a run file: its {MANIFEST} says {str(kind)[:40]!r}")
    if version != VERSION:
        raise BadInput(
            f"{name} is a run file of version {str(version)[:20]}, this Leadline reads {VERSION}; "
            "use the Leadline that made it, or a newer one"
        )
    return dict(manifest)


def _changed(
    files: Mapping[str, bytes], others: Mapping[str, bytes], claimed: dict[str, Any], data: bytes
) -> Iterable[str]:
    """What is not as it was when the file was written, each said in a few words."""
    right = manifest_of(others)
    listed = _listed(claimed)
    for part, body in sorted(others.items()):
        if part not in listed:
            yield f"{part} was added"
        elif listed[part] != hashlib.sha256(body).hexdigest():
            yield f"{part} was changed"
    yield from (f"{part} is missing" for part in sorted(listed.keys() - others.keys()))
    if files[MANIFEST] != right and listed == _listed(json.loads(right)):
        yield f"{MANIFEST} was changed"
    if pack(files) != data:
        yield "the zip around the parts was changed"


def _listed(manifest: dict[str, Any]) -> dict[str, str]:
    try:
        return {str(one["name"]): str(one["sha256"]) for one in manifest["files"]}
    except _UNREADABLE:
        return {}


def _content(files: Mapping[str, bytes]) -> RunFile:
    texts = {name: body.decode("utf-8", "surrogatepass") for name, body in files.items()}
    return RunFile(
        about=About(**json.loads(texts["run.json"])),
        settings=dict(json.loads(texts["settings.json"])),
        records=tuple(_record(line) for line in texts["steps.jsonl"].splitlines() if line),
        pages=tuple(_page(about, texts) for about in json.loads(texts["pages.json"])),
        prompts=tuple(
            (name.removeprefix("prompts/").removesuffix(".md"), text)
            for name, text in sorted(texts.items())
            if name.startswith("prompts/")
        ),
        versions={str(k): str(v) for k, v in json.loads(texts["versions.json"]).items()},
        response=loaded(AgentResponse, json.loads(texts["report.json"])),
        report_md=texts["report.md"],
        report_json=texts["report.json"],
    )


def _record(line: str) -> Record:
    record = json.loads(line)
    known = isinstance(record, dict) and record.keys() <= Record.__annotations__.keys()
    if not known or not record.keys() >= Record.__required_keys__:
        raise ValueError("a line of steps.jsonl is no record of a step")
    return cast(Record, record)


def _page(about: dict[str, Any], texts: Mapping[str, str]) -> Snapshot:
    about = dict(about)
    text = texts[f"pages/{about.pop('hash')}.txt"]
    final_url, content_type = about.pop("final_url"), about.pop("content_type")
    return Snapshot(Page(**about, text=text), str(final_url), str(content_type))
