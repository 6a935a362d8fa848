"""How commands reach the rest of the program; a test or another program may give its own."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from leadline.documents import IndexReport, Progress
    from leadline.session import Session
    from leadline.settings import Settings

    OpenSession = Callable[..., AbstractAsyncContextManager[Session]]  # settings, and a Review
    Prepare = Callable[[Settings, Callable[[Progress], None] | None], tuple[IndexReport, ...]]


class Doors(NamedTuple):
    """How a session is opened and how documents are made ready."""

    open_session: OpenSession
    prepare: Prepare


def doors(given: object) -> Doors:
    """The doors given to the program, or the real ones."""
    if isinstance(given, Doors):
        return given
    from leadline.kit import prepare
    from leadline.session import open_session

    return Doors(open_session, prepare)
