"""Takes the machine's own keys out of whatever is told, on the wire and in the log."""

from __future__ import annotations

import json
import logging

from leadline.fields.addresses import MASK, secrets_in
from leadline.fields.secret import SecretText
from leadline.settings import Settings

SHORTEST = 6  # a shorter value would be found in ordinary words


class Hidden:
    """Call it with bytes or text that goes out."""

    def __init__(self, settings: Settings) -> None:
        known = (one for one in settings.values().values() if isinstance(one, SecretText))
        values = {value.get_secret_value() for value in known}
        headers = settings.otel_headers.get_secret_value().split(",")
        values |= {one.partition("=")[2].strip() for one in headers}
        addresses = (one for one in settings.values().values() if isinstance(one, str))
        values |= {one for value in (*addresses, *values) for one in secrets_in(value)}
        forms = {form for one in values for form in (one, json.dumps(one)[1:-1])}
        self._texts = tuple(sorted((one for one in forms if len(one) >= SHORTEST), key=len)[::-1])
        self._bytes = tuple(one.encode() for one in self._texts)

    def __call__(self, data: bytes) -> bytes:
        """The same, as long as it was: its length may have been told already."""
        for secret in self._bytes:
            if secret in data:
                data = data.replace(secret, b"*" * len(secret))
        return data

    def text(self, said: str) -> str:
        for secret in self._texts:
            said = said.replace(secret, MASK)
        return said

    def guard_log(self, logger: logging.Logger) -> None:
        """From now on no line of this log has a key in it, its tracebacks neither."""
        for handler in logger.handlers:
            handler.setFormatter(_Clean(handler.formatter or logging.Formatter(), self))


class _Clean(logging.Formatter):
    """Another formatter's lines without keys."""

    def __init__(self, inner: logging.Formatter, hidden: Hidden) -> None:
        super().__init__()
        self._inner, self._hidden = inner, hidden

    def format(self, record: logging.LogRecord) -> str:
        return self._hidden.text(self._inner.format(record))
