"""Which model answers, and why that one."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Choice:
    """The model to use, "" for none, and why."""

    model: str
    why: str


NO_MODEL = Choice("", "no model is set, no key, and no Ollama here; set one with RESEARCH_MODEL")
