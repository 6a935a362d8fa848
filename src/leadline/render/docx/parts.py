"""The parts of a Word file that are the same in every report: types, styles, numbering."""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape

from leadline.render.docx.blocks import BULLETS

XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
MAIN = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
)
_OFFICE = "application/vnd.openxmlformats-officedocument.wordprocessingml"
_RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
LEVELS = 9
_STEP = 420

TYPES = (
    XML + '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" '
    'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="xml" ContentType="application/xml"/>'
    f'<Override PartName="/word/document.xml" ContentType="{_OFFICE}.document.main+xml"/>'
    f'<Override PartName="/word/styles.xml" ContentType="{_OFFICE}.styles+xml"/>'
    f'<Override PartName="/word/numbering.xml" ContentType="{_OFFICE}.numbering+xml"/>'
    f'<Override PartName="/word/footnotes.xml" ContentType="{_OFFICE}.footnotes+xml"/>'
    '<Override PartName="/docProps/core.xml" '
    'ContentType="application/vnd.openxmlformats-package.core-properties+xml"/></Types>'
)
PACKAGE = (
    XML + '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    f'<Relationship Id="r1" Type="{_RELATION}/officeDocument" Target="word/document.xml"/>'
    '<Relationship Id="r2" Type="http://schemas.openxmlformats.org/package/2006/relationships/'
    'metadata/core-properties" Target="docProps/core.xml"/></Relationships>'
)
DOCUMENT_RELATIONS = "".join(
    f'<Relationship Id="part{at}" Type="{_RELATION}/{name}" Target="{name}.xml"/>'
    for at, name in enumerate(("styles", "numbering", "footnotes"), 1)
)
_SEPARATORS = "".join(
    f'<w:footnote w:type="{kind}" w:id="{number}"><w:p><w:r><w:{mark}/></w:r></w:p></w:footnote>'
    for kind, number, mark in (
        ("separator", -1, "separator"),
        ("continuationSeparator", 0, "continuationSeparator"),
    )
)


def footnotes(items: Sequence[str]) -> str:
    return f"{XML}<w:footnotes {MAIN}>{_SEPARATORS}{''.join(items)}</w:footnotes>"


def core(title: str, created: str) -> str:
    """Title and time of the document; the time is that of the run."""
    stamp = (
        f'<dcterms:created xsi:type="dcterms:W3CDTF">{escape(created)}</dcterms:created>'
        if created
        else ""
    )
    return (
        f"{XML}<cp:coreProperties xmlns:cp="
        '"http://schemas.openxmlformats.org/package/2006/metadata/core-properties" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/" '
        'xmlns:dcterms="http://purl.org/dc/terms/" '
        'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">'
        f"<dc:title>{escape(title)}</dc:title><dc:creator>Leadline</dc:creator>{stamp}"
        "</cp:coreProperties>"
    )


def numbering(starts: Sequence[int]) -> str:
    """One list of bullets, and a list of its own for each numbered one, so that each restarts."""
    bullets = "".join(_level(at, "bullet", "•◦▪"[at % 3]) for at in range(LEVELS))
    numbers = "".join(_level(at, "decimal", f"%{at + 1}.") for at in range(LEVELS))
    lists = "".join(
        f'<w:num w:numId="{BULLETS + at}"><w:abstractNumId w:val="1"/>'
        + "".join(
            f'<w:lvlOverride w:ilvl="{level}"><w:startOverride w:val="{max(start, 0)}"/>'
            "</w:lvlOverride>"
            for level in range(LEVELS)
        )
        + "</w:num>"
        for at, start in enumerate(starts, 1)
    )
    return (
        f'{XML}<w:numbering {MAIN}><w:abstractNum w:abstractNumId="0">{bullets}</w:abstractNum>'
        f'<w:abstractNum w:abstractNumId="1">{numbers}</w:abstractNum>'
        f'<w:num w:numId="{BULLETS}"><w:abstractNumId w:val="0"/></w:num>{lists}</w:numbering>'
    )


def _level(at: int, kind: str, text: str) -> str:
    return (
        f'<w:lvl w:ilvl="{at}"><w:start w:val="1"/><w:numFmt w:val="{kind}"/>'
        f'<w:lvlText w:val="{text}"/><w:lvlJc w:val="left"/><w:pPr>'
        f'<w:ind w:left="{(at + 1) * _STEP}" w:hanging="300"/></w:pPr></w:lvl>'
    )


