"""Puts the document together: the answer with footnotes, then sources, proof and limits."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Sequence

from leadline.render import outline
from leadline.render.cited import cited
from leadline.render.docx import parts
from leadline.render.docx.blocks import BULLETS, Writing, blocks, paragraph
from leadline.render.docx.runs import Look, outward, relations, run
from leadline.render.words import limits_title
from leadline.types import AgentResponse, Citation

_STAMP = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)")
_EARLIEST = (1980, 1, 1, 0, 0, 0)  # what a zip can hold
_PAGE = (
    '<w:sectPr><w:pgSz w:w="11906" w:h="16838"/><w:pgMar w:top="1300" w:right="1400" '
    'w:bottom="1300" w:left="1400" w:header="700" w:footer="700" w:gutter="0"/></w:sectPr>'
)


def as_docx(response: AgentResponse) -> bytes:
    """The file. Its times are those of the run, so the same response gives the same bytes."""
    writing = Writing()
    body = "".join(
        (
            _head(response),
            blocks(cited(response).tokens, writing),
            _sources(response, writing),
            _listed(limits_title(response), outline.limit_lines(response)),
            _listed(
                "Left out", [f"“{text}” — {why}" for text, why in outline.dropped_lines(response)]
            ),
            _parts(response),
            _listed("How this was found", outline.found_lines(response)),
        )
    )
    stamp = _STAMP.match(response.started)
    created = f"{stamp[0]}Z" if stamp else ""
    name = outline.title(response) or outline.line(response.task, outline.TITLE_CHARS)
    return _zipped(
        {
            "[Content_Types].xml": parts.TYPES,
            "_rels/.rels": parts.PACKAGE,
            "docProps/core.xml": parts.core(name, created),
            "word/document.xml": (
                f"{parts.XML}<w:document {parts.MAIN}><w:body>{body}{_PAGE}</w:body></w:document>"
            ),
            "word/styles.xml": parts.STYLES,
            "word/numbering.xml": parts.numbering(writing.starts),
            "word/footnotes.xml": parts.footnotes(writing.notes.items),
            "word/_rels/document.xml.rels": relations(
                writing.links.targets, parts.DOCUMENT_RELATIONS
            ),
            "word/_rels/footnotes.xml.rels": relations(writing.notes.links.targets),
        },
        _zip_time(response.started),
    )


def _zip_time(started: str) -> tuple[int, int, int, int, int, int]:
    found = _STAMP.match(started)
    if found is None:
        return _EARLIEST
    year, month, day, hour, minute, second = (int(part) for part in found.groups())
    return max(_EARLIEST, (min(year, 2107), month, day, hour, minute, second))


def _zipped(files: dict[str, str], when: tuple[int, int, int, int, int, int]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, text in files.items():
            entry = zipfile.ZipInfo(name, when)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 0
            archive.writestr(entry, text.encode("utf-8"))
    return data.getvalue()


def _head(response: AgentResponse) -> str:
    title = outline.title(response)
    told = outline.facts(response)
    head = paragraph(run(title), title, "Title") if title else ""
    return head + (paragraph(run(told), told, "Facts") if told else "")


def _heading(title: str) -> str:
    return paragraph(run(title), title, "Heading2")


def _listed(title: str, lines: Sequence[str]) -> str:
    return _heading(title) + "".join(_item(run(said), said) for said in lines) if lines else ""


def _item(content: str, text: str) -> str:
    number = f'<w:numPr><w:ilvl w:val="0"/><w:numId w:val="{BULLETS}"/></w:numPr>'
    return paragraph(content, text, "ListParagraph", number)


def _parts(response: AgentResponse) -> str:
    lines = [
        f"{'●' if supported else '○'} {part}{'' if supported else ' (open)'}"
        for part, supported in outline.parts_of(response)
    ]
    return _listed("The parts of the question", lines)


def _sources(response: AgentResponse, writing: Writing) -> str:
    if not response.sources:
        return ""
    return _heading("Sources") + "".join(
        _source(source, at, writing) for at, source in enumerate(response.sources, 1)
    )


def _source(source: Citation, at: int, writing: Writing) -> str:
    title = outline.line(source.title, 300) or "Untitled"
    link = outline.link_of(source)
    where = outline.line(source.location)
    shown = outward(link, where, writing.links) if link else run(where, Look(code=True))
    details = outline.details_of(source)
    content = (
        f'<w:bookmarkStart w:id="{at}" w:name="source_{source.id}"/>'
        f'{run(f"[{source.id}] ")}<w:bookmarkEnd w:id="{at}"/>'
        f"{run(title, Look(bold=True))}{run(' — ')}{shown}"
        f"{run(f' ({details})') if details else ''}"
    )
    return paragraph(content, title)
