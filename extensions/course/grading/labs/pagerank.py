"""Lab 7: a web of the student's own, its PageRank by hand, the best link in it, and a link that gains nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from extensions.course.grading.grade import HandIn
from extensions.course.grading.lab_folder import LabFolder, Missing, Wrong, number_in, page_name, urls
from extensions.course.grading.predictions import YES_NO, Measured, Prediction
from indexer.links import LinkMatrix, hubs_and_authorities, pagerank
from urls.canonical import canonicalize
from urls.wording import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

FOUR = ("index", "bread", "mill", "oven")
FIVE_AND_SIX = ("imprint", "history")
Web = dict[str, list[str]]  # the pages to which each page links
PAGES, HAND_DAMPING, USUAL_DAMPING = 6, 0.5, 0.85
ROUNDED = 0.011  # of a rank with two digits
MAX_PAGES = 20
OWN_PAGE = canonicalize("http://127.0.0.1/cheat.html")
HTML = (("Content-Type", "text/html; charset=utf-8"),)


def _matrix(web: Web) -> LinkMatrix:
    number = {page: place for place, page in enumerate(web)}
    pairs = sorted({(number[page], number[target]) for page in web for target in web[page] if target in number})
    sources, targets = np.array(pairs, np.int64).reshape(-1, 2).T
    return LinkMatrix(sources, targets, np.ones(len(pairs)), len(web))


def _ranks(web: Web, damping: float) -> dict[str, float]:
    """Return the PageRank of each page, 1 in the mean; the reader starts at the first page."""
    roots = np.arange(len(web)) == 0
    return _by_page(web, pagerank(_matrix(web), roots, damping) * len(web))


def _by_page(web: Web, values: NDArray[np.float64]) -> dict[str, float]:
    return dict(zip(web, values.tolist(), strict=True))


def _four(folder: LabFolder) -> Web:
    from crawldb.pages.feed import read_link_rows

    with folder.database() as database:
        rows = read_link_rows(database)
    names = dict(zip(rows.ids.tolist(), map(page_name, rows.urls), strict=True))
    web: Web = {page: [] for page in FOUR}
    for source, target in rows.links.tolist():
        if names[source] in web and names[target] in web and names[source] != names[target]:
            web[names[source]].append(names[target])
    if not all(web.values()):
        raise Missing(f"your crawl has no links of {', '.join(page for page in web if not web[page])}: make the site")
    return web


def _in_order(ranks: Mapping[str, float]) -> list[str]:
    return sorted(ranks, key=lambda page: -ranks[page])


def _told(ranks: Mapping[str, float]) -> str:
    return ", ".join(f"{page} {ranks[page]:.2f}" for page in _in_order(ranks))


def _first_and_last(folder: LabFolder) -> Measured:
    ranks = _ranks(_four(folder), HAND_DAMPING)
    order = _in_order(ranks)
    return Measured((order[0], order[-1]), f"among these four in your crawl, damping {HAND_DAMPING}: {_told(ranks)}")


def _second(folder: LabFolder) -> Measured:
    ranks = _ranks(_four(folder), USUAL_DAMPING)
    return Measured((_in_order(ranks)[1],), f"damping {USUAL_DAMPING}: {_told(ranks)}")


def _hub_and_authority(folder: LabFolder) -> Measured:
    web = _four(folder)
    hubs, authorities = (_by_page(web, values) for values in hubs_and_authorities(_matrix(web)))
    return Measured(
        (_in_order(hubs)[0], _in_order(authorities)[0]), f"hubs: {_told(hubs)}; authorities: {_told(authorities)}"
    )


def _pears(folder: LabFolder) -> Measured:
    from reports.links import link_report

    with folder.database() as database:
        rank = sum(page.pagerank for page in link_report(database).foremost if "pears" in page.url)
    return Measured((float(rank),), "the PageRank of the pears in your crawl")


def _imprint_or_history(folder: LabFolder) -> Measured:
    from reports.links import link_report

    with folder.database() as database:
        found = {page_name(page.url): page.pagerank for page in link_report(database).foremost}
    ranks = {page: found[page] for page in FIVE_AND_SIX if page in found}
    if len(ranks) < len(FIVE_AND_SIX):
        raise Missing("your crawl has no imprint and history: add them, and crawl again")
    return Measured((_in_order(ranks)[0],), _told(ranks))


def _wine(folder: LabFolder) -> Measured:
    index = folder.index()
    cellar, wine = (len(urls(index, word)) for word in ("cellar", "wine"))
    if not cellar:
        raise Missing("no result for cellar: link to it from bread.html, and crawl again")
    return Measured(("yes" if wine else "no",), f"{counted(cellar, 'result')} for cellar, {wine} for wine")


def _own_web(folder: LabFolder) -> Web:
    web: Web = {}
    for line in folder.lines("web.txt")[:MAX_PAGES]:
        page, colon, targets = line.partition(":")
        if not colon:
            raise Wrong(f"web.txt: “{line[:60]}” is not a page, a colon and the pages to which it links")
        web[page.strip()] = list(dict.fromkeys(targets.split()))
    if len(web) != PAGES:
        raise Wrong(f"web.txt has {counted(len(web), 'page')}: {PAGES} are needed")
    if unknown := sorted({target for targets in web.values() for target in targets} - set(web)):
        raise Wrong(f"web.txt has a link to {unknown[0][:60]}, which has no line of its own")
    return web


def _most_linked_is_last(folder: LabFolder) -> str:
    web = _own_web(folder)
    links = {page: sum(page in targets for other, targets in web.items() if other != page) for page in web}
    most = max(links.values())
    first = [page for page in web if links[page] == most]
    if len(first) > 1:
        raise Wrong(f"{' and '.join(first)} have {counted(most, 'link')} each: one page must have the most")
    ranks = _ranks(web, HAND_DAMPING)
    behind = [page for page in web if page != first[0] and ranks[page] <= ranks[first[0]] + 1e-6]
    if behind:
        raise Wrong(f"{first[0]} has the most links ({most}) and is not last: {_told(ranks)}")
    return f"{first[0]} has {counted(most, 'link')}, and is last: {_told(ranks)}"


def _by_hand(folder: LabFolder) -> str:
    web = _own_web(folder)
    said = {page: number_in(f"the line “{page}” of ranks.txt", value) for page, value in _pairs(folder)}
    ranks = _ranks(web, HAND_DAMPING)
    total = sum(said.values()) or 1.0
    if left := [page for page in web if page not in said]:
        raise Missing(f"ranks.txt has no line “{left[0]}: …”")
    for page in web:
        scaled = said[page] * PAGES / total  # probabilities will do, too
        if abs(scaled - ranks[page]) > ROUNDED:
            raise Wrong(f"the PageRank of {page} is {ranks[page]:.4f} (1 in the mean); you say {said[page]:g}")
    return _told(ranks)


def _pairs(folder: LabFolder) -> list[tuple[str, str]]:
    pairs = (line.partition(":" if ":" in line else " ") for line in folder.lines("ranks.txt"))
    return [(page.strip(), value) for page, _, value in pairs]


def _best_link(folder: LabFolder) -> str:
    web = _own_web(folder)
    said = folder.lines("link.txt")[0].replace("->", " ").split()
    if len(said) != 2 or not set(said) <= set(web) or said[0] == said[1]:  # noqa: PLR2004 - from, to
        raise Wrong("link.txt: write two pages of your web, FROM -> TO")
    source, target = said
    if target in web[source]:
        raise Wrong(f"there is a link from {source} to {target} already")
    gains = {
        page: _ranks(web | {page: [*web[page], target]}, HAND_DAMPING)[target]
        for page in web
        if page != target and target not in web[page]
    }
    best = max(gains, key=lambda page: gains[page])
    if gains[source] < gains[best] - 1e-6:
        raise Wrong(f"from {source}, {target} gets {gains[source]:.2f}; a link from {best} brings {gains[best]:.2f}")
    return f"{target} gets {gains[source]:.2f} instead of {_ranks(web, HAND_DAMPING)[target]:.2f}, the most of any link"


def _worthless_link(folder: LabFolder) -> str:
    from pages.http_headers import FetchedBody
    from pages.page_parser import parse_page

    text = folder.text("cheat.html")
    page = parse_page(FetchedBody(text.encode(), OWN_PAGE, HTML))
    others = [link for link in page.links if link.url != OWN_PAGE]
    if not others:
        raise Wrong("cheat.html has no link to another page: it can't gain anything anywhere")
    if counting := [link.url for link in others if not link.nofollow and page.controls.follow]:
        raise Wrong(f"the link to {counting[0]} counts: PageRank passes on along it")
    return f"{counted(len(others), 'link')}, and none counts: nofollow"


PREDICTIONS = {
    1: Prediction("the first and the last", _first_and_last, FOUR, ordered=True),
    2: Prediction("the second", _second, FOUR),
    3: Prediction("hub and authority", _hub_and_authority, FOUR, ordered=True),
    4: Prediction("their PageRank", _pears),
    5: Prediction("the greater", _imprint_or_history, FIVE_AND_SIX),
    6: Prediction("is there a result for wine", _wine, YES_NO),
}
HAND_INS = (
    HandIn("web.txt", _most_linked_is_last),
    HandIn("ranks.txt", _by_hand),
    HandIn("link.txt", _best_link),
    HandIn("cheat.html", _worthless_link),
)
