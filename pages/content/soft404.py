"""How does a site respond to an unknown URL? A URL that no page can have linked shows it.

An honest server answers 404. Others answer with success and an apology, with their home page, or with a redirect: a
*soft 404*. pipelines/ knows the words of an apology in many languages, but not in all, and a home page has none. So
Breadcrumb requests a random URL from a site that has shown some pages. The URL is next to a known one: in the same
folder, or with another value in the query. The response is the profile of a missing page (Bar-Yossef et al., *Sic
Transit Gloria Telae*, 2004). A page that says the same and nothing else is missing too.

The profile is compared line by line, without numbers, dates and the URL itself, which apologies like to repeat. Three
kinds of lines do not count:

- texts of links: an apology may suggest other pages each time;
- lines that other pages of the site have too: its template;
- lines made of links, such as breadcrumbs, languages, a table of contents: they differ from page to page.

A page matches if it has nearly all lines of the profile and hardly any others. A short page with the same template
lacks the apology. A page with content has lines that the profile lacks.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from random import Random
from typing import TYPE_CHECKING
from urllib.parse import unquote

from pages.text.layout import CONTENT, MADE_OF_LINKS, LineKind, choice, text_lines
from urls.generated_urls import random_name
from urls.records import Refusal
from urls.rules import Rule
from urls.traps import line_lengths, path_and_query

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from urls.records import CanonicalUrl, Page


SHARE_OF_LIE = 0.8  # of the characters in the lie's own lines: a page that is the lie has so many of them
NEWS = 0.25  # of the same: a page that is the lie has at most so much beside them …
NEWS_CHARACTERS = 60  # … or so many characters: a tip, a name, the search box of a folder
IN_TEMPLATE = 0.5  # of other pages of the site: a line that so many of them have is no lie's own
LEAST_OWN = 12  # characters: a lie with less of its own can't be told from the template alone
MIN_ECHO = 4  # characters of a part of an address: shorter ones stand in many words
MAX_TIMES = 4  # so many times the length of the lie: a longer page says something else as well

_OWN = choice(CONTENT - MADE_OF_LINKS)
_OWN_AND_TEMPLATE = choice(frozenset(LineKind) - MADE_OF_LINKS)


class UrlPlace(StrEnum):
    """The place of a URL on its site: each place may have a program of its own, and so has its own probe."""

    ROOT = "names at the root"
    FOLDER = "names in folders"
    QUERY = "queries"


def url_place(url: CanonicalUrl) -> UrlPlace:
    """Return the place of a URL on its site."""
    path, mark, _ = path_and_query(url)
    if mark:
        return UrlPlace.QUERY
    return UrlPlace.FOLDER if path.strip("/").count("/") else UrlPlace.ROOT


def is_home(url: CanonicalUrl) -> bool:
    """Return whether a URL is the home page of its site, which always exists."""
    return path_and_query(url) == ("/", "", "")


def missing_url(url: CanonicalUrl) -> str | None:
    """Return a URL next to `url` that no page can have linked; the same one each time. None: nothing to change.

    It has another last value in the query, or else another last part of the path, with the same extension.
    """
    path, mark, query = path_and_query(url)
    dice = Random(f"{path}{mark}{query}")  # noqa: S311 - it shall be the same again, and guards nothing
    origin = url[: len(url) - len(path) - len(mark) - len(query)]
    name = random_name(dice)
    if mark:
        before, _, last = query.rpartition("&")
        key, equals, value = last.partition("=")
        if not value and not key:
            return None
        return f"{origin}{path}?{before}{'&' if before else ''}{key + equals if value else ''}{name}"
    bare = path.rstrip("/")
    folder, _, last = bare.rpartition("/")
    stem, dot, ending = last.rpartition(".")
    return f"{origin}{folder}/{name}{dot + ending if stem else ''}{path[len(bare) :] if bare else ''}"


def content_lines(page: Page, *, template: bool = False) -> list[str]:
    """Return the lines of a page's main text, or of its `template` too, that are more than links and their names."""
    return list(_own_lines(page, template=template))


def _own_lines(page: Page, *, template: bool = False) -> Iterator[str]:
    named = {link.text for link in page.links}
    lines = text_lines(page).chosen(_OWN_AND_TEMPLATE if template else _OWN)
    return (line for line in lines if line not in named)


