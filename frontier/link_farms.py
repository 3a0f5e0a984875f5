"""Which sites were made to link to each other? Link farms, found in the graph of links, however many sites they have.

Two shapes are looked for (Gyöngyi and Garcia-Molina, "Link Spam Alliances", 2005):

- a page with little text and many such pages of other sites link to each other;
- several sites that have hardly any text lead to each other in a circle, page for page or not (a strongly connected
  component of the graph of sites, found by Kosaraju's two walks), and hardly anywhere
  else. A site that sites outside of the circle recommend is not accused.

Links within a site are its menu and prove nothing. One page on a host for each language is no farm either.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from crawldb.pages.signals import links_between_sites, mutual_thin_pages, thin_pages_of_thin_sites
from urls.signals import Signal, SignalName, signal, strength
from urls.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from crawldb.database import CrawlDatabase

THIN_SHARE = 0.8  # of the pages of a site, that have little text
LEAST_SITES = 4  # in a circle: two or three honest neighbours often link to each other
WITHIN_SHARE = 0.5  # of the links of a circle to other sites, that stay within it
VOUCHING = 2  # sites with text outside of a circle: so many clear a site in it
EDITIONS_SHARE = 0.8  # of the pages of a group, that are in a language of their own


def link_farms(database: CrawlDatabase, least: int) -> Iterator[tuple[int, Signal]]:
    """Yield the pages of link farms with the sign; `least`: so many pages of other sites make a farm."""
    yield from _mutual(database, least)
    yield from _circles(database, least)


def _mutual(database: CrawlDatabase, least: int) -> Iterator[tuple[int, Signal]]:
    partners: dict[int, dict[int, str]] = defaultdict(dict)
    for page, other, language in mutual_thin_pages(database):
        partners[page][other] = language
    for page, others in partners.items():
        if len(others) >= least and not _are_editions(others.values()):
            evidence = f"it and {counted(len(others), 'page')} of other sites link to each other, with little text"
            yield page, signal(SignalName.LINK_FARM, strength(len(others), least), evidence)


def _circles(database: CrawlDatabase, least: int) -> Iterator[tuple[int, Signal]]:
    thin = thin_pages_of_thin_sites(database, THIN_SHARE)
    links: dict[int, set[int]] = defaultdict(set)
    for site, other in links_between_sites(database):
        links[site].add(other)
    linked_from = Counter[int]()
    for site, others in links.items():
        if site not in thin:
            linked_from.update(others)
    for circle in _strong_components({site: links[site] & thin.keys() for site in thin if site in links}):
        pages = [each for site in circle for each in thin[site]]
        given = sum(len(links[site]) for site in circle)
        within = sum(len(links[site] & circle) for site in circle)
        if (
            len(circle) < LEAST_SITES
            or within < WITHIN_SHARE * given
            or _are_editions(language for _, language in pages)
        ):
            continue
        for site in circle:
            elsewhere = len(pages) - len(thin[site])
            if elsewhere >= least and linked_from[site] < VOUCHING:
                evidence = f"{counted(len(circle), 'site')} with little text lead to each other, and hardly elsewhere"
                each = signal(SignalName.LINK_FARM, strength(elsewhere, least), evidence)
                yield from ((page, each) for page, _ in thin[site])


def _are_editions(languages: Iterable[str]) -> bool:
    """Return whether pages in these languages say the same in each, as far as the languages tell."""
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
    """Append what `start` leads to and was not seen to `order`, each after all that it leads to."""
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
