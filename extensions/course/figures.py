"""Which pictures of a crawl does a slide show? Each is computed when slides are made, from the data folder given.

    {figure postings?term=bread}        in a session: the figure's name, and what it should show

If the crawl lacks what a slide asks for, such as the term, the figure is a sentence that says so. Plots come from the
gateway (gateway/plots.py). A page that a search may not show is in no figure.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from markupsafe import Markup

from crawldb.databases import Parts
from crawldb.figures.totals import outcomes_of_run, pages_by_site, urls_by_rule, urls_by_state
from crawldb.parts.partition import Partition
from crawldb.tables.runs import latest_run
from crawldb.tables.urls import State
from extensions.course.inside import inspection
from extensions.course.inside.duplicates import read_duplicates, s_curve
from extensions.course.inside.robots_page import EXAMPLE, EXAMPLE_URLS
from extensions.course.inside.trap_yields import traps_of
from extensions.course.inside.traps_page import wasted_plot
from gateway.plots import Plot, bar_plot, element, empty_plot, line_plot
from indexer.faults import NoIndex
from indexer.ranking.demotion import Demotion
from indexer.ranking.score import ScorePart, saturation
from indexer.ranking.weights import Weights
from indexer.segments.schema import IndexField
from pages.content.similarity import THRESHOLD
from reports.robots_verdicts import RobotsSource, check_urls
from robots import Dialect
from urls.canonical import canonical_steps
from urls.wording import counted, plain

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from extensions.course.inside.site_links import DrawnLinks
    from indexer.ranking.score import Part
    from indexer.retrieval.results import Hit
    from indexer.retrieval.searcher import Searcher

ROWS = 6  # of a table: more can't be read from the last row of seats
BARS = 10
KNOWN_ITEMS = 60  # pages whose title is searched: some seconds
DEPTH = 10  # results that count
MOST_RESULTS = 50  # of a query that are looked through for a penalty
FREQUENCIES = 12
PARTS = 4  # of a crawl that several machines share
SAID_CHARS = 60  # of a title or an address in a table

Options = dict[str, str]


@dataclass(frozen=True)
class LiveCrawl:
    """The crawl that figures are made of. `open_index` raises NoIndex."""

    data_dir: Path
    open_index: Callable[[], Searcher]

    @cached_property
    def parts(self) -> Parts:
        """The crawl databases."""
        return Parts.in_folder(self.data_dir)

    @cached_property
    def searcher(self) -> Searcher | None:
        """The index; None without one whose files are here."""
        try:
            found = self.open_index()
        except NoIndex:
            return None
        return None if found.elsewhere or not found.documents else found

    def hits(self, query: str, most: int = DEPTH) -> Sequence[Hit]:
        """Return the first results of a query; () without an index."""
        return self.searcher.search(query, most).hits if self.searcher else ()


def figure_of(named: str, crawl: LiveCrawl) -> Plot:
    """Return the figure that a slide names, such as `score?q=rye+bread`. Raises KeyError for an unknown name."""
    name, _, options = named.partition("?")
    return FIGURES[name](crawl, dict(parse_qsl(options)))


def table(title: str, head: tuple[str, ...], rows: Sequence[Sequence[str | Markup]], nothing: str) -> Plot:
    """Return a figure that is a table; without rows it is the sentence `nothing`."""
    return Plot(title, Markup(), head, rows) if rows else empty_plot(title, nothing)


def _short(text: str) -> str:
    return text if len(text) <= SAID_CHARS else f"{text[: SAID_CHARS - 1]}…"


def canonical_form(crawl: LiveCrawl, options: Options) -> Plot:  # noqa: ARG001 - it is about any URL
    """Show how a URL gets its canonical form, step by step."""
    url = options["url"]
    rows = [(step.rule, step.after) for step in canonical_steps(url)]
    return table(f"From {url} to its canonical form", ("rule", "URL"), rows, "This URL is in canonical form.")


def states(crawl: LiveCrawl, options: Options) -> Plot:  # noqa: ARG001 - as above
    """Draw the number of URLs in each state. They add up to all discovered URLs."""
    found = Counter[State]()
    for database in crawl.parts:
        found.update(urls_by_state(database))
    bars = [(state.name.lower(), float(found[state])) for state in State]
    title = f"{counted(sum(found.values()), 'URL')} discovered, by state"
    return bar_plot(bars if found else [], title=title, name="state", unit="URLs", one="URL")


def suppressed(crawl: LiveCrawl, options: Options) -> Plot:  # noqa: ARG001 - as above
    """Draw the number of suppressed URLs by the rule that suppressed them."""
    found = Counter[str]()
    for database in crawl.parts:
        found.update(urls_by_rule(database, State.SUPPRESSED))
    bars = [(rule, float(number)) for rule, number in found.most_common(BARS)]
    nothing = "No URL is suppressed."
    return bar_plot(bars, title="Suppressed URLs, by rule", name="rule", unit="URLs", one="URL", nothing=nothing)


def outcomes(crawl: LiveCrawl, options: Options) -> Plot:  # noqa: ARG001 - as above
    """Draw the number of requests of the latest run by their outcome."""
    found = Counter[str]()
    for database in crawl.parts:
        found.update(outcomes_of_run(database, latest_run(database).id))
    bars = [(rule, float(number)) for rule, number in found.most_common(BARS)]
    title = "Requests of the latest run, by outcome"
    return bar_plot(bars, title=title, name="outcome", unit="requests", one="request", nothing="It sent no request.")


def robots_file(crawl: LiveCrawl, options: Options) -> Plot:  # noqa: ARG001 - the example of /inside/robots
    """Show a robots.txt with the numbers of its lines."""
    rows = [(str(number), line) for number, line in enumerate(EXAMPLE.splitlines(), 1)]
    return table("A robots.txt", ("line", "text"), rows, "")


def readings(crawl: LiveCrawl, options: Options) -> Plot:  # noqa: ARG001 - the same
    """Show what four readings of that file decide about three URLs."""
    source = RobotsSource.of_text("the file", EXAMPLE.encode(), "an example")
    dialects = list(Dialect)
    rows = []
    for judged in check_urls(source, "Breadcrumb", EXAMPLE_URLS, dialects, compared=False):
        verdicts = [judged.verdicts[dialect] for dialect in dialects]
        cells = [
            Markup('<b class="{}">{}</b>{}').format(
                "yes" if verdict.allowed else "no",
                "allowed" if verdict.allowed else "disallowed",
                f" line {verdict.line}" if verdict.line else "",
            )
            for verdict in verdicts
        ]
        rows.append((judged.url, *cells))
    head = ("URL", *(dialect.value for dialect in dialects))
    return table("Four readings of the file, for the robot Breadcrumb", head, rows, "")


def trap_requests(crawl: LiveCrawl, options: Options) -> Plot:  # noqa: ARG001 - it is about the whole crawl
    """Draw the patterns of URLs whose pages had no new content."""
    return wasted_plot(traps_of(crawl.parts))


def curve(crawl: LiveCrawl, options: Options) -> Plot:  # noqa: ARG001 - it is the same for all crawls
    """Draw the S-curve: the probability that two pages are compared, by their similarity."""
    return line_plot(
        {"probability": s_curve(THRESHOLD)},
        title=f"Probability that two pages are compared, for the threshold {THRESHOLD:g}",
        x="similarity",
        y="probability",
        marks={"threshold": THRESHOLD},
    )


def clusters(crawl: LiveCrawl, options: Options) -> Plot:  # noqa: ARG001 - it shows the largest
    """Show the pages of the largest cluster of near copies, with their similarity to its centre."""
    found = read_duplicates(crawl.parts, threshold=THRESHOLD, usual=THRESHOLD).shown
    rows = [
        (_short(each.url), "" if each.resemblance is None else f"{each.resemblance:.2f}")
        for each in (found[0].members if found else ())
    ]
    title = "The largest cluster of near copies"
    return table(title, ("page", "similarity"), rows[:ROWS], "No two pages of this crawl are near copies.")


def results(crawl: LiveCrawl, options: Options) -> Plot:
    """Show the first results of a query, and the first whose scores a signal of spam lowers."""
    rows, honest = [], 0
    for hit in crawl.hits(options["q"], MOST_RESULTS):
        found = hit.explain()
        lowered = [f"{part.value:.2f} {part.term}" for part in found.parts if isinstance(part, Demotion)]
        honest += not lowered
        if lowered or honest <= ROWS // 2:
            rows.append((str(hit.rank), _short(hit.title or hit.url), f"{found.total:.2f}", ", ".join(lowered)))
    rows = rows[:ROWS]
    title = f"Results for {options['q']}"
    return table(title, ("rank", "page", "score", "penalty"), rows, f"Nothing is found for {options['q']} here.")


def postings(crawl: LiveCrawl, options: Options) -> Plot:
    """Show the postings of a term in the main text of pages."""
    title = f"Postings of {options['term']} in main text"
    searcher = crawl.searcher
    if searcher is None:
        return empty_plot(title, "There is no index here.")
    term = options["term"]
    found = inspection.term_postings(searcher.snapshot, term, (IndexField.BODY,), is_hidden=searcher.corpus.is_hidden)
    rows = [
        (_short(row.url), str(each.frequency), " ".join(map(str, each.positions)))
        for row in found.rows[:ROWS]
        for each in row.postings
    ]
    whole = f"{title}: {counted(found.pages, 'page')}"
    return table(whole, ("page", "frequency", "positions"), rows, f"No page has {term} in its text.")


def _part_name(part: Part) -> str:
    is_name = isinstance(part, ScorePart) and part.called
    return f"{part.term}, {part.field}{'*' if is_name else ''}"


def score(crawl: LiveCrawl, options: Options) -> Plot:
    """Draw the parts of the score of the first result of a query."""
    query = options["q"]
    hit = next(iter(crawl.hits(query, 1)), None)
    if hit is None:
        return empty_plot(f"The score of a result for {query}", f"Nothing is found for {query} here.")
    found = hit.explain()
    bars = [(_part_name(part), part.value) for part in found.parts[:BARS]]
    rest = sum(part.value for part in found.parts[BARS:])
    if rest:
        bars.append((f"{len(found.parts) - BARS} more", round(rest, 4)))
    title = f"{query}: {_short(hit.title or hit.url)} scores {plain(found.total, 4)}, the sum of its parts"
    return bar_plot(bars, title=title, name="part", unit="score (* as a name)")


def saturated(crawl: LiveCrawl, options: Options) -> Plot:  # noqa: ARG001 - it is the same for all crawls
    """Draw the saturation of a term's frequency in text."""
    half = Weights().said
    points = [(float(number), float(saturation(float(number), half))) for number in range(FREQUENCIES + 1)]
    title = f"Saturation f / (f + {half:g})"
    return line_plot({"saturation": points}, title=title, x="frequency f", y="saturation")


