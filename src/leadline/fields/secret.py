"""Text that nobody sees by accident: keys, tokens, addresses with a password."""

from __future__ import annotations

_SHOWN = "**********"


class SecretText:
    """Whoever needs it asks for it; printed, logged or put into a message it is stars."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def get_secret_value(self) -> str:
        return self._text

    def __bool__(self) -> bool:
        return bool(self._text)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SecretText) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __repr__(self) -> str:
        return f"SecretText({str(self)!r})"

    def __str__(self) -> str:
        return _SHOWN if self._text else ""


NO_KEY = SecretText("")
