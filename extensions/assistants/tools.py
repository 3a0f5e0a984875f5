"""What does an assistant learn of a crawl? Results, a page as Markdown, why a page is a result, what robots.txt says.

Everything comes through the gateway's `served_crawl`: an assistant sees what a visitor of the search page sees. Each
answer names the URL, the title, the time of the fetch, what the owner of the page allows, and where *Why?* is.
"""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from difflib import get_close_matches
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from crawldb.database import DatabaseError
from extensions.assistants.markdown import sections_of
from gateway.copy_page import reason_withheld
from gateway.search_request import MAX_QUERY, InvalidParameter, read_search_request, timed_search
from gateway.served_crawl import NotShown, served_crawl
from gateway.template_filters import public_error, rfc3339, with_folder_option
from indexer.faults import IndexFault, NoIndex
from indexer.query.deadline import Deadline
from indexer.ranking.score import parts_in_words
from reports.robots_verdicts import check_urls, notes_on, stored_robots
from reports.why import why_rows
from robots import Dialect, product_token
from robots.page_controls import PageControls
from urls.canonical import canonical_or_none, site_of
from urls.rules import FIRST_CRAWL
from urls.wording import PROGRAM, shell_word

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from flask import Flask

    from extensions.assistants.markdown import TextSection
    from indexer.retrieval.results import Hit
    from reports.why import StoredPage
    from urls.records import CanonicalUrl, Page

MAX_PIECE = 8_000  # characters of Markdown in one answer
MAX_ROWS = 60  # sentences about a page in one answer
MAX_LISTED = 100  # sections that an answer lists
HIDDEN = (
    "Not shown here: this crawl has pages that not everybody may see. Public pages can be searched and read; for more, "
    "the operator lets an assistant use standard input and output instead of a port."
)


class ToolFailure(Exception):
    """A tool has no result; the message says what was given, what is wrong and what would work."""


@dataclass(frozen=True)
class Source:
    """Where an answer comes from. `why` is the address of the page *Why?*, or the command that prints the same."""

    url: str
    title: str
    fetched: str | None  # RFC 3339; None: it was never fetched
    nosnippet: bool  # the owner wants no text of it in results
    noarchive: bool  # the owner wants no copy of it
    why: str


@dataclass(frozen=True)
class SectionLink:
    """A section of a page: its heading, its address, and what it says about a query ("" without one)."""

    heading: str
    url: str
    snippet: str = ""


@dataclass(frozen=True)
class FoundPage:
    """A result: its source, where its title leads, a snippet, its language and its sections that answer."""

    source: Source
    leads_to: str
    snippet: str
    language: str
    sections: tuple[SectionLink, ...]


@dataclass(frozen=True)
class SearchPage:
    """A page of results. `notices` say how the query was understood, corrected, or cut short."""

    query: str
    total: int
    page: int
    results: tuple[FoundPage, ...]
    notices: tuple[str, ...]


@dataclass(frozen=True)
class PageText:
    """A piece of a page or section as Markdown. Pieces count from 1; `sections` lists what can be read by itself."""

    source: Source
    markdown: str
    piece: int
    pieces: int
    sections: tuple[SectionLink, ...]


@dataclass(frozen=True)
class Explanation:
    """Everything known about a URL: the answer in one sentence, then a sentence a fact; `score` for a query."""

    source: Source
    answer: str
    facts: tuple[str, ...]
    score: tuple[str, ...]


@dataclass(frozen=True)
class RobotsVerdict:
    """What the robots.txt that the crawl has stored says about a URL, for the crawler and for another robot."""

    url: str
    robots_txt: str
    agent: str
    allowed: bool
    line: int  # of the rule that decides, from 1; 0: none does
    rule: str
    reason: str
    notes: tuple[str, ...]