def _shown(drawn: DrawnLinks, parts: Parts) -> DrawnLinks:
    """Return links without pages that may not be shown, such as those that `forget` removed."""
    kept = [
        place
        for place, page in enumerate(drawn.pages)
        if not (parts.is_hidden(page.url) and parts.is_withdrawn(page.url))
    ]
    number = {place: new for new, place in enumerate(kept)}
    edges = tuple((number[a], number[b]) for a, b in drawn.edges if a in number and b in number)
    return replace(drawn, pages=tuple(drawn.pages[place] for place in kept), edges=edges, rounds=drawn.rounds[:, kept])


def ranks(crawl: LiveCrawl, options: Options) -> Plot:
    """Draw the PageRank of the foremost pages of a site, or of all, by iteration."""
    from extensions.course.inside import link_graph
    from extensions.course.inside.site_links import crawl_graph, site_links

    graph = crawl_graph(next(iter(crawl.parts)))
    site = next((name for name in graph.sites if name.partition(":")[0] == options.get("site")), "")
    drawn = _shown(site_links(graph, site), crawl.parts)
    if not drawn.pages:
        return empty_plot("PageRank by iteration", "This crawl has no links.")
    return link_graph.picture(drawn, around=False) if "graph" in options else link_graph.rounds(drawn)


