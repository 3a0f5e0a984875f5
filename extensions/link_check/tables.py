"""What do the stored pages link to, and how did the fetch of each target end? The queries of a link check."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pages.links import broken_references
from urls.rules import Rule

if TYPE_CHECKING:
    from crawldb.database import CrawlDatabase

_LINKED = (  # what pages link to, the seeds, and where these redirect
    "WITH RECURSIVE linked (id) AS ("
    "SELECT target FROM link JOIN page ON page.url = source UNION SELECT id FROM url WHERE seed "
    "UNION SELECT moved_to FROM linked JOIN url USING (id) WHERE moved_to IS NOT NULL) "
    "SELECT url.id, url.url, url.state, url.rule, url.moved_to, "
    "(SELECT status FROM fetch WHERE fetch.url = url.id ORDER BY fetch.id DESC LIMIT 1), "
    "EXISTS (SELECT 1 FROM page, json_each(refusals) WHERE page.url = url.id AND json_extract(value, '$[0]') = ?), "
    "reason, samples, seed FROM linked JOIN url USING (id) LEFT JOIN journal ON journal.id = "
    "(SELECT max(told.id) FROM journal AS told WHERE told.url = url.id AND told.rule = url.rule) ORDER BY url.url"
)
_LINKING_PAGES = (
    "SELECT target, url.url, text FROM link JOIN page ON page.url = source JOIN url ON url.id = source "
    "JOIN anchor ON anchor.id = link.anchor ORDER BY url.url, text"
)
_SET_ASIDE = (  # links of a page that are in no table: its latest run that told of some
    "SELECT rule, sum(count) FROM journal JOIN page USING (url) WHERE rule IN (?, ?, ?, ?) AND run = "
    "(SELECT max(run) FROM journal AS told WHERE told.url = journal.url AND told.rule = journal.rule) GROUP BY rule"
)
_WARNED = "SELECT url.url, warnings FROM page JOIN url ON url.id = page.url WHERE warnings != '[]' ORDER BY url.url"


@dataclass(frozen=True, slots=True)
class LinkedUrl:
    """A link target, a seed or the target of a redirect from one of these, and how its fetch ended."""

    id: int
    url: str
    state: int  # crawldb/tables/urls.py, State
    rule: str | None  # urls/rules.py, Rule
    moved_to: int | None  # the id of another one
    status: int | None  # of its latest response; None: there was none
    is_soft_404: bool
    reason: str  # the latest row of the journal by `rule`; "": there is none
    led_to: str  # where it redirects on a site of others; "": nowhere
    is_seed: bool


def linked_urls(database: CrawlDatabase) -> dict[int, LinkedUrl]:
    """Return what the stored pages link to, by ids, in the order of the URLs."""
    found = {}
    for row in database.connection.execute(_LINKED, (Rule.SOFT_404,)):
        id_, url, state, rule, moved_to, status, soft, reason, samples, seed = row
        led_to = next(iter(json.loads(samples)), "") if rule == Rule.OFF_SITE and samples else ""
        found[id_] = LinkedUrl(id_, url, state, rule, moved_to, status, bool(soft), reason or "", led_to, bool(seed))
    return found


def linking_pages(database: CrawlDatabase) -> dict[int, list[tuple[str, str]]]:
    """Return for each target the pages that link to it, each with the words of a link."""
    found: dict[int, list[tuple[str, str]]] = {}
    for target, page, words in database.connection.execute(_LINKING_PAGES):
        found.setdefault(target, []).append((page, words))
    return found


def links_set_aside(database: CrawlDatabase) -> dict[Rule, int]:
    """Return how many links of the stored pages are not followed, by rule."""
    rules = (Rule.NOFOLLOW, Rule.PORT, Rule.LINKS_NOT_FOLLOWED, Rule.LINKS_CUT)
    counts = {Rule(rule): count for rule, count in database.connection.execute(_SET_ASIDE, rules)}
    elsewhere = database.count("SELECT sum(off_site) FROM page")
    return ({Rule.OFF_SITE: elsewhere} if elsewhere else {}) | counts


def pages_with_no_urls(database: CrawlDatabase) -> dict[str, list[tuple[str, str]]]:
    """Return the references that are no URLs, each with the pages that have such a link; the words are not stored."""
    found: dict[str, list[tuple[str, str]]] = {}
    for page, warnings in database.connection.execute(_WARNED):
        for reference in broken_references(json.loads(warnings)):
            found.setdefault(reference, []).append((page, ""))
    return found
