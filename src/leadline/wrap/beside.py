"""Several searches as one: all are asked at the same time and their results taken in turn."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import chain, zip_longest

from leadline.errors import SourceLost
from leadline.ports import Find
from leadline.types import Asked, Batch, Loss, Query
from leadline.wrap.find import having_asked, note


def beside(finds: Sequence[Find]) -> Find:
    """The best of each in turn; one that fails is noted while another answers."""

    async def all_of_them(query: Query, k: int) -> Batch:
        results = await asyncio.gather(*(find(query, k) for find in finds), return_exceptions=True)
        batches: list[Batch] = []
        lost: list[SourceLost] = []
        for result in results:
            if isinstance(result, SourceLost):
                lost.append(result)
            elif isinstance(result, BaseException):
                raise result
            else:
                batches.append(result)
        if not batches:
            retryable, asked = any(one.retryable for one in lost), _asked(lost)
            raise SourceLost("; ".join(map(str, lost)), retryable=retryable, asked=asked)
        merged = _merged(query, batches, tuple(note(query, str(one)) for one in lost), k)
        return having_asked(_asked(lost), merged)

    return all_of_them


def _asked(of: Sequence[Batch] | Sequence[SourceLost]) -> tuple[Asked, ...]:
    return tuple(chain(*(one.asked for one in of)))


def _merged(query: Query, batches: Sequence[Batch], lost: tuple[Loss, ...], k: int) -> Batch:
    in_turn = chain(*zip_longest(*(batch.hits for batch in batches)))
    return Batch(
        query,
        tuple(hit for hit in in_turn if hit is not None)[: k * len(batches)],
        provider=" + ".join(dict.fromkeys(batch.provider for batch in batches if batch.provider)),
        cached=all(batch.cached for batch in batches),
        notes=(*(loss for batch in batches for loss in batch.notes), *lost),
        asked=_asked(batches),
    )