def known_items(crawl: LiveCrawl, options: Options) -> Plot:  # noqa: ARG001 - it takes the first pages
    """Draw how many pages are found by their own title, among the first 1 to 10 results: recall at k."""
    title = "Recall at k of queries that are the title of a page"
    if crawl.searcher is None:
        return empty_plot(title, "There is no index here.")
    places: list[int] = []
    for url, words in searched_titles(crawl.searcher):
        found = [hit.url for hit in crawl.hits(words)]
        places.append(found.index(url) + 1 if url in found else DEPTH + 1)
    points = [(float(k), sum(place <= k for place in places) / len(places)) for k in range(1, DEPTH + 1) if places]
    whole = f"{title}: {counted(len(places), 'query', 'queries')}"
    return line_plot({"recall": points}, title=whole, x="k: results that are looked at", y="share of pages found")


def searched_titles(searcher: Searcher) -> list[tuple[str, str]]:
    """Return the URL and the title of pages that no other page has, at most KNOWN_ITEMS, spread over the index."""
    found: dict[str, list[str]] = {}
    for view in searcher.snapshot.views:
        for document in range(view.file.count):
            stored = view.file.stored(document)
            if (
                view.live[document]
                and stored.title
                and not (stored.not_fetched or searcher.corpus.is_hidden(view, stored))
            ):
                found.setdefault(stored.title, []).append(stored.url)
    alone = [(urls[0], title) for title, urls in found.items() if len(urls) == 1]
    return alone[:: -(-len(alone) // KNOWN_ITEMS) or 1]


def shares(crawl: LiveCrawl, options: Options) -> Plot:  # noqa: ARG001 - all of it
    """Draw how the pages of this crawl would be divided among four machines, by their hosts."""
    found = Counter[int]()
    for database in crawl.parts:
        for site, pages in pages_by_site(database).items():
            found[Partition(1, PARTS).owner(site)] += pages
    bars = [(f"part {part} of {PARTS}", float(found[part])) for part in range(1, PARTS + 1)]
    title = f"Pages of this crawl, divided by host among {PARTS} machines"
    return bar_plot(bars if found else [], title=title, name="part", unit="pages", one="page")


FIGURES: Mapping[str, Callable[[LiveCrawl, Options], Plot]] = {
    "canonical": canonical_form,
    "states": states,
    "suppressed": suppressed,
    "outcomes": outcomes,
    "robots-file": robots_file,
    "readings": readings,
    "traps": trap_requests,
    "curve": curve,
    "clusters": clusters,
    "results": results,
    "postings": postings,
    "score": score,
    "saturation": saturated,
    "pagerank": ranks,
    "known-items": known_items,
    "shares": shares,
}


def table_of_figure(plot: Plot) -> Markup:
    """Return the table of a figure."""
    head = Markup().join(element("th", name, scope="col") for name in plot.head)
    body = Markup().join(element("tr", *(element("td", cell) for cell in row)) for row in plot.rows)
    return element("table", element("thead", element("tr", head)), element("tbody", body))
