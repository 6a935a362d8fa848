"""What a run needs on the worker that takes it over: answers of models, pages, downloads."""

from __future__ import annotations

import json
import logging
import time
import zlib
from collections.abc import Callable, Iterable
from typing import Any

from leadline.keep.pages import (
    GRACE_S,
    SPARE,
    Snapshot,
    SnapshotStats,
    about,
    packed,
    page_from,
    unpacked,
)
from leadline.store.postgres.link import Connection, Link
from leadline.text.urls import canonical
from leadline.types import Page

_MARK = "\x1b"  # before text that PostgreSQL would not take as it is
log = logging.getLogger(__name__)


class PostgresCalls:
    """`models.kept.CallTable` in the database that runs are kept in."""

    def __init__(self, url: str) -> None:
        self._link = Link.of(url)

    def rows(self, sql: str, values: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        text = sql.replace("?", "%s")
        given = tuple(_taken(value) for value in values)

        def do(connection: Connection) -> list[tuple[Any, ...]]:
            cursor = connection.execute(text, given)
            return cursor.fetchall() if cursor.description else []

        return [tuple(_given(value) for value in row) for row in self._link.now(do)]

    def close(self) -> None:
        """The connection is shared; whoever keeps the runs closes it."""


def _taken(value: Any) -> Any:
    """A value that the database takes: no zero characters, no halves of a pair."""
    if not isinstance(value, str):
        return value
    plain = "\0" not in value and not value.startswith(_MARK) and not _halved(value)
    return value if plain else _MARK + json.dumps(value)


def _given(value: Any) -> Any:
    if isinstance(value, str) and value.startswith(_MARK):
        return json.loads(value[len(_MARK) :])
    return value


def _halved(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


class PostgresSnapshots:
    """As `keep.pages.Snapshots`, with the texts in the database too."""

    def __init__(self, url: str, max_bytes: int = 0, now: Callable[[], float] = time.time) -> None:
        self._link, self._max_bytes, self._now = Link.of(url), max_bytes, now

    def keep(self, page: Page, final_url: str = "", content_type: str = "") -> str:
        key, at = page.hash, self._now()
        visit = (canonical(page.url), key, at, final_url or page.url, content_type, about(page))

        def put(connection: Connection) -> None:
            with connection.transaction():
                connection.execute(
                    "INSERT INTO snapshots VALUES (%s, %s, %s)"
                    " ON CONFLICT (hash) DO UPDATE SET kept_at = excluded.kept_at",
                    (key, packed(page), at),
                )
                connection.execute(
                    "INSERT INTO visits VALUES (%s, %s, %s, %s, %s, %s)"
                    " ON CONFLICT (url, hash) DO UPDATE SET at = excluded.at,"
                    " final_url = excluded.final_url, content_type = excluded.content_type,"
                    " page = excluded.page",
                    visit,
                )

        self._link.now(put)
        if self._max_bytes:
            self._link.now(self._make_room)
        return key

    def cite(self, run_id: str, hashes: Iterable[str]) -> None:
        pairs = [(run_id, one) for one in hashes]

        def put(connection: Connection) -> None:
            sql = "INSERT INTO citations VALUES (%s, %s) ON CONFLICT DO NOTHING"
            connection.cursor().executemany(sql, pairs)

        self._link.now(put)

    def get(self, key: str) -> Snapshot | None:
        return self._found("v.hash = %s", (key,))

    def latest(self, url: str, max_age_s: float) -> Snapshot | None:
        return self._found("v.url = %s AND v.at > %s", (canonical(url), self._now() - max_age_s))

    def stats(self) -> SnapshotStats:
        sql = """SELECT count(*), coalesce(sum(octet_length(packed)), 0),
                 count(*) FILTER (WHERE hash IN (SELECT hash FROM citations)) FROM snapshots"""
        row = self._link.now(lambda one: one.execute(sql).fetchone()) or (0, 0, 0)
        return SnapshotStats(int(row[0]), int(row[1]), int(row[2]))

    def _found(self, where: str, values: tuple[Any, ...]) -> Snapshot | None:
        sql = f"""SELECT v.hash, v.final_url, v.content_type, v.page, s.packed
                  FROM visits v JOIN snapshots s ON s.hash = v.hash
                  WHERE {where} ORDER BY v.at DESC LIMIT 1"""  # noqa: S608 - ours
        row = self._link.now(lambda one: one.execute(sql, values).fetchone())
        if row is None:
            return None
        key, final_url, content_type, page, data = row
        try:
            text = unpacked(data)
        except (zlib.error, UnicodeDecodeError) as error:
            log.warning("the snapshot %s is damaged: %s", key, error)
            return None
        return Snapshot(page_from(page, text), final_url, content_type)

    def _make_room(self, connection: Connection) -> None:
        """Drop the pages kept longest ago that no run cites, until there is some room again."""
        sql = "SELECT coalesce(sum(octet_length(packed)), 0) FROM snapshots"
        row = connection.execute(sql).fetchone()
        over = int(row[0]) - self._max_bytes if row else 0
        if over <= 0:
            return
        drop = """WITH old AS (
            SELECT hash, sum(octet_length(packed)) OVER (ORDER BY kept_at, hash)
                       - octet_length(packed) AS before
            FROM snapshots s WHERE kept_at < %s
            AND NOT EXISTS (SELECT FROM citations c WHERE c.hash = s.hash)
        ), gone AS (
            DELETE FROM snapshots WHERE hash IN (SELECT hash FROM old WHERE before < %s)
            RETURNING hash
        ) DELETE FROM visits WHERE hash IN (SELECT hash FROM gone)"""
        room = over + round((1 - SPARE) * self._max_bytes)
        connection.execute(drop, (self._now() - GRACE_S, room))
