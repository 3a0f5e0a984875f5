"""Why did a URL come when it did? Its turn, what it promised then, and what came of all turns. Table `promise`.

Only the orders that go by a promise are told: of the others the depth of a URL says as much.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from crawldb.tables.urls import IS_QUEUED
from crawldb.tables.worth import LINKED, ORDERS
from urls.promise import Promise
from urls.schedule import UNJUDGED, Priority

if TYPE_CHECKING:
    from crawldb.database import CrawlDatabase

TOLD = frozenset({Priority.TOPIC, Priority.RARE})  # orders of which each turn is noted
FIFTHS = 5  # into which the turns are cut to show how the harvest went
_LATEST = "(SELECT turn_topic FROM topic)"


def go_by_topic(database: CrawlDatabase, *, in_force: bool) -> None:
    """Note whether the run goes by the topic that the folder has; where it has none, nothing is written."""
    with database.transaction():
        database.connection.execute("UPDATE topic SET in_force = ?1 WHERE in_force != ?1", (in_force,))


def note_turn(database: CrawlDatabase, url: int, priority: Priority, wanted: str) -> None:
    """Note that a URL has its turn: what it promises, and the best of what its site has waiting that is `wanted`.

    Within the transaction that leases it.
    """
    inlinks = LINKED if priority is Priority.RARE else "NULL"
    topic = _LATEST if priority is Priority.TOPIC else "NULL"
    database.connection.execute(
        "INSERT INTO promise (url, inlinks, turn_topic, turn, promised, next_best) "
        f"SELECT id, {inlinks}, {topic}, (SELECT coalesce(max(turn), 0) + 1 FROM promise), worth, "
        f"(SELECT worth FROM url AS other WHERE site = url.site AND {wanted} ORDER BY {ORDERS[priority]} LIMIT 1) "
        "FROM url WHERE id = ? "
        "ON CONFLICT (url) DO UPDATE SET inlinks = excluded.inlinks, turn_topic = excluded.turn_topic, "
        "turn = excluded.turn, promised = excluded.promised, next_best = excluded.next_best",
        (url,),
    )


@dataclass(frozen=True, slots=True)
class PromiseRow:
    """What is kept of one URL, for the page that tells why: what it promises, and when it had its turn."""

    topic: str  # as it was given; "" without one
    parts: Promise | None  # None: it waits to be judged, or there is no topic
    via: str  # the page whose link promises most
    anchor: tuple[str, ...]  # the terms in its words
    around: tuple[str, ...]
    name: tuple[str, ...]
    folder: str
    relevance: float | None  # of its page
    relevant: bool
    said: tuple[str, ...]  # the terms that its page has
    turn: int | None  # which it was of all turns
    former: str  # the topic of that turn; "" where it is the one in force, or the turn had none
    promised: float | None  # then
    next_best: float | None  # the best promise that its site had waiting beside it
    inlinks: int | None  # pages that linked to it then, where few links go first
    waits: bool  # it is queued


_PROMISE = (
    "SELECT (SELECT given FROM topic), parts, (SELECT url FROM url WHERE id = via), anchor, around, name, path, "
    "relevance, topic_page.relevant, said, turn, (SELECT given FROM turn_topic WHERE id = promise.turn_topic "
    "AND id NOT IN (SELECT turn_topic FROM topic WHERE in_force)), promised, next_best, inlinks, "
    f"EXISTS (SELECT 1 FROM url WHERE id = own AND {IS_QUEUED}), "
    f"EXISTS (SELECT 1 FROM url WHERE id = own AND {IS_QUEUED} AND worth = {UNJUDGED}) "
    "FROM (SELECT ? AS own) LEFT JOIN promise ON promise.url = own LEFT JOIN topic_page ON topic_page.url = own "
    "LEFT JOIN topic_folder ON topic_folder.id = promise.folder "
    "WHERE promise.url IS NOT NULL OR topic_page.url IS NOT NULL"
)


def read_promise(database: CrawlDatabase, url: int) -> PromiseRow | None:
    """Return what is kept of a URL; None where no crawl with such an order has met it."""
    row = database.connection.execute(_PROMISE, (url,)).fetchone()
    if row is None:
        return None
    words: list[str] = json.loads(str(database.value("SELECT terms FROM topic") or "[]"))
    given, parts, via, anchor, around, name, path, relevance, relevant, said, *rest = row
    turn, former, promised, next_best, inlinks, waits, is_unjudged = rest

    def terms(bits: int | None) -> tuple[str, ...]:
        return tuple(word for number, word in enumerate(words) if (bits or 0) >> number & 1)

    judged = json.loads(parts or "[]")
    return PromiseRow(
        given or "",
        Promise(*judged) if judged and not is_unjudged else None,
        via or "",
        terms(anchor),
        terms(around),
        terms(name),
        path or "",
        relevance,
        bool(relevant),
        tuple(word for word, frequency in zip(words, said or b"", strict=False) if frequency),
        turn,
        former or "",
        promised,
        next_best,
        inlinks,
        bool(waits),
    )


class Harvest(NamedTuple):
    """What came of the turns that were taken for a topic, as of the latest weighing of its terms."""

    topic: str
    in_force: bool  # False: the latest run went by another order
    pages: int  # that were looked at
    relevant: int  # of them
    turns: int
    by_fifths: tuple[int, ...]  # relevant pages of each fifth of the turns


def read_harvest(database: CrawlDatabase) -> Harvest | None:
    """Return the harvest of the topic by which the queue was last put in order; None where there was none."""
    topic = database.connection.execute("SELECT given, in_force FROM topic").fetchone()
    if topic is None:
        return None
    given, in_force = topic
    turns = [
        bool(relevant)
        for (relevant,) in database.connection.execute(
            "SELECT relevant FROM promise LEFT JOIN topic_page USING (url) "
            f"WHERE turn IS NOT NULL AND turn_topic = {_LATEST} ORDER BY turn"
        )
    ]
    edges = [round(len(turns) * fifth / FIFTHS) for fifth in range(FIFTHS + 1)]
    by_fifths = tuple(sum(turns[begin:end]) for begin, end in pairwise(edges))
    pages, relevant = database.connection.execute(
        "SELECT count(*), coalesce(sum(relevant), 0) FROM topic_page"
    ).fetchone()
    return Harvest(given, bool(in_force), pages, relevant, len(turns), by_fifths)
