"""reStructuredText to Markdown as it is read: headings, code, notes and links in words."""

from __future__ import annotations

import re
from itertools import takewhile
from textwrap import dedent

_TITLE = re.compile(
    r"^(?:(?P<over>([=\-~^\"'`#*+.:_])\2{2,})[ \t]*\n)?(?P<title>[ \t]?\S[^\n]*)\n"
    r"(?P<under>([=\-~^\"'`#*+.:_])\5{2,})[ \t]*$",
    re.MULTILINE,
)
_DIRECTIVE = re.compile(r"[ \t]*\.\.[ \t]+(?:\|[^|\n]+\|[ \t]+)?([\w:+.-]+)::[ \t]*(.*)")
_COMMENT = re.compile(r"[ \t]*\.\.(?:[ \t]+(?!\[).*)?")  # also the target of a link
_OPTION = re.compile(r"[ \t]*:[\w -]{1,40}:(?:[ \t].*)?")
_ROLE = re.compile(r":([\w.+-]{1,40})(?::[\w.+-]{1,40})?:`([^`]{1,500})`")
_LINK = re.compile(r"`([^`<>]{1,300}?)\s*<[^<>`\n]{1,500}>`__?")
_REFERENCE = re.compile(r"(?<!`)`([^`<>\n]{1,300})`__?(?!\w)")
# Items, rows of tables, headings and footnotes; in a row there is room between the columns.
_OWN_LINE = re.compile(r"(?:[-*+]|\d+\.)\s|[|=#\[]|\+[-=]|.*[^.?!:\"')] {2,}\S")
_NOTE = re.compile(r"\]_(?!\w)")
_NAMED = re.compile(r"([^<]{1,300}?)\s*<[^<>]{1,500}>")
_CODE_BLOCKS = frozenset({"code", "code-block", "sourcecode", "parsed-literal", "doctest"})
_UNREAD_NAMES = """
toctree index image figure include literalinclude contents highlight module currentmodule
py:module py:currentmodule raw meta only role default-role autosummary automodule autoclass
autofunction tabularcolumns sectionauthor moduleauthor codeauthor replace unicode date title
default-domain
"""
_UNREAD = frozenset(_UNREAD_NAMES.split())
_NOTICE_NAMES = """
note warning tip hint important caution danger attention error seealso versionadded versionchanged
versionremoved deprecated deprecated-removed
"""
_NOTICES = frozenset(_NOTICE_NAMES.split())
_SURE = re.compile(r"^\.\. [\w:-]{2,40}::|:[a-z]{2,10}:`[^`\n]{1,200}`", re.MULTILINE)


def is_rest(text: str) -> bool:
    """Whether a text without a telling name is reStructuredText, by directives and roles."""
    return _SURE.search(text) is not None


def rest_to_markdown(text: str) -> str:
    """The text without directives, roles, comments and targets, but with what they say. What they
    indent is brought to the margin, for in Markdown it would be code, and a paragraph to one line.
    """
    text = _LINK.sub(r"\1", _ROLE.sub(_role_text, text))
    lines = _with_headings(text).split("\n")
    shown: list[str] = []
    paragraph_indent: int | None = None  # of the lines of the paragraph that is being read
    at = 0
    while at < len(lines):
        line, at = lines[at], at + 1
        indent_before, paragraph_indent = paragraph_indent, None
        opens_block = line.lstrip().startswith("..") or line.rstrip().endswith("::")
        end = _block_end(lines, at, _indent(line)) if opens_block else at
        if directive := _DIRECTIVE.fullmatch(line):
            name, words = directive[1].lower(), directive[2].strip()
            at += sum(1 for _ in takewhile(_OPTION.fullmatch, lines[at:end]))
            if name in _CODE_BLOCKS:
                shown += _fenced(lines[at:end], words)
            elif name not in _UNREAD:
                shown.append(_labelled(name, _plain(words)))
                continue
            at = end
        elif _COMMENT.fullmatch(line):
            at = end
        elif line.rstrip().endswith("::"):
            text = _plain(line.rstrip()[:-1])
            if text != ":" and indent_before == _indent(line):
                shown[-1] += f" {text}"
            else:
                shown.append(text.removesuffix(" :") if text != ":" else "")
            shown += _fenced(lines[at:end], "")
            at = end
        else:
            text = _plain(line.replace(".. [", "[", 1))
            if text and not _OWN_LINE.match(text):
                paragraph_indent = _indent(line)
            if paragraph_indent is not None and paragraph_indent == indent_before:
                shown[-1] += f" {text}"
            else:
                shown.append(text)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(shown)).strip("\n") + "\n"


def _with_headings(text: str) -> str:
    """Underlined titles become `#` headings, their levels in the order of first use."""
    levels: list[tuple[str, bool]] = []

    def marked(match: re.Match[str]) -> str:
        title, over, under = match["title"].strip(), match["over"], match["under"]
        if len(under) < len(title) or not any(char.isalnum() for char in title):
            return match[0]
        style = (under[0], over is not None)
        if style not in levels:
            levels.append(style)
        return "#" * min(6, levels.index(style) + 1) + f" {_plain(title)}\n"

    return _TITLE.sub(marked, text)


def _labelled(name: str, words: str) -> str:
    if name not in _NOTICES:
        return words
    label = name.replace("version", "version ").replace("seealso", "see also").capitalize()
    return f"{label}: {words}".rstrip()


def _fenced(lines: list[str], language: str) -> list[str]:
    code = dedent("\n".join(lines)).strip("\n")
    return ["", f"```{language}", *code.split("\n"), "```", ""] if code.strip() else [""]


def _block_end(lines: list[str], at: int, indent: int) -> int:
    """The line after those that are indented deeper, or blank."""
    while at < len(lines) and (not lines[at].strip() or _indent(lines[at]) > indent):
        at += 1
    return at


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _plain(line: str) -> str:
    """A line at the margin, with the words of its references and literals alone."""
    line = line.strip()
    return _NOTE.sub("]", _REFERENCE.sub(r"\1", line)).replace("``", "`")


def _role_text(role: re.Match[str]) -> str:
    """`text <target>` says its text, `~a.b.c` its last name, and `4180` is RFC 4180."""
    named = _NAMED.fullmatch(role[2])
    text = named[1] if named else role[2]
    if role[1] in ("pep", "rfc"):
        return f"{role[1].upper()} {text}"
    return text.rpartition(".")[2] if text.startswith("~") else text.lstrip("!")
