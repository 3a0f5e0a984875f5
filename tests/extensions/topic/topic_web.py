"""A small web with pages about rye bread among others, and a crawl of it that asks for one URL after the other."""

from dataclasses import replace
from typing import Any

from crawldb.database import CrawlDatabase
from crawldb.visited import find
from extensions.topic import ByTopic
from extensions.topic.description import read_topic
from extensions.topic.tables import read_turn
from extensions.topic.terms import TermFinder
from frontier.session import Session
from reports.numbers import report
from tests.samples import a_page, an_outcome
from urls.records import LeaseEnd, Link, Page
from urls.rules import Rule

A = "http://a.example"
RYE = "Rye bread of rye flour. " * 5
Web = dict[str, Page]


def topic(words: str = "rye bread") -> dict[str, object]:
    return {"order": ByTopic(TermFinder(read_topic(words)))}


def page(path: str, text: str, *links: tuple[str, str], **fields: object) -> Page:
    made = a_page(f"{A}{path}", text, **({"language": "en"} | fields))  # type: ignore[arg-type]  # a dict of several types
    return replace(made, title="", links=tuple(Link(f"{A}{target}", words) for target, words in links))


def a_web() -> Web:
    """A front page, a folder of rye, ten pages about other things of which each leads on, and a page of recipes."""
    pages = [
        page(
            "/", "Welcome to the shop.", *((f"/other/{n}", f"number {n}") for n in range(10)), ("/recipes", "our bread")
        ),
        page(
            "/recipes",
            f"{RYE} Here is all.",
            *((f"/rye/{n}", f"loaf {n}") for n in range(4)),
            ("/old", "old rye bread"),
        ),
        page("/old", "Nothing is here any more."),
        *(page(f"/rye/{n}", f"{RYE} Loaf {n}.", (f"/rye/{n}/notes", "notes")) for n in range(4)),
        *(page(f"/rye/{n}/notes", f"Notes on {n}, of salt and time.") for n in range(4)),
        *(page(f"/other/{n}", f"Of lamps, number {n}.", (f"/other/{n}/more", "more")) for n in range(10)),
        *(page(f"/other/{n}/more", f"More of lamps, {n}.") for n in range(10)),
    ]
    return {made.url: made for made in pages}


def crawl(session: Session, web: Web, turns: int = 1000) -> list[str]:
    """Ask for one URL after the other, as a crawl with one connection does; return the paths."""
    asked: list[str] = []
    while len(asked) < turns and (leases := session.frontier.lease(1, lambda _: 1)):
        [lease] = leases
        asked.append(lease.url.removeprefix(A))
        found = web.get(lease.url)
        if found is None:
            session.store.outcome(an_outcome(lease.url, LeaseEnd.GONE, Rule.GONE, status=404))
        else:
            session.store.page(found)
    return asked


def left_behind(session: Session) -> None:
    """Leave a session as a killed process would."""
    session.database.close()
    session._lock.release()


def promise_of(session: Session, path: str) -> Any:
    """What is kept of a URL: `PromiseRow`, with parts."""
    return read_turn(session.database, find(session.database.connection, f"{A}{path}") or 0)


def told(session: Session) -> list[tuple[int, float, float | None]]:
    sql = "SELECT turn, promised, next_best FROM promise WHERE turn IS NOT NULL ORDER BY turn"
    return session.database.connection.execute(sql).fetchall()


def harvest_of(database: CrawlDatabase) -> Any:
    """What `report --json` has under the key `topic`."""
    return dict(report(database))["topic"]
