"""reStructuredText to Markdown as it is read: headings, code, notes and links in words.

No line is added or moved, so that a passage is found again in its file.
"""

from __future__ import annotations

import re

_ADORNED = re.compile(r"([=\-~^\"'`#*+.:_])\1{2,}[ \t]*")
_DIRECTIVE = re.compile(r"([ \t]*)\.\.[ \t]+(?:\|[^|\n]+\|[ \t]+)?([\w:+.-]+)::[ \t]*(.*)")
_COMMENT = re.compile(r"([ \t]*)\.\.(?:[ \t]+(?!\[).*)?")  # also the target of a link
_NOTE_MARK = re.compile(r"([ \t]*)\.\.[ \t]+\[([^\]\n]{1,80})\][ \t]*(.*)")
_OPTION = re.compile(r"[ \t]*:[\w -]{1,40}:(?:[ \t].*)?")
_ROLE = re.compile(r":[\w.+-]{1,40}(?::[\w.+-]{1,40})?:`([^`\n]{1,500})`")
_LINK = re.compile(r"`([^`<>\n]{1,300}?)[ \t]*<[^<>`\n]{1,500}>`__?")
_REFERENCE = re.compile(r"`([^`<>\n]{1,300})`__?(?!\w)")
_NAMED = re.compile(r"([^<]{1,300}?)[ \t]*<[^<>]{1,500}>")
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
    """The text in as many lines."""
    lines = text.split("\n")
    _mark_headings(lines)
    at = 0
    while at < len(lines):
        at = _read_line(lines, at)
    return "\n".join(lines)


def _mark_headings(lines: list[str]) -> None:
    """Underlined titles become `#` headings, their levels in the order of first use."""
    levels: list[tuple[str, bool]] = []
    for at in range(1, len(lines)):
        title, under = lines[at - 1], _ADORNED.fullmatch(lines[at])
        if not under or not title.strip() or _ADORNED.fullmatch(title):
            continue
        if len(lines[at].rstrip()) < len(title.strip()):
            continue
        over = at >= 2 and lines[at - 2].rstrip() == lines[at].rstrip()
        if not over and (title != title.lstrip() or (at >= 2 and lines[at - 2].strip())):
            continue
        style = (under[1], over)
        if style not in levels:
            levels.append(style)
        lines[at - 1] = "#" * min(6, levels.index(style) + 1) + " " + _plain(title.strip())
        lines[at] = ""
        if over:
            lines[at - 2] = ""


def _read_line(lines: list[str], at: int) -> int:
    """Rewrite the line `at`, and what belongs to it; the line to go on with."""
    line = lines[at]
    if line.lstrip().startswith(".."):
        return _read_explicit(lines, at)
    if line.rstrip().endswith("::"):
        lines[at] = _plain(line.rstrip()[:-1] if line.strip() != "::" else "")
        return _fence(lines, at + 1, _indent(line), "")
    lines[at] = _plain(line)
    return at + 1


def _read_explicit(lines: list[str], at: int) -> int:
    """A directive, a comment, a target or a footnote."""
    line = lines[at]
    if note := _NOTE_MARK.fullmatch(line):
        lines[at] = _plain(f"{note[1]}[{note[2]}] {note[3]}")
        return at + 1
    directive = _DIRECTIVE.fullmatch(line)
    if directive is None:
        if _COMMENT.fullmatch(line):
            return _blank(lines, at)
        lines[at] = _plain(line)
        return at + 1
    space, name, words = directive[1], directive[2].lower(), directive[3]
    if name in _CODE_BLOCKS:
        lines[at] = ""
        return _fence(lines, at + 1, len(space), words.strip())
    if name in _UNREAD:
        return _blank(lines, at)
    words = _plain(words)
    if name in _NOTICES:
        label = name.replace("version", "version ").replace("seealso", "see also").capitalize()
        words = f"{label}: {words}" if words else f"{label}:"
    lines[at] = space + words
    return _blank_options(lines, at + 1)


def _blank_options(lines: list[str], at: int) -> int:
    while at < len(lines) and _OPTION.fullmatch(lines[at]):
        lines[at] = ""
        at += 1
    return at


def _blank(lines: list[str], at: int) -> int:
    """Empty a line and all that is indented below it."""
    end = _block_end(lines, at + 1, _indent(lines[at]))
    lines[at:end] = [""] * (end - at)
    return end


def _fence(lines: list[str], at: int, indent: int, language: str) -> int:
    """Put what is indented below between fences, where blank lines around it leave the room."""
    at = _blank_options(lines, at)
    end = _block_end(lines, at, indent)
    first = next((n for n in range(at, end) if lines[n].strip()), end)
    last = max((n for n in range(at, end) if lines[n].strip()), default=at)
    if first > 0 and first < end and not lines[first - 1].strip():
        lines[first - 1] = f"```{language}"
        if last + 1 < len(lines):
            lines[last + 1] = "```"
        else:
            lines[last] += "\n```"
        return last + 2
    return end


def _block_end(lines: list[str], at: int, indent: int) -> int:
    """The line after those that are indented deeper, or blank."""
    while at < len(lines) and (not lines[at].strip() or _indent(lines[at]) > indent):
        at += 1
    return at


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _plain(line: str) -> str:
    """A line without roles and targets: their words alone."""
    if "`" not in line:
        return line
    line = _ROLE.sub(lambda match: _role_text(match[1]), line)
    line = _LINK.sub(r"\1", line)
    line = line.replace("``", "`\0")  # a literal keeps one mark
    return _REFERENCE.sub(_reference_text, line).replace("`\0", "`")


def _reference_text(match: re.Match[str]) -> str:
    return match[0] if "\0" in match[0] else match[1]


def _role_text(words: str) -> str:
    """`text <target>` says its text, `~a.b.c` its last name."""
    named = _NAMED.fullmatch(words)
    text = named[1] if named else words
    return text.rpartition(".")[2] if text.startswith("~") else text.lstrip("!")
