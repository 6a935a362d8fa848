"""Every format a report can be had in: the one table that the command line and the service use."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import PurePath
from typing import NamedTuple

from leadline.errors import BadInput, with_extra
from leadline.types import AgentResponse


class Rendered(NamedTuple):
    """A report, and what whoever asked for it should know of it: characters that no font has."""

    data: bytes
    notes: tuple[str, ...] = ()


Renderer = Callable[[AgentResponse], str | bytes | tuple[bytes, tuple[str, ...]]]


class Format(NamedTuple):
    """One format: the suffix that asks for it, its media type, and what it needs installed."""

    name: str
    suffix: str
    media_type: str
    needs: str = ""  # an importable module that an extra brings
    extra: str = ""


FORMATS = (
    Format("markdown", ".md", "text/markdown; charset=utf-8"),
    Format("html", ".html", "text/html; charset=utf-8"),
    Format("pdf", ".pdf", "application/pdf", "typst", "pdf"),
    Format(
        "docx",
        ".docx",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ),
    Format("json", ".json", "application/json"),
    Format("bibtex", ".bib", "application/x-bibtex; charset=utf-8"),
    Format("ris", ".ris", "application/x-research-info-systems; charset=utf-8"),
    Format("csl", ".csl.json", "application/vnd.citationstyles.csl+json"),
)
_OTHER_SUFFIXES = {".markdown": "markdown", ".htm": "html"}


def suffixes() -> tuple[str, ...]:
    """What a file name may end in."""
    return tuple(one.suffix for one in FORMATS)


def named(name: str) -> Format | None:
    """The format of that name or suffix (`pdf`, `.pdf`, `csl.json`)."""
    wanted = name.lower().removeprefix(".")
    for one in FORMATS:
        if wanted in (one.name, one.suffix.removeprefix(".")):
            return one
    return None


def format_of(path: PurePath) -> Format | None:
    """The format that a file name asks for by its longest suffix, or None."""
    name = path.name.lower()
    for one in sorted(FORMATS, key=lambda one: -len(one.suffix)):
        if name.endswith(one.suffix):
            return one
    other = _OTHER_SUFFIXES.get(path.suffix.lower(), "")
    return named(other) if other else None


def lacks(one: Format) -> str:
    """What must be installed before this format can be written; "" when nothing."""
    if not one.needs or find_spec(one.needs) is not None:
        return ""
    return (
        f"{one.suffix} needs the package {one.needs}, which is not installed; "
        f"install it {with_extra(one.extra)}"
    )


def render(response: AgentResponse, fmt: str) -> bytes:
    """The report in the format of that name or suffix; the same bytes for the same response."""
    return rendered(response, fmt).data


def rendered(response: AgentResponse, fmt: str) -> Rendered:
    """`render`, with what should be said about it."""
    one = named(fmt)
    if one is None:
        raise BadInput(f"no format is called {fmt!r}; there are {', '.join(suffixes())}")
    if missing := lacks(one):
        raise BadInput(missing)
    made = _renderer(one.name)(response)
    if isinstance(made, tuple):
        return Rendered(*made)
    return Rendered(made.encode("utf-8") if isinstance(made, str) else made)


def _renderer(name: str) -> Renderer:
    """Imported on use: a run that prints Markdown needs none of the others."""
    from leadline.render import references

    plain: dict[str, Renderer] = {
        "bibtex": references.bibtex,
        "ris": references.ris,
        "csl": references.csl_json,
    }
    if name in plain:
        return plain[name]
    if name == "html":
        from leadline.render.html import as_html

        return as_html
    if name == "pdf":
        from leadline.render.pdf import as_pdf

        return as_pdf
    if name == "docx":
        from leadline.render.docx import as_docx

        return as_docx
    if name == "json":
        from leadline.render.json import as_json

        return as_json
    from leadline.render.markdown import markdown

    return markdown