class CrawlTools:
    """The tools, over the crawl of a gateway. `gateway` is the address of its search page, "" if it has none."""

    def __init__(self, app: Flask, gateway: str) -> None:
        self._app = app
        self._gateway = gateway.rstrip("/")

    def search(self, query: str, results: int, page: int, site: str, language: str) -> SearchPage:
        """Search, as the search page does."""
        with self._failures_told():
            if len(query) > MAX_QUERY:
                raise ToolFailure(
                    f"query has {len(query)} characters, at most {MAX_QUERY} are possible: give fewer words"
                )
            asked = {"q": query, "n": str(max(1, results)), "page": str(page), "site": site, "lang": language}
            request = read_search_request(asked)
            if request.is_empty:
                raise ToolFailure("query is empty: give some words")
            crawl = served_crawl()
            found, _ = timed_search(crawl.searcher, request, Deadline(crawl.settings.search_timeout))
            spelling = str(found.spelling) if found.spelling else ""
            notices = (found.understood, spelling, found.notice, *(public_error(part.fault) for part in found.parts))
            hits = tuple(map(self._found, found.hits))
            return SearchPage(found.query, found.total, request.page, hits, tuple(filter(None, map(str, notices))))

    def _found(self, hit: Hit) -> FoundPage:
        sections = tuple(SectionLink(each.title.text, each.url, each.snippet.text) for each in hit.sections)
        controls = PageControls(archive=hit.archive, snippet=0 if hit.nosnippet else None)
        source = self._source(hit.url, hit.title, hit.fetched_at, controls)
        return FoundPage(source, hit.leads_to, hit.snippet.text, hit.language, sections)

    def read(self, url: str, section: str, piece: int) -> PageText:
        """Return a piece of the main text of a stored page, or of one of its sections."""
        with self._failures_told():
            canonical = page_address(url)
            page = served_crawl().page(canonical)
            if page is None:
                raise ToolFailure(_unknown(canonical))
            if reason := reason_withheld(page, datetime.now(UTC)):
                raise ToolFailure(f"{canonical} can't be read here: {reason}")
            if page.controls.snippet == 0:
                raise ToolFailure(
                    f"{canonical} can't be read here: The page says nosnippet: its owner wants no text shown."
                )
            every = sections_of(page, page.controls.snippet)
            chosen = _section_named(every, section) if section else every
            pieces = _pieces(block for each in chosen for block in each.blocks)
            if not 1 <= piece <= len(pieces):
                raise ToolFailure(f"piece={piece}: {canonical} has pieces 1 to {len(pieces)}")
            source = self._source_of(canonical, page)
            listed = (SectionLink(each.heading, each.address(canonical)) for each in every if each.heading)
            return PageText(source, pieces[piece - 1], piece, len(pieces), tuple(listed)[:MAX_LISTED])

    def why(self, url: str, query: str) -> Explanation:
        """Return everything known about a URL, as `./breadcrumb why` prints it."""
        with self._failures_told():
            request = read_search_request({"q": query})
            facts = served_crawl().facts(url, request.query, request.narrowing)
            found, hit = facts.found, facts.place.hit
            texts = (f"{row.label}: {row.text}" if row.label else row.text for row in why_rows(found))
            rows = list(map(with_folder_option, texts))
            cut = (f"and {len(rows) - MAX_ROWS} more",) if len(rows) > MAX_ROWS else ()
            score = hit.explain() if hit and request.query else None
            parts = (*(line.strip() for line in score.lines()), parts_in_words([score])) if score else ()
            source = self._source_of(found.url, found.page, request.query)
            return Explanation(source, facts.answer.sentence, (*rows[:MAX_ROWS], *cut), parts)

    def robots(self, url: str, agent: str) -> RobotsVerdict:
        """Return the verdict of the stored robots.txt on a URL; no request is sent."""
        with self._failures_told():
            canonical = page_address(url)
            crawl = served_crawl()
            site = site_of(canonical)
            source = stored_robots(crawl.parts(), site)
            if source is None:
                raise ToolFailure(f"The crawl has never asked {site} for its robots.txt.")
            robot = product_token(agent or crawl.settings.product)
            (checked,) = check_urls(source, robot, [canonical], [next(iter(Dialect))])
            verdict = next(iter(checked.verdicts.values()))
            notes = tuple(notes_on(source, [canonical]))
            decided = (verdict.allowed, verdict.line, verdict.rule, verdict.reason)
            return RobotsVerdict(canonical, source.name, robot, *decided, notes)

    @contextmanager
    def _failures_told(self) -> Iterator[None]:
        """Open the crawl for one answer. Its errors become ToolFailure, without a path of this machine."""
        with self._app.app_context():
            try:
                yield
            except InvalidParameter as error:
                raise ToolFailure(str(error)) from None
            except NotShown:
                raise ToolFailure(HIDDEN) from None
            except NoIndex:
                raise ToolFailure(f"There is nothing to search yet. Crawl a site first: {FIRST_CRAWL}") from None
            except (IndexFault, DatabaseError, sqlite3.Error) as error:
                message = served_crawl().public_error(error)
                served_crawl().close()
                raise ToolFailure(message) from None

    def _source_of(self, url: str, page: Page | StoredPage | None, query: str = "") -> Source:
        if page is None:
            return self._source(url, "", 0.0, PageControls(), query)
        return self._source(url, page.title, page.fetched_at, page.controls, query)

    def _source(self, url: str, title: str, fetched: float, controls: PageControls, query: str = "") -> Source:
        asked = {"url": url} | ({"q": query} if query else {})
        command = f"{PROGRAM} why {shell_word(url)}{served_crawl().settings.folder}"
        why = f"{self._gateway}/why?{urlencode(asked)}" if self._gateway else command
        return Source(
            url, title, rfc3339(fetched) if fetched else None, controls.snippet == 0, not controls.archive, why
        )


def page_address(url: str) -> CanonicalUrl:
    """Return the canonical form of a URL. Raises ToolFailure."""
    canonical = canonical_or_none(url)
    if canonical is None:
        raise ToolFailure(f"{url[:200]!r} is no URL of a page: give the whole address, such as https://example.org/")
    return canonical


def _unknown(url: CanonicalUrl) -> str:
    found = served_crawl().url_record(url)
    near = f" Did you mean {found.meant}?" if found.meant else ""
    return f"The crawl has no page {url}.{near} The tool why says what is known about it."


def _section_named(sections: Sequence[TextSection], name: str) -> Sequence[TextSection]:
    """Return the section with an id or a heading, and those below it."""
    wanted = name.removeprefix("#").strip().casefold()
    for at, section in enumerate(sections):
        if wanted in {section.id.casefold(), section.heading.casefold()}:
            end = (n for n, other in enumerate(sections[at + 1 :], at + 1) if other.level <= section.level)
            return sections[at : next(end, len(sections))]
    known = [text for each in sections for text in (each.id, each.heading) if text]
    near = get_close_matches(wanted, known, 3, 0.4) or known[:3]
    raise ToolFailure(
        f"section={name[:200]!r}: the page has no such section" + (f"; it has {', '.join(near)}" if near else "")
    )


def _pieces(blocks: Iterator[str]) -> list[str]:
    """Put blocks together into pieces of at most MAX_PIECE characters; a page without text is one empty piece."""
    pieces = [""]
    for block in blocks:
        joined = f"{pieces[-1]}\n\n{block}" if pieces[-1] else block
        if len(joined) > MAX_PIECE and pieces[-1]:
            pieces.append(block)
        else:
            pieces[-1] = joined
    return pieces
