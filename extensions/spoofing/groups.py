"""Which pages spoof together? Doorways, link farms and anchor bombs, found in the crawl database after a run.

- Doorways: pages that differ only in a name and lead to one place (Google's spam policies, "doorway abuse"). Honest
  pages of a series differ in more than a name, or link to several places.
- A link farm has three shapes (Gyöngyi and Garcia-Molina, "Link Spam Alliances", 2005). A page with little text and
  many such pages of other sites link to each other. Or several sites with little text link to each other in a circle,
  and hardly anywhere else. Kosaraju's two walks find it as a strongly connected component of the graph of sites. Or
  several sites lead to each other with one text, which is in all their titles: four with little text, or three whose
  word is in titles elsewhere too, however long their pages. Honest neighbours name each other differently, so words
  that lead to one place only are a name. A site that sites outside of the group link to is not accused; members of such
  groups, and sites that link to several of one, recommend nobody in it. Links within a site are its menu and prove
  nothing. One page on a host for each language is no farm.
- An anchor bomb: many links of few other sites have an anchor text with words that the page lacks. The page itself may
  be innocent, so the signal lowers only the score of that text.

All together are bounded in CPU time. If they take longer, this is journaled, and the signals stay as they were.
"""

from __future__ import annotations

import sqlite3
import time
from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import unquote

from crawldb.pages.feed import Feed
from crawldb.pages.pages import Pages
from crawldb.tables.links import address_of
from extensions.spoofing.tables import (
    alike_but_for_names,
    links_between_sites,
    links_by_titles,
    mutual_thin_pages,
    replace_signals,
    same_words_from_others,
    targets_of,
    thin_pages_of_thin_sites,
    titles_of_sites,
    words_between,
)
from urls.rules import Rule
from urls.signals import Signal, SignalName, signal, strength, strongest, tokens
from urls.wording import counted

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from crawldb.database import CrawlDatabase
    from crawldb.tables.journal import Journal
    from extensions.spoofing.tables import AlikePage, Bomb, NamedLink, ReturnedLink, ThinPages

MAX_SECONDS = 10.0  # of CPU for all questions; a million links take two
STEPS = 100_000  # of SQLite's machine, after which the clock is looked at
MAX_TARGETS = 3  # places outside their group to which doorways link: one is where they lead, the others are a menu
MAX_NAME_WORDS = 3  # in which the titles of two doorways differ
SHORT_TEXT = 20  # words: shorter pages are more often alike, as those of a gallery
MORE_OF_THEM = 2  # times as many of them are needed
FEW_SOURCES = 3  # sites from which a bomb's links come
SHORT = 3  # characters of words that mostly hold a sentence together
_OF_ANY_PAGE = frozenset(
    {"back", "click", "down", "here", "home", "link", "more", "next", "page", "read", "site", "website"}
    | {"blog", "docs", "documentation", "forum", "news", "wiki"}
)


@dataclass(frozen=True, slots=True)
class GroupThresholds:
    """From how many pages or links on something is a sign."""

    doorways: int = 3  # pages that differ only in the name in their title, and all link to one place
    farm_pages: int = 5  # pages of other sites, each with fewer than 100 words, that link back
    bomb_links: int = 5  # links from other sites, three at most, with the same words, none of which the page has


USUAL = GroupThresholds()
Links = Mapping[int, set[int]]  # by site: other sites
_Place = TypeVar("_Place")


