"""The span of a plan holds the true number of URLs, on sites with the shapes of real manuals.

A shape is numbers only. They are the URLs of a manual, its pages with many new links in the order of a crawl, and the
links of a page to known URLs. They were counted on the HTML manuals of Debian 12.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from extensions.plan.forecast import VAGUE, Rates, SiteEstimate, estimate_site, measure
from frontier.session import Session
from tests.samples import SEED, a_page, an_outcome, lease_all
from urls.records import LeaseEnd
from urls.rules import Rule

RATES = Rates(site_pages=50_000, pattern_pages=200)
LETTERS = str.maketrans("0123456789", "abcdefghij")  # numbers in a URL would make it one of a family
FIRST_TRIAL, LAST_TRIAL = 20, 60  # requests: of one trial, and after how many a plan must be of use


@dataclass(frozen=True)
class Shape:
    urls: int
    pages: int  # the other URLs, found last, are gone
    links: int  # of a page to URLs that are known, the median
    bursts: dict[int, int] = field(default_factory=dict)  # the page with this number names so many new URLs

    def links_by_page(self) -> Iterator[tuple[int, ...]]:
        """Yield the numbers of the URLs that each page links to; URLs outside of a burst come one a page."""
        draw = random.Random(1)
        known, left = 1, self.urls - 1 - sum(self.bursts.values())
        for page in range(self.urls):
            new = self.bursts.get(page, 0)
            alone = min(1, left) if page and draw.random() < left / max(1, self.pages - page) else 0
            left -= alone
            old = [draw.randrange(known) for _ in range(self.links)]
            yield (*old, *range(known, known + new + alone))
            known += new + alone


SHAPES = {
    "git": Shape(219, 218, 5, {0: 188}),
    "sqlite": Shape(
        1184, 758, 17, {0: 40, 2: 11, 3: 67, 11: 223, 12: 35, 13: 39, 16: 18, 22: 97, 48: 30, 52: 138, 600: 424}
    ),
    "django": Shape(771, 694, 15, {0: 154, 1: 49, 2: 52, 22: 13, 73: 11, 153: 256}),
    "python": Shape(529, 528, 18, {0: 22, 2: 29, 3: 257, 4: 44, 5: 15, 6: 18, 7: 39, 10: 19, 14: 18, 18: 34}),
    "apache": Shape(
        2003,
        1930,
        16,
        {0: 11, **dict.fromkeys(range(1, 12), 47), 12: 132, 15: 61, 56: 57, 59: 55, 118: 42, 151: 49, 154: 38}
        | {199: 132, 202: 55, 248: 132, 251: 42, 293: 132, 296: 40, 432: 132, 435: 55, 481: 53, 484: 44},
    ),
    "postgresql": Shape(
        1170,
        1170,
        9,
        {0: 111, 8: 20, 12: 125, 25: 110, 44: 110, 47: 17, 49: 97, 59: 53, 64: 213, 68: 183, 94: 101},
    ),
}


def url(number: int) -> str:
    return f"{SEED}{str(number).translate(LETTERS)}" if number else SEED


def planned(session: Session) -> SiteEstimate:
    (found,) = measure(session.database, session.run.round)
    return estimate_site(found, found.site, 1.0, RATES)


@pytest.mark.parametrize("name", SHAPES)
def test_a_trial_holds_the_true_number_of_urls(session: Session, name: str) -> None:
    shape = SHAPES[name]
    for number, links in enumerate(shape.links_by_page()):
        if number in {FIRST_TRIAL, LAST_TRIAL}:
            urls = planned(session).urls
            assert urls.lower <= shape.urls <= urls.upper, (number, urls)
        if number == LAST_TRIAL:
            assert urls.upper <= VAGUE * urls.lower
            return
        lease_all(session)
        session.store.page(a_page(url(number), links=tuple(map(url, links))))


def test_a_whole_crawl_has_the_true_numbers(session: Session) -> None:
    shape = SHAPES["git"]
    for number, links in enumerate(shape.links_by_page()):
        lease_all(session)
        if number < shape.pages:
            session.store.page(a_page(url(number), links=tuple(map(url, links))))
        else:
            session.store.outcome(an_outcome(url(number), LeaseEnd.GONE, Rule.GONE, status=404))
    found = planned(session)
    assert (found.urls.lower, found.urls.upper) == (shape.urls, shape.urls)
    assert (found.pages.lower, found.pages.upper) == (shape.pages, shape.pages)
