"""How does a textbook crawl for a topic? Best first by the words of links, and by nothing else.

Cho, Garcia-Molina and Page, *Efficient Crawling Through URL Ordering* (WWW7, 1998); Menczer, Pant and Srinivasan,
*Topical Web Crawlers* (ACM TOIT 4(4), 2004): the next URL is the one whose link has words most like the topic, by their
cosine, and of equals the one that was met first.
"""

from __future__ import annotations

import heapq
import math
import re
import urllib.request
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from selectolax.lexbor import LexborHTMLParser

from urls.canonical import UnusableUrl, canonicalize
from urls.site import site_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from urls.records import CanonicalUrl

Requests = list[tuple[str, bool]]  # in their order: the URL, and whether a page came


def best_first_by_anchor(seed: str, words: str, requests: int) -> Requests:
    """Crawl one site with at most so many requests; return them."""
    topic, home = set(_words(words)), canonicalize(seed)
    queue = [(0.0, 0, home)]
    met = {home: (0.0, 0)}  # with the best cosine so far, and the number of its discovery
    asked: dict[str, bool] = {}
    while queue and len(asked) < requests:
        _, _, url = heapq.heappop(queue)
        if url in asked:
            continue  # it was queued again for a better link
        body = _fetched(url)
        asked[url] = body is not None
        for target, text in _links(url, body or b""):
            if site_of(target) != site_of(home):
                continue
            own = set(_words(text))
            cosine = len(own & topic) / math.sqrt(len(own) * len(topic)) if own else 0.0
            known, number = met.setdefault(target, (-1.0, len(met)))
            if cosine > known:
                met[target] = cosine, number
                heapq.heappush(queue, (-cosine, number, target))
    return list(asked.items())


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def _fetched(url: str) -> bytes | None:
    try:
        with urllib.request.urlopen(url, timeout=30) as answer:
            return answer.read() if "html" in answer.headers.get("Content-Type", "") else b""
    except OSError:
        return None


def _links(url: str, body: bytes) -> Iterator[tuple[CanonicalUrl, str]]:
    for node in LexborHTMLParser(body).css("a[href]"):
        try:
            yield canonicalize(urljoin(url, node.attributes["href"] or "")), node.text()
        except (UnusableUrl, ValueError):
            continue