def find_spoofing(database: CrawlDatabase, journal: Journal, thresholds: GroupThresholds = USUAL) -> int:
    """Compute the signals of all pages together, and put the changed pages into the feed; return how many changed."""
    until = time.thread_time() + MAX_SECONDS
    database.connection.set_progress_handler(lambda: time.thread_time() > until, STEPS)
    found: dict[int, list[Signal]] = defaultdict(list)
    try:
        for url, each in chain(
            _doorways(database, thresholds),
            link_farms(database, max(thresholds.farm_pages, 1)),
            _bombs(database, thresholds),
        ):
            found[url].append(each)
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_INTERRUPT:
            raise
        database.connection.set_progress_handler(None, 0)
        with database.transaction():
            journal.write(
                None, Rule.SPOOFING, f"the judgement of all pages together took more than {MAX_SECONDS:g} s of CPU"
            )
        return 0
    finally:
        database.connection.set_progress_handler(None, 0)
    with database.transaction():
        changed = replace_signals(database, {url: strongest(signals) for url, signals in found.items()})
        Feed(database).announce(changed)
    return len(changed)


def _doorways(database: CrawlDatabase, thresholds: GroupThresholds) -> Iterator[tuple[int, Signal]]:
    least = max(thresholds.doorways, 2)
    for members in alike_but_for_names(database, least):
        is_short = max(member.words for member in members) < SHORT_TEXT
        names = _differing_words(members) if not is_short or len(members) >= MORE_OF_THEM * least else []
        place = _one_place(database, members) if names else ""
        if place:
            evidence = (
                f"{counted(len(members), 'page')} say the same but for a name ({', '.join(names[:4])} …) "
                f"and lead to {place}"
            )
            each = signal(SignalName.DOORWAY, strength(len(members), least), evidence)
            yield from ((member.url, each) for member in members)


def _differing_words(members: list[AlikePage]) -> list[str]:
    """Return in which words the titles differ, where each has its own, and few of them; else nothing."""
    titles = [frozenset(tokens(member.title)) for member in members]
    shared = frozenset.intersection(*titles)
    own = [title - shared for title in titles]
    if not shared or len(set(own)) < len(own) or not all(1 <= len(words) <= MAX_NAME_WORDS for words in own):
        return []
    return [" ".join(sorted(words)) for words in own]


def _one_place(database: CrawlDatabase, members: list[AlikePage]) -> str:
    """Return the place to which all of these pages lead; "" where there is none, or they link to many others."""
    urls = {member.url for member in members}
    outside = [targets - urls for targets in targets_of(database, urls).values()]
    everywhere = set.intersection(*outside)
    if len(set.union(*outside)) > MAX_TARGETS:
        return ""
    leads = {member.lead for member in members}
    if len(leads) == 1 and "" not in leads:
        return leads.pop()
    found = max(everywhere, default=None)  # known last: a menu is met before what only these pages link to
    return address_of(database, found) or ""


def _bombs(database: CrawlDatabase, thresholds: GroupThresholds) -> Iterator[tuple[int, Signal]]:
    pages = Pages(database)
    for bomb in same_words_from_others(database, max(thresholds.bomb_links, 1)):
        if bomb.sites <= FEW_SOURCES and _is_foreign(pages, bomb):
            evidence = (
                f"{counted(bomb.links, 'link')} on {counted(bomb.sites, 'other site')} with the words "
                f"“{bomb.text[:60]}”, which the page does not say"
            )
            yield (
                bomb.target,
                signal(SignalName.ANCHOR_BOMB, strength(bomb.links, max(thresholds.bomb_links, 1)), evidence),
            )


def _is_foreign(pages: Pages, bomb: Bomb) -> bool:
    """Return whether a page has none of the words of these links."""
    page = pages.get(bomb.url)
    if page is None:
        return False
    said = set(tokens(" ".join((page.title, page.description, *page.headings, page.text, unquote(page.url)))))
    words = [
        word for word in tokens(bomb.text) if word not in _OF_ANY_PAGE and (len(word) > SHORT or not word.isascii())
    ]
    return bool(words) and said.isdisjoint(words)


THIN_SHARE = 0.8  # of the pages of a site, that have little text
LEAST_SITES = 4  # in a circle: two or three honest neighbours often link to each other
FEWEST_SITES = 3  # that call each other by one word
WITHIN_SHARE = 0.5  # of the links of a circle to other sites, that stay within it
VOUCHING = 2  # sites with text outside of a group: so many clear a site in it
EDITIONS_SHARE = 0.8  # of the pages of a group, that are in a language of their own


