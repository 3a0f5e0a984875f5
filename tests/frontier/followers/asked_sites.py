"""Sites in memory that a session crawls as the spider and its stages do, to watch probes."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from frontier.session import Session
from pages import parse_page
from pipelines.filters import FilterSettings, PageFilters
from pipelines.review import PageReview
from tests.samples import a_page, an_outcome
from urls.records import LeaseEnd, Link, Outcome, Page
from urls.rules import Rule

HOST = "http://a.example"
Answer = (
    tuple[str, str, tuple[str, ...]] | str | None
)  # title, text, paths of links, each with its words or without; or a redirect's target; or a 404
Site = Callable[[str], Answer]
SITE_PAGES = 25
# So long that no article is suspected of being an apology.
METHOD = (
    "Knead the dough for ten minutes, let it rest in a warm place until it is twice as high, fold it three times, and "
    "bake it in a hot oven with a bowl of water below until it sounds hollow."
)


def an_article(number: int) -> Answer:
    text = f"Recipe {number:b}: {['rye', 'spelt', 'oat', 'barley'][number % 4]} and loaf {number:b} of water, by night."
    return f"Loaf {number:b}", f"Acme Bakery\n{text}\n{METHOD}\nOpen from 6 to 11.", ()


def bakery(path: str) -> Answer:
    """A site of a home page and its articles, that says honestly what is not there."""
    if path == "/":
        links = tuple(f"/loaf/{chr(97 + number)}.html" for number in range(SITE_PAGES))
        return "Acme Bakery", "Acme Bakery\nWelcome to the oldest oven of the town.\nOpen from 6 to 11.", links
    name = path.removeprefix("/loaf/").removesuffix(".html")
    known = path.startswith("/loaf/") and len(name) == 1 and ord(name) - 97 < SITE_PAGES
    return an_article(ord(name) - 97) if known else None


def crawl(session: Session, site: Site, *, most: int = 200, at: float = 1.0) -> list[str]:
    """Fetch everything that is due, one URL after the other; return the paths that were asked for."""
    asked: list[str] = []
    filters = PageFilters(session.database, FilterSettings())
    while len(asked) < most and (leases := session.frontier.lease(1, lambda _: 1)):
        url = leases[0].url
        asked.append(url.removeprefix(HOST))
        answer = result_status(url, site(asked[-1]), at)
        if isinstance(answer, Outcome):
            session.store.outcome(answer)
        elif session.store.page(filters.apply(answer)).asks:
            session.frontier.look_again()
        judge_what_waits(session)
    return asked


def judge_what_waits(session: Session) -> None:
    for _ in reviewing(session).refilter_waiting():
        pass


def reviewing(session: Session) -> PageReview:
    filters, read = PageFilters(session.database, FilterSettings()), partial(parse_page, agent="Breadcrumb")
    return PageReview(session.store.writer, filters, read, session.store.transaction)


def result_status(url: str, said: Answer, at: float) -> Page | Outcome:
    if said is None:
        return an_outcome(url, LeaseEnd.GONE, Rule.GONE, status=404)
    if isinstance(said, str):
        return an_outcome(url, LeaseEnd.MOVED, Rule.MOVED, status=302, target=f"{HOST}{said}")
    title, text, paths = said
    named = (path.partition(" ") for path in paths)
    links = tuple(Link(f"{HOST}{path}", words or "a link") for path, _, words in named)
    page = a_page(url, text, content_type="text/html", fetched_at=at, fingerprint=b"")
    return replace(page, title=title, links=links)
