"""In which state is a URL? In exactly one: discovered = queued + leased + done + failed + suppressed."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

from crawldb.visited import find
from urls.records import MAX_HOPS, CanonicalUrl

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from crawldb.database import CrawlDatabase


class State(IntEnum):
    """The state of a discovered URL, as the column `url.state` has it."""

    QUEUED = 0
    LEASED = 1
    DONE = 2
    FAILED = 3
    SUPPRESSED = 4


class Kind(IntEnum):
    """What a discovered URL is asked for, as the column `url.kind` has it."""

    PAGE = 0
    SITEMAP = 1


PAGE_URGENCY = 1  # of a page that changed since it was fetched, as its sitemap says; 0: of any other
SITEMAP_URGENCY = 2  # of a sitemap: what it lists comes after it
FORGOTTEN = "forgotten"  # the rule of what a person took out with forget


# -- Which addresses lead here? A redirect is kept by its source, so a target asks about those it has in mind.

_CHAIN = (
    "WITH RECURSIVE hop (id, number) AS (SELECT moved_to, 1 FROM url WHERE id = ? "
    "UNION ALL SELECT moved_to, number + 1 FROM hop JOIN url USING (id) WHERE number < ?) "
    "SELECT 1 FROM hop WHERE id = ?"
)


def led_to(database: CrawlDatabase, target: str, sources: Iterable[str]) -> Iterator[str]:
    """Give those of `sources` (canonical URLs) that redirect to `target`, at once or by way of others."""
    for source in sources:
        ids = find(database.connection, source), find(database.connection, target)
        if None not in ids and database.value(_CHAIN, ids[0], MAX_HOPS, ids[1]) is not None:
            yield source


STORED_URL = 4096  # characters: of a longer URL, which is refused anyway, the beginning and a digest are stored


_BEGINNING = 200


def stored_name(url: CanonicalUrl) -> str:
    """Return the name under which `url` is stored; an overlong one is refused, counted, and not copied."""
    if len(url) <= STORED_URL:
        return url
    from hashlib import blake2b  # noqa: PLC0415 - only for what is refused anyway

    return f"{url[:_BEGINNING]}…#{len(url)}-{blake2b(url.encode(), digest_size=8).hexdigest()}"


def leads_back(database: CrawlDatabase, target: int, url: int) -> bool:
    """Return whether the redirects from `target` on come to `url` again."""
    here: object = target
    for _ in range(MAX_HOPS + 1):
        if here == url:
            return True
        here = database.value("SELECT moved_to FROM url WHERE id = ?", here)
    return False