def link_farms(database: CrawlDatabase, least: int) -> Iterator[tuple[int, Signal]]:
    """Yield the pages of link farms with the sign; `least`: so many pages of other sites make a farm."""
    yield from _mutual(database, least)
    thin, with_text = thin_pages_of_thin_sites(database, THIN_SHARE)
    namesakes = [*_namesakes(database, thin)]
    vouching = with_text.difference(*(pages for _, pages in namesakes))
    links, vouched_by = defaultdict[int, set[int]](set), defaultdict[int, set[int]](set)
    for site, other in links_between_sites(database):
        links[site].add(other)
        if site in vouching:
            vouched_by[other].add(site)
    yield from _circles(database, thin, links, vouched_by, least)
    for text, pages in namesakes:
        evidence = f"{counted(len(pages), 'site')} lead to each other as “{text[:60]}”, which all their titles say"
        found = signal(SignalName.LINK_FARM, strength(len(pages), FEWEST_SITES), evidence)
        yield from ((page, found) for site in _not_vouched(pages.keys(), vouched_by) for page in pages[site])


def _not_vouched(group: Iterable[int], vouched_by: Links) -> list[int]:
    """Return the sites of a group that too few others vouch for. Who links to several of the group vouches for none."""
    times = Counter(chain.from_iterable(vouched_by[site] for site in group))
    return [site for site in group if sum(times[other] == 1 for other in vouched_by[site]) < VOUCHING]


def _mutual(database: CrawlDatabase, least: int) -> Iterator[tuple[int, Signal]]:
    partners: dict[int, list[ReturnedLink]] = defaultdict(list)
    for link in mutual_thin_pages(database):
        partners[link.source].append(link)
    for page, links in partners.items():
        shared = _sharing((link.site, link.target) for link in links)
        shared |= _sharing((link.text, link.target) for link in links)
        others = {link.target: link.language for link in links if link.target in shared}
        if len(others) >= least and not _are_editions(others.values()):
            evidence = f"it and {counted(len(others), 'page')} of other sites link to each other, with little text"
            yield page, signal(SignalName.LINK_FARM, strength(len(others), least), evidence)


def _circles(
    database: CrawlDatabase, thin: ThinPages, links: Links, vouched_by: Links, least: int
) -> Iterator[tuple[int, Signal]]:
    """Yield the pages of sites that link to each other and hardly elsewhere; `vouched_by`: who links to each site."""
    circles = [
        circle
        for circle in _strong_components({site: links[site] & thin.keys() for site in thin if site in links})
        if len(circle) >= LEAST_SITES
        and sum(len(links[site] & circle) for site in circle) >= WITHIN_SHARE * sum(len(links[site]) for site in circle)
        and not _are_editions(language for site in circle for _, language in thin[site])
    ]
    of_site = {site: number for number, circle in enumerate(circles) for site in circle}
    words = words_between(database, of_site) if circles else ()
    within = (link for link in words if of_site[link.site] == of_site[link.source])
    unnamed = _sharing(((of_site[link.site], link.text), (link.site, link.target)) for link in within)
    called = {site for site, _ in unnamed}
    for circle in circles:
        pages = sum(len(thin[site]) for site in circle)
        for site in called.intersection(_not_vouched(circle, vouched_by)):
            elsewhere = pages - len(thin[site])
            if elsewhere >= least:
                evidence = f"{counted(len(circle), 'site')} with little text lead to each other, and hardly elsewhere"
                each = signal(SignalName.LINK_FARM, strength(elsewhere, least), evidence)
                yield from ((page, each) for page, _ in thin[site])


