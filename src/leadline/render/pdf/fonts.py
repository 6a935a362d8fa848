"""Which fonts a PDF is set in, and the words for characters that none of them has.

typst brings Latin, Greek and Cyrillic, and a little more. Chinese, Japanese and Korean come from
a font package (the extra `cjk`) or from the system; which it was, and what is missing, is told.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from leadline.errors import with_extra

if TYPE_CHECKING:
    import typst

# Folders of packages that carry fonts; they are looked into, never imported.
_PACKAGES = (("mplfonts", "fonts"), ("matplotlib", "mpl-data/fonts/ttf"))
MONO = "DejaVu Sans Mono"
# Looked for in this order; only fonts of the system that come after them are taken as they come.
FAMILIES = (
    "Libertinus Serif",
    "Noto Naskh Arabic",
    "Amiri",
    "DejaVu Sans",
    "Noto Serif CJK SC",
    "Noto Serif CJK JP",
    "Source Han Serif SC",
    MONO,
)
_UNFIT = re.compile(r"last\s*resort|notdef|^cm[a-z]+\d+$|nonunicode", re.IGNORECASE)
_MISSING = re.compile(r"the text `\"(.+?)\"` could not be displayed", re.DOTALL)
_ESCAPED = re.compile(r"\\u\{([0-9a-f]{1,6})\}")  # how typst writes what cannot be printed
_HAN = "Han (Chinese, Japanese)"
_SCRIPTS = {"CJK": _HAN, "IDEOGRAPHIC": _HAN}
_CJK = ("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO", "IDEOGRAPHIC")


@lru_cache(maxsize=2)
def fonts(system: bool) -> typst.Fonts:
    """typst's own fonts and those of font packages; with `system`, all that the machine has."""
    import typst

    return typst.Fonts(include_system_fonts=system, font_paths=[str(one) for one in _packaged()])


def _packaged() -> list[Path]:
    found: list[Path] = []
    for package, folder in _PACKAGES:
        spec = find_spec(package)
        for place in (spec.submodule_search_locations or ()) if spec else ():
            found += [path] if (path := Path(place) / folder).is_dir() else []
    return found


def families(system: bool) -> list[str]:
    """The families to set text in, as far as they are there, and no others.

    A font of last resort claims every character and shows none: with it nothing would be missing.
    Old fonts of TeX have other signs where Unicode has letters.
    """
    there = fonts(system).families()
    named = [name for name in FAMILIES if name in there]
    if not system:
        return named
    return named + [name for name in there if name not in named and not _UNFIT.search(name)]


def missing_in(diagnostic: str) -> tuple[str, ...]:
    """The characters that typst says it has no glyph for."""
    named = "".join(_MISSING.findall(diagnostic))
    return tuple(dict.fromkeys(_ESCAPED.sub(lambda found: chr(int(found[1], 16)), named)))


def told(missing: Iterable[str]) -> str:
    """What is missing in words: the scripts, some of the characters by number, and what to do."""
    characters = tuple(missing)
    names = [unicodedata.name(char, "unnamed").split(" ")[0].split("-")[0] for char in characters]
    scripts = dict.fromkeys(_SCRIPTS.get(name, name.capitalize()) for name in names)
    some = ", ".join(f"U+{ord(char):04X}" for char in characters[:5])
    more = " …" if len(characters) > 5 else ""
    advice = (
        f"to mend it, {with_extra('cjk')}"
        if any(name in _CJK for name in names)
        else "install a font for it, such as one of the Noto family"
    )
    return (
        f"no font has {len(characters)} of the characters ({', '.join(scripts)}: {some}{more}), "
        f"they show as empty boxes; {advice}"
    )
