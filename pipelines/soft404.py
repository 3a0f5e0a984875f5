"""Does a page say that there is no such page, though its status says that there is? The words of many languages.

Servers lie (the book, 9.3): the words say what the code does not. Two signs are needed. One of the customary sentences
(`phrases.toml`) stands where it speaks for the page: as a whole part of the title, as the first heading, or at the
beginning of a sentence of the text. And the page is short, apart from the names of its links, which a menu has many of.
Neither is proof alone: an article about error 404 has the words in its title, and a text of its own; a manual says what
happens when a file is not found. In a text a claim counts only if it is about the page itself.

`pages/content/lies.py` has the other way to know it: to ask a site for a page that cannot be there, and to remember the
answer.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from crawldb.pages.lessons import Lessons
from pages.content.lies import lie_refusal, own_lines, own_words
from pages.content.shingles import CJK
from pipelines.phrases import any_of
from urls.records import Page, Refusal
from urls.rules import Rule
from urls.site import site_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crawldb.database import CrawlDatabase


MAX_APOLOGY_WORDS = 120  # an apology, a search box and advice; an article has more. Names of links are not counted
MAX_CLAIM_WORDS = 80  # the same where only the text has the words: they weigh less there
MAX_CJK_CHARS = 400  # the same where words have no blanks between them
MAX_CLAIM_CHARS = 300  # of a line: longer ones are paragraphs
MAX_TEXT_CHARS = 20_000  # of a page with its menus: in a longer one nobody has to be told that there is nothing
SUCCESSES = range(200, 300)  # status codes

_NOT_FOUND = re.compile(rf"(?:404[ ,.!:-]*)?{any_of('title')}[ .!\u3002\uff01]*", re.IGNORECASE)
_PARTS = re.compile(r"\s[-–—|:·»›«]+\s|[|»›«]|: ")  # noqa: RUF001 - the signs with which titles separate page and site
_ABOUT_CODES = re.compile(r"status[- ]?code|\brfc ?\d{3,4}|code d.(?:état|erreur)|код состояния|状态码", re.IGNORECASE)
# In scripts without blanks, an apology and what follows stand side by side. They have no upper case: to look for it in
# their whole range takes Python 25 ms.
_BEGINNING = rf"[\W_]*(?:{any_of('sorry')}(?:[\W_]+|(?<=(?-i:[\u3040-\uffdc])))){{0,4}}"
_CLAIM = re.compile(_BEGINNING + any_of("claim"), re.IGNORECASE)
_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+|[\u3002\uff01\uff1f]|\s[-–—|]\s|:\s")  # noqa: RUF001 - as above
_NAMES_ERROR = re.compile(r"404|not-?_?found|(?:^|[/_.-])(?:error|missing|fehler|erreur)(?:[/_.-]|$)", re.IGNORECASE)


def soft404_refusal(page: Page) -> Refusal | None:
    """Refuse a page that answers with success and says that there is nothing. Rule: soft-404."""
    if page.status not in SUCCESSES:
        return None
    for place, words in (("title", page.title), ("first heading", page.headings[0] if page.headings else "")):
        if any(_NOT_FOUND.fullmatch(part.strip()) for part in (words, *_PARTS.split(words))):
            return _refusal(page, place, words) if _is_short(page, MAX_APOLOGY_WORDS) else None
    if len(page.text) > MAX_TEXT_CHARS or not _is_short(page, MAX_CLAIM_WORDS):
        return None
    claim = next(claims(page), "")
    return _refusal(page, "text", claim) if claim else None


def refusal_by_probe(page: Page, database: CrawlDatabase) -> Refusal | None:
    """Refuse a page by what probes have taught of its site: it is its lie, or where a made-up address redirects to."""
    lies, probe = Lessons(database).lies(site_of(page.url), page.url)
    refusal = redirected_refusal(page, probe) if probe else None
    return refusal or lie_refusal(page, lies)


def redirected_refusal(page: Page, probe: str) -> Refusal | None:
    """Refuse a page to which `probe`, a made-up address, redirects, if it or its address says that it is for errors.

    Any other such page stays: many sites lead whoever is lost to their home page. Rule: soft-404.
    """
    path = urlsplit(page.url).path
    said = next(claims(page), "") or (path if _NAMES_ERROR.search(path) else "")
    why = f"{probe}, an address that Breadcrumb made up, redirects to it, and it says “{said}”"
    return Refusal(Rule.SOFT_404, why) if said else None


def claims(page: Page) -> Iterator[str]:
    """Yield the sentences of a page that say of the page itself that it is not there."""
    for line in own_lines(page):
        if len(line) <= MAX_CLAIM_CHARS:
            yield from (said.strip() for said in (line, *_SENTENCE_END.split(line)) if _CLAIM.match(said))


def _refusal(page: Page, place: str, words: str) -> Refusal | None:
    if _ABOUT_CODES.search(page.text):
        return None
    reason = f"status {page.status}, but the {place} says “{words}” and there is hardly more"
    return Refusal(Rule.SOFT_404, reason)


def _is_short(page: Page, most: int) -> bool:
    return own_words(page, most) <= most and sum(len(CJK.findall(line)) for line in own_lines(page)) <= MAX_CJK_CHARS
