"""What is no page, though it was answered like one? A redirect in a page's markup, and a file for programs.

A file for programs, or for the people behind a site, answers no question. Each of these files stands at one exact path
of a site, by a convention of its own: humanstxt.org, the IAB's ads.txt 1.1, app-ads.txt and sellers.json, RFC 9116
(security.txt), RFC 9309 (robots.txt), llmstxt.org. A crawl meets them because people link to them. They are fetched and
stored like a page, and left out of the index. A page of HTML at such a path is a page: many sites answer any request
with their home page.
"""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from urls.canonical import UnusableUrl, canonicalize, hidden_in
from urls.records import Page, Refusal
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Iterable


REDIRECT_SECONDS = 1  # of a refresh: the book (9.4) has `1; URL=index.html`


def redirect_refusal(page: Page) -> Refusal | None:
    """Refuse a stub that leads elsewhere before anybody could read it. Rule: moved."""
    if page.refresh is None or page.refresh[0] > REDIRECT_SECONDS:
        return None
    seconds, target = page.refresh
    try:
        if canonicalize(target) == page.url:
            return None
    except UnusableUrl:
        pass
    shown = hidden_in(target)[:200]
    return Refusal(Rule.MOVED, f"its refresh leads to {shown} after {seconds} s: a redirect, and no page of its own")


_SECURITY_TXT = "security.txt: whom to tell about a weakness of this site (RFC 9116)"
# By path below the root of a site: what the file is, a sentence without its full stop. Letter case counts in a path.
WELL_KNOWN_FILES = MappingProxyType(
    {
        "/humans.txt": "humans.txt: who made this site",
        "/ads.txt": "ads.txt: who may sell this site's advertising",
        "/app-ads.txt": "app-ads.txt: who may sell the advertising in this owner's apps",
        "/sellers.json": "sellers.json: for whom an advertising exchange sells",
        "/.well-known/security.txt": _SECURITY_TXT,
        "/security.txt": _SECURITY_TXT,
        # A joke of 2014 about two killer robots that travel in time. No robot obeys it, and neither do we.
        "/killer-robots.txt": "killer-robots.txt: a search engine's joke of 2014, which forbids nothing to anybody",
        "/robots.txt": "robots.txt: what robots may fetch; obeyed already, by way of its own request",
        "/llms.txt": "llms.txt: what this site would have language models read",
    }
)
WELL_KNOWN_TYPES = frozenset(
    {"", "text/plain", "text/markdown", "text/x-markdown", "application/json", "application/octet-stream"}
)
_MARKUP = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:!--|(?:!doctype|html|head|body)\b)", re.IGNORECASE)


def well_known_urls(url: str) -> list[str]:
    """Return the URLs of all these files on the origin of `url`."""
    return [urljoin(url, path) for path in WELL_KNOWN_FILES]


def well_known_refusal(page: Page, redirecting: Iterable[str] = ()) -> Refusal | None:
    """Refuse a file that is no page. `redirecting` are the URLs that redirect to it. Rule: well-known."""
    if page.refusals or page.content_type not in WELL_KNOWN_TYPES or _MARKUP.match(page.body):
        return None
    for url in (page.url, *redirecting):
        what = WELL_KNOWN_FILES.get(urlsplit(url).path)
        if what is not None:
            moved = "" if url == page.url else f" ({url} leads to it)"
            return Refusal(Rule.WELL_KNOWN, f"it is {what}{moved}")
    return None
