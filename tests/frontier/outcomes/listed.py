"""Sitemaps as the spider hands them over, the line that names them, and the way to the next round."""

from collections.abc import Callable

from frontier.session import Session
from tests.samples import SEED, an_outcome, lease_all
from urls.canonical import canonicalize
from urls.records import LeaseEnd, Sitemap, SitemapEntry
from urls.rules import Rule

ORIGIN = "http://a.example:80"
MAP = "http://a.example/sitemap.xml"
DAY = 86_400.0


def listed(*urls: str, of: str = MAP, form: str = "urlset", **dates: float) -> Sitemap:
    """A sitemap of absolute URLs, and of pages of the seed's site with their dates."""
    entries = [SitemapEntry(url) for url in urls]
    entries += [SitemapEntry(f"{SEED}{page}", lastmod) for page, lastmod in dates.items()]
    held = {"children": tuple(entries)} if form == "index" else {"entries": tuple(entries)}
    return Sitemap(canonicalize(of), form, fetched_at=9 * DAY, **held)  # type: ignore[arg-type]  # a dict of several types


def named(session: Session, *urls: str, origin: str = ORIGIN) -> None:
    session.store.name_sitemaps(origin, urls or (MAP,))


def journal(session: Session, rule: str) -> list[tuple[int, tuple[str, ...]]]:
    return [(entry.count, entry.samples) for entry in session.store.journal.latest(rule=rule)]


def state(session: Session, url: str) -> tuple[int, str]:
    row: tuple[int, str] = session.database.connection.execute(
        "SELECT kind, coalesce(rule, '') FROM url WHERE url = ?", (url,)
    ).fetchone()
    return row


def next_round(session: Session, open_session: Callable[..., Session], **plan: object) -> Session:
    """End all that is queued or leased, and open the next round."""
    lease_all(session)
    for (url,) in session.database.connection.execute("SELECT url FROM url WHERE state = 1").fetchall():
        session.store.outcome(an_outcome(url, LeaseEnd.NOT_MODIFIED, Rule.NOT_MODIFIED, conditional=False))
    session.close("finished")
    return open_session(**plan)
