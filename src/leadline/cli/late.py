"""Commands that are loaded when they are meant: a question needs one of twenty."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from importlib import import_module

import click


class LateCommands(MutableMapping[str, click.Command]):
    """`click.Group.commands` over the names of functions, each with its module in this package."""

    def __init__(self, modules: dict[str, str]) -> None:
        self._modules = modules
        self._loaded: dict[str, click.Command] = {}

    def __getitem__(self, name: str) -> click.Command:
        if name not in self._loaded:
            module = import_module(f"leadline.cli.{self._modules[name]}")
            self._loaded[name] = getattr(module, name)
        return self._loaded[name]

    def __setitem__(self, name: str, command: click.Command) -> None:
        self._modules[name], self._loaded[name] = "", command

    def __delitem__(self, name: str) -> None:
        del self._modules[name]
        self._loaded.pop(name, None)

    def __contains__(self, name: object) -> bool:
        return name in self._modules  # without loading it

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __len__(self) -> int:
        return len(self._modules)