def _sharing(pairs: Iterable[tuple[Hashable, _Place]]) -> set[_Place]:
    """Return the second of all pairs whose first has several seconds. Words that lead to one place only name it."""
    places = defaultdict[Hashable, set[_Place]](set)
    for key, place in pairs:
        places[key].add(place)
    return {place for each in places.values() if len(each) > 1 for place in each}


def _namesakes(database: CrawlDatabase, thin: ThinPages) -> Iterator[tuple[str, dict[int, Collection[int]]]]:
    """Yield groups of sites that lead to each other with the very words by which all of them call themselves.

    Each is the words, and by site the pages with such links.
    """
    named: dict[str, list[NamedLink]] = defaultdict(list)
    words_of: dict[str, set[str]] = {}
    for link in links_by_titles(database):
        words = {*tokens(link.text)} - _OF_ANY_PAGE
        if words and words <= {*tokens(link.source.title)} & {*tokens(link.target.title)}:
            named[link.text].append(link)
            words_of[link.text] = words
    named = {text: links for text, links in named.items() if len({link.target.site for link in links}) >= FEWEST_SITES}
    wanted = set[str]().union(*(words_of[text] for text in named))
    titled = defaultdict[str, set[int]](set)
    for site, title in titles_of_sites(database) if wanted else ():
        for word in wanted.intersection(tokens(title)):
            titled[word].add(site)
    for text, links in named.items():
        sites = [titled[word] for word in words_of[text]]
        pages = defaultdict[int, dict[int, str]](dict)
        for page in chain.from_iterable((link.source, link.target) for link in links):
            pages[page.site][page.url] = page.language
        for group in _of_one_name(links, thin, sites):
            if not _are_editions(chain.from_iterable(pages[site].values() for site in group)):
                yield text, {site: pages[site].keys() for site in group}


def _of_one_name(links: Iterable[NamedLink], thin: ThinPages, titled: Collection[set[int]]) -> Iterator[frozenset[int]]:
    """Yield groups of sites that call each other by one text.

    They have little text, or a word of it is also in a title of a site outside the group; `titled`: for each word the
    sites that have it there.
    """
    forth, both = defaultdict[int, set[int]](set), defaultdict[int, set[int]](set)
    for link in links:
        site, other = link.source.site, link.target.site
        forth[site].add(other)
        if {site, other} <= thin.keys():
            both[site].add(other)
            both[other].add(site)
    yield from (group for group in _strong_components(both) if len(group) >= LEAST_SITES)
    for group in _strong_components(forth):
        if len(group) >= FEWEST_SITES and not all(sites <= group for sites in titled):
            yield group


def _are_editions(languages: Iterable[str]) -> bool:
    """Return whether pages in these languages may be translations of each other."""
    listed = list(languages)
    return len(set(listed) - {""}) >= EDITIONS_SHARE * len(listed)


def _strong_components(links: Mapping[int, set[int]]) -> Iterator[frozenset[int]]:
    """Yield the groups of nodes that all lead to each other, each node once."""
    order: list[int] = []
    seen: set[int] = set()
    for start in links:
        _visit(start, links, seen, order)
    back: dict[int, set[int]] = defaultdict(set)
    for node, others in links.items():
        for other in others:
            back[other].add(node)
    seen = set()
    for start in reversed(order):
        if start not in seen:
            group: list[int] = []
            _visit(start, back, seen, group)
            yield frozenset(group)


def _visit(start: int, links: Mapping[int, set[int]], seen: set[int], order: list[int]) -> None:
    """Append to `order` the unseen nodes that `start` reaches, each after all nodes that it reaches."""
    if start in seen:
        return
    seen.add(start)
    open_nodes: list[tuple[int, Iterator[int]]] = [(start, iter(links.get(start, ())))]
    while open_nodes:
        node, others = open_nodes[-1]
        following = next((other for other in others if other not in seen), None)
        if following is None:
            order.append(node)
            open_nodes.pop()
        else:
            seen.add(following)
            open_nodes.append((following, iter(links.get(following, ()))))
