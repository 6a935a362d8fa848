"""Prompts are files: `NAME.md`, first what the model is told once, after a line `---` the request.

Blanks are `$named` and strictly filled. A file of the same name in a folder of the user's shadows
ours; it must have the same blanks, so that it cannot leave out the question or the date.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from string import Template

from leadline.errors import BadInput

HERE = Path(__file__).parent
RULE = "\n---\n"


@dataclass(frozen=True)
class Prompt:
    """A prompt with its blanks still open."""

    name: str
    system: str
    user: str

    @property
    def blanks(self) -> frozenset[str]:
        both = Template(f"{self.system}\n{self.user}")
        return frozenset(both.get_identifiers())

    def fill(self, values: Mapping[str, str]) -> tuple[str, str]:
        """System text and request. `BadInput` when a blank stays open or a value has none."""
        if open_blanks := self.blanks - values.keys():
            raise BadInput(f"the prompt {self.name} was not given {_names(open_blanks)}")
        if unknown := values.keys() - self.blanks:
            raise BadInput(f"the prompt {self.name} has no blank for {_names(unknown)}")
        return Template(self.system).substitute(values), Template(self.user).substitute(values)


def names() -> tuple[str, ...]:
    """All prompts there are."""
    return tuple(sorted(path.stem for path in HERE.glob("*.md")))


@lru_cache(maxsize=64)
def load(name: str, folder: Path | None = None) -> Prompt:
    """The prompt `name`, from `folder` where it has one."""
    ours = _read(HERE / f"{name}.md")
    shadow = folder / f"{name}.md" if folder else None
    if shadow is None or not shadow.is_file():
        return ours
    theirs = _read(shadow)
    if theirs.blanks != ours.blanks:
        raise BadInput(
            f"the prompt {shadow} must have the blanks {_names(ours.blanks)}; "
            f"it has {_names(theirs.blanks) or 'none'}"
        )
    return theirs


def check(folder: Path) -> tuple[str, ...]:
    """The prompts that `folder` shadows. `BadInput` for a file that shadows none or is wrong."""
    if not folder.is_dir():
        raise BadInput(f"the folder of prompts does not exist: {folder}")
    found = sorted(path.stem for path in folder.glob("*.md"))
    for name in found:
        if name not in names():
            raise BadInput(f"{folder / name}.md shadows no prompt; there are {', '.join(names())}")
        load(name, folder)
    return tuple(found)


def _read(path: Path) -> Prompt:
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError as error:
        raise BadInput(f"there is no prompt {path.stem}; there are {', '.join(names())}") from error
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"cannot read the prompt {path}: {error}") from error
    system, rule, user = text.replace("\r\n", "\n").partition(RULE)
    if not rule:
        raise BadInput(f"the prompt {path} needs a line --- between instructions and request")
    prompt = Prompt(path.stem, system.strip(), user.strip())
    if not Template(f"{prompt.system}\n{prompt.user}").is_valid():
        raise BadInput(f"the prompt {path} has a $ that starts no blank; write $$ for a dollar")
    return prompt


def _names(blanks: frozenset[str] | set[str]) -> str:
    return ", ".join(f"${name}" for name in sorted(blanks))