def count_content_words(page: Page, most: int) -> int:
    """Return how many words the lines have that `content_lines` returns; `most` + 1 means more than that."""
    words = 0
    for line in _own_lines(page):
        words += len(line.split())
        if words > most:
            return most + 1
    return words


def numbered_lines(page: Page, *, names: bool = False) -> dict[int, int]:
    """Return a number for each own line of a page, with its length in characters; `names`: texts of links too.

    Lines that differ only in numbers, in dates, or in the page's own address have the same number.
    """
    # What of it is main text may be judged otherwise when more is known of the site.
    lines = page.visible_text.split("\n") if names else content_lines(page, template=True)
    title, *rest = (_without_address(line, page.url) for line in (page.title, *lines))
    return line_lengths(title, "\n".join(rest))


def _own_length(page: Page) -> int:
    return sum(len(line) for line in content_lines(page, template=True))


def repeats_url_name(page: Page) -> bool:
    """Return whether a page contains the last part of its URL, as an apology does."""
    path, _, query = path_and_query(page.url)
    name = query.rpartition("=")[2] or path.rstrip("/").rpartition("/")[2].partition(".")[0]
    return len(name) >= MIN_ECHO and any(name in line for line in (page.title, *content_lines(page, template=True)))


def _without_address(line: str, url: CanonicalUrl) -> str:
    """Return a line with `0`, which counts as any number, in place of the address or a part of it."""
    path, _, query = path_and_query(url)
    last = path.rstrip("/").rpartition("/")[2]
    value = query.rpartition("=")[2]
    whole = (url, path + ("?" + query if query else ""), path, path.strip("/"), query)
    for part in (*whole, last, last.rpartition(".")[0], value):
        for spelling in {part, unquote(part)}:
            if len(spelling) >= MIN_ECHO and spelling in line:
                line = line.replace(spelling, "0")
    return line


@dataclass(frozen=True, slots=True)
class NotFoundProfile:
    """The response of a site for a missing page: the numbers of its own lines, with their lengths."""

    probe: str  # the random URL
    own: Mapping[int, int]  # lines that no other page of the site has
    template: frozenset[int]  # and those that others have as well, or that only name links
    length: int  # characters of all its lines that are more than links

    def matches(self, page: Page) -> bool:
        """Return whether a page says what its site says for a missing page, and hardly anything else."""
        if _own_length(page) > MAX_TIMES * max(self.length, 500):
            return False
        own = sum(self.own.values())
        if own < LEAST_OWN:  # then a page is told from it by its template alone, in which no name of a link is new
            return numbered_lines(page, names=True).keys() <= self.own.keys() | self.template
        lines = numbered_lines(page)
        news = sum(length for mark, length in lines.items() if mark not in self.own and mark not in self.template)
        shared = sum(length for mark, length in self.own.items() if mark in lines)
        return shared >= SHARE_OF_LIE * own and news <= max(NEWS_CHARACTERS, NEWS * own)


def not_found_profile(answer: Page, others: Sequence[Mapping[int, int]]) -> NotFoundProfile:
    """Return the profile that the response to a random URL shows; `others` are the lines of other pages of its site."""
    lines = numbered_lines(answer)
    template = shared_lines(others)
    own = {mark: length for mark, length in lines.items() if mark not in template}
    rest = frozenset(numbered_lines(answer, names=True)).difference(own)
    return NotFoundProfile(answer.url, own, template | rest, _own_length(answer))


def shared_lines(others: Sequence[Iterable[int]]) -> frozenset[int]:
    """Return the lines that at least half of the pages of a site have, and at least two."""
    counts = Counter(mark for lines in others for mark in set(lines))
    least = max(2, IN_TEMPLATE * len(others))
    return frozenset(mark for mark, count in counts.items() if count >= least)


def refusal_by_profile(page: Page, lies: Iterable[NotFoundProfile]) -> Refusal | None:
    """Refuse a page that says what its site says for a page that is not there; never a home page. Rule: soft-404."""
    if is_home(page.url):
        return None
    profile = next((lie for lie in lies if lie.matches(page)), None)
    if profile is None:
        return None
    why = f"status {page.status}, but it says what its site says at {profile.probe}, a URL that Breadcrumb generated"
    return Refusal(Rule.SOFT_404, why)