def _style(key: str, name: str, paragraph: str = "", run: str = "", based: str = "Normal") -> str:
    base = f'<w:basedOn w:val="{based}"/>' if based else ""
    return (
        f'<w:style w:type="paragraph" w:styleId="{key}"{"" if based else " w:default=" + chr(34)}'
        f"{'' if based else '1' + chr(34)}>"
        f'<w:name w:val="{name}"/>{base}<w:qFormat/><w:pPr>{paragraph}</w:pPr>'
        f"<w:rPr>{run}</w:rPr></w:style>"
    )


def _font(name: str) -> str:
    return f'<w:rFonts w:ascii="{name}" w:hAnsi="{name}" w:cs="{name}"/>'


def _size(points: float) -> str:
    half = round(points * 2)
    return f'<w:sz w:val="{half}"/><w:szCs w:val="{half}"/>'


def _heading(level: int, points: float) -> str:
    return _style(
        f"Heading{level}",
        f"heading {level}",
        '<w:keepNext/><w:keepLines/><w:spacing w:before="320" w:after="100"/>'
        f'<w:outlineLvl w:val="{level - 1}"/>',
        "<w:b/><w:bCs/>" + _size(points),
    )


_GREY = '<w:color w:val="555555"/>'
_EDGE = '<w:left w:val="single" w:sz="18" w:space="10" w:color="CCCCCC"/>'
_LINE = '<w:bottom w:val="single" w:sz="6" w:space="1" w:color="BBBBBB"/>'
STYLES = (
    f"{XML}<w:styles {MAIN}><w:docDefaults><w:rPrDefault><w:rPr>"
    '<w:rFonts w:ascii="Cambria" w:hAnsi="Cambria" w:eastAsia="SimSun" w:cs="Times New Roman"/>'
    f'{_size(11)}<w:lang w:val="en-GB" w:eastAsia="zh-CN" w:bidi="ar-SA"/></w:rPr></w:rPrDefault>'
    '<w:pPrDefault><w:pPr><w:spacing w:after="140" w:line="290" w:lineRule="auto"/></w:pPr>'
    "</w:pPrDefault></w:docDefaults>"
    + _style("Normal", "Normal", based="")
    + _style("Title", "Title", '<w:spacing w:after="80"/>', "<w:b/><w:bCs/>" + _size(22))
    + "".join(_heading(level, size) for level, size in enumerate((18, 15, 13, 11.5, 11, 11), 1))
    + _style("Facts", "Facts", "", _GREY + _size(9))
    + _style("ListParagraph", "List Paragraph", '<w:spacing w:after="60"/>')
    + _style("Quote", "Quote", f'<w:pBdr>{_EDGE}</w:pBdr><w:ind w:left="300"/>', _GREY)
    + _style(
        "Code",
        "Code",
        '<w:shd w:val="clear" w:color="auto" w:fill="F3F2EE"/><w:spacing w:line="250"/>',
        _font("Consolas") + _size(9),
    )
    + _style("Cell", "Cell", '<w:spacing w:before="30" w:after="30"/>', _size(10))
    + _style("Rule", "Rule", f"<w:pBdr>{_LINE}</w:pBdr>")
    + _style("FootnoteText", "footnote text", '<w:spacing w:after="40" w:line="240"/>', _size(9))
    + '<w:style w:type="character" w:styleId="FootnoteReference"><w:name '
    'w:val="footnote reference"/><w:rPr><w:color w:val="1D5C8F"/><w:vertAlign '
    'w:val="superscript"/></w:rPr></w:style>'
    '<w:style w:type="character" w:styleId="Hyperlink"><w:name w:val="Hyperlink"/><w:rPr>'
    '<w:color w:val="1D5C8F"/><w:u w:val="single"/></w:rPr></w:style>'
    '<w:style w:type="character" w:styleId="CodeText"><w:name w:val="Code Text"/><w:rPr>'
    f"{_font('Consolas')}{_size(10)}</w:rPr></w:style>"
    '<w:style w:type="table" w:styleId="Report"><w:name w:val="Report Table"/><w:tblPr>'
    '<w:tblBorders><w:top w:val="single" w:sz="8" w:color="777777"/>'
    '<w:bottom w:val="single" w:sz="8" w:color="777777"/>'
    '<w:insideH w:val="single" w:sz="4" w:color="CCCCCC"/></w:tblBorders>'
    '<w:tblCellMar><w:left w:w="100" w:type="dxa"/><w:right w:w="100" w:type="dxa"/>'
    "</w:tblCellMar></w:tblPr></w:style></w:styles>"
)
