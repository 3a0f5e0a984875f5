"""Does a crawl grow with what it knows? Its memory when it has met few URLs, beside that when it has met many.

A session as a crawl opens it, with the spider and the stages loaded beside it, stores page after page of new links.
What Scrapy holds for the answers under way does not depend on how many URLs are known, and is left out.
"""

from __future__ import annotations

import gc
import tempfile
from pathlib import Path
from typing import Any

import pipelines.store_stage  # noqa: F401 - in memory, as in a crawl
import spiders.site  # noqa: F401 - in memory, as in a crawl
from bench.seen.trial import resident
from frontier.job import CrawlJob
from frontier.session import Session
from urls.canonical import canonicalize
from urls.records import Link, Page
from urls.traps.shape import Limits

LINKS = 100  # of a page
FEW = 10_000  # URLs
HOSTS = 40


def measure_growth(many: int) -> dict[str, Any]:
    """Return the memory of a session that knows `FEW` and then `many` URLs, and by which share it has grown.

    Raises ValueError where `many` is not more than `FEW`.
    """
    if many <= FEW:
        raise ValueError(f"{many} URLs: give more than {FEW}, beside which the memory is compared")
    with tempfile.TemporaryDirectory() as folder:
        seeds = tuple(canonicalize(f"http://h{host}.invalid/") for host in range(HOSTS))
        session = Session(Path(folder), CrawlJob(seeds, limits=Limits(site_pages=many)))
        at_few = 0
        for first in range(0, many, LINKS):
            if first == FEW:
                gc.collect()
                at_few = resident()
            _store_one(session, first)
        gc.collect()
        at_many = resident()
        known = session.database.count("SELECT count(*) FROM url")
        session.close("measured")
    return {"few": FEW, "many": known, "bytes_few": at_few, "bytes_many": at_many, "growth": at_many / at_few - 1}


def _store_one(session: Session, first: int) -> None:
    [lease, *_] = session.frontier.lease(1, lambda _site: 1)
    host = lease.url.split("/")[2]
    text = " ".join(f"word{(first + number) * 7919 % 100_003}" for number in range(300))
    links = (f"http://{host}/part/{(first + n) * 2_654_435_761 % 2**32:08x}.html" for n in range(LINKS))
    session.store.page(
        Page(
            lease.url,
            text[:40],
            text,
            links=tuple(Link(url, "on") for url in links),
            body=text.encode(),
            fingerprint=first.to_bytes(16),
            fetched_at=1e9 + first,
        )
    )
