"""Source code: text as it is; the title is the path, since that is how people name it."""

from __future__ import annotations

from leadline.read.plain import decoded
from leadline.types import Page

_SUFFIXES = """
.py .pyi .js .mjs .cjs .jsx .ts .tsx .java .kt .scala .go .rs .c .h .cc .cpp .cxx .hpp .hh .cs
.swift .m .mm .rb .php .pl .pm .lua .r .jl .hs .ml .ex .exs .erl .clj .sh .bash .zsh .fish .ps1
.sql .css .scss .less .vue .svelte .toml .yaml .yml .json .jsonl .ini .cfg .conf .tex .bib .proto
.graphql .gradle .cmake .mk .dockerfile .tf .nix .zig .v .vhdl .asm .s .diff .patch .xml
"""


class CodeReader:
    suffixes: tuple[str, ...] = tuple(_SUFFIXES.split())

    def read(self, data: bytes, name: str) -> Page:
        return Page(name, name, decoded(data, name), kind="document")
