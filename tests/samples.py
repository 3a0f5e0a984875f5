"""The shortest ways to put something into a crawl database, and to look at what is in it."""

from frontier.session import Session
from reports.numbers import report
from urls.canonical import canonicalize
from urls.records import CanonicalUrl, LeaseEnd, Link, Outcome, Page
from urls.rules import Rule

SEED = canonicalize("http://a.example/")


def a_page(url: str, text: str = "", links: tuple[str, ...] = (), **fields: object) -> Page:
    """A page as the spider would hand it over, with its fingerprint made of its text."""
    text = text or f"This is what {url} says."
    made = {"fingerprint": text.encode()[:16], "body": text.encode(), "fetched_at": 1.0} | fields
    return Page(CanonicalUrl(url), f"Title of {url}", text, links=tuple(Link(link, "a link") for link in links), **made)  # type: ignore[arg-type]  # a dict of several types


def an_outcome(url: str, fate: LeaseEnd, rule: Rule = Rule.STATUS, **fields: object) -> Outcome:
    usual = {"conditional": fate is LeaseEnd.NOT_MODIFIED}  # else a 304 has nothing that it could mean
    fields = {"fetched_at": 1.0} | usual | fields
    return Outcome(CanonicalUrl(url), fate, rule, "because", **fields)  # type: ignore[arg-type]  # a dict of several types


def lease_all(session: Session) -> list[str]:
    """Lease everything that is due."""
    return [lease.url for lease in session.frontier.lease(1000, lambda _: 1000)]


def accounting(session: Session) -> dict[str, int]:
    """The counts by state; asserts that they add up and that each suppression is explained."""
    urls = report(session.database)["urls"]
    assert urls["discovered"] == sum(count for state, count in urls.items() if state != "discovered")
    unexplained = session.database.count(
        "SELECT count(*) FROM url WHERE state = 4 AND id NOT IN (SELECT url FROM explanation)"
    )
    assert unexplained == 0
    return urls
