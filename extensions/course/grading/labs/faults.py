"""Lab 8: nothing was lost in three kills, and queries that nobody wrote for the pages say how good a ranking is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from extensions.course.grading.grade import HandIn, sentences
from extensions.course.grading.lab_folder import LabFolder, Missing, Wrong, page_name, urls
from extensions.course.grading.predictions import YES_NO, Measured, Prediction
from indexer.ranking.weights import Formula, weights_from
from urls.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

Queries = list[tuple[str, str]]  # a query, and the end of its page's URL
BASELINE = (
    "title=0", "headings=0", "anchors=0", "description=0", "url_words=0", "near_text=0", "near_name=0", "section=0",
)  # fmt: skip
QUERIES, DEPTH = 5, 50
MAX_QUERIES = 50
ROUNDED = 0.0051  # of a mean with two digits


def _queries(folder: LabFolder, name: str) -> Queries:
    pairs = [line.partition("|") for line in folder.lines(name)[:MAX_QUERIES]]
    if any(not (query.strip() and page.strip()) for query, _, page in pairs):
        raise Wrong(f"{name}: a line is a query, a | and the end of the URL of its page")
    return [(query.strip(), page.strip()) for query, _, page in pairs]


def _reciprocal_ranks(folder: LabFolder, queries: Queries, data: str, weights: Sequence[str] = ()) -> list[float]:
    index = folder.index(data, Formula(weights_from(weights)))
    found = []
    for query, page in queries:
        ranks = [hit.rank for hit in index.search(query, DEPTH).hits if hit.url.endswith(page)]
        found.append(1 / ranks[0] if ranks else 0.0)
    return found


def _mean(folder: LabFolder, queries: Queries, weights: Sequence[str] = ()) -> float:
    found = _reciprocal_ranks(folder, queries, "town", weights)
    return sum(found) / len(found)


def _lost(folder: LabFolder) -> Measured:
    sheets, found = _sheets(folder)
    twice = len(found) - len(set(found))
    return Measured(
        (float(len(sheets - set(found))), float(twice)), f"{len(found)} of {len(sheets)} sheets in the index"
    )


def _sheets(folder: LabFolder) -> tuple[set[str], list[str]]:
    sheets = {path.stem for path in folder.site_files("*.html") if path.stem.isdecimal()}
    if not sheets:
        raise Missing("site has no sheets: do the first step of the lab")
    return sheets, [page_name(url) for url in urls(folder.index(), "sheet")]


def _kept(folder: LabFolder) -> Measured:
    from indexer import NoIndex

    try:
        kept = len(urls(folder.index("textbook"), "sheet"))
    except NoIndex:
        kept = 0
    ours = len(urls(folder.index("exchanged"), "sheet"))
    return Measured((float(kept),), f"pages in textbook; with our index {ours} are in exchanged")


def _ended_by(folder: LabFolder) -> Measured:
    from crawldb.figures.totals import urls_by_rule, urls_by_state
    from crawldb.tables.urls import State

    with folder.database("liar") as database:
        states, failed = urls_by_state(database), urls_by_rule(database, State.FAILED)
    left = states.get(State.QUEUED, 0) + states.get(State.LEASED, 0)
    rules = ", ".join(f"{count} {rule}" for rule, count in failed.items())
    if not failed:
        raise Missing("liar has no failed URL: crawl the liar")
    return Measured(("yes" if left else "no",), f"{counted(left, 'URL is', 'URLs are')} left; failed: {rules}")


def _gain(folder: LabFolder) -> Measured:
    queries = _queries(folder, "questions.txt")
    baseline, best = _mean(folder, queries, BASELINE), _mean(folder, queries)
    return Measured((best - baseline,), f"MRR {baseline:.3f} with the words of the text alone, {best:.3f} with all")


def _found_by_textbook(folder: LabFolder) -> Measured:
    ranks = _reciprocal_ranks(folder, _queries(folder, "questions.txt"), "whoosh")
    return Measured((float(sum(rank > 0 for rank in ranks)),), f"of {len(ranks)} queries, in whoosh")


def _nothing_lost(folder: LabFolder) -> str:
    from crawldb.figures.totals import urls_by_state
    from crawldb.tables.urls import State

    sheets, found = _sheets(folder)
    with folder.database() as database:
        states = urls_by_state(database)
    if left := states.get(State.QUEUED, 0) + states.get(State.LEASED, 0):
        raise Wrong(f"{counted(left, 'URL is', 'URLs are')} queued or leased: start the crawl once more, until it ends")
    if lost := sheets - set(found):
        raise Wrong(f"{len(lost)} of {len(sheets)} sheets are not in the index; the first is {min(lost)}.html")
    return f"all {len(sheets)} sheets are in the index once"


def _own_queries(folder: LabFolder) -> str:
    queries = _queries(folder, "queries.txt")
    if len({query.lower() for query, _ in queries}) != QUERIES or len(queries) != QUERIES:
        raise Wrong(f"queries.txt has {len(queries)} queries: {QUERIES} different ones are needed")
    printed = {query.lower() for query, _ in _queries(folder, "questions.txt")}
    if again := [query for query, _ in queries if query.lower() in printed]:
        raise Wrong(f"“{again[0]}” is a query of the lab: write your own")
    known = _pages_of_town(folder)
    for query, page in queries:
        if not any(url.endswith(page) for url in known):
            raise Wrong(f"town has no page whose URL ends with {page[:80]}, the page for “{query[:60]}”")
    ranks = _reciprocal_ranks(folder, queries, "town")
    return f"{sum(rank == 1 for rank in ranks)} of {len(ranks)} find their page first"


def _pages_of_town(folder: LabFolder) -> list[str]:
    from crawldb.figures.totals import filtered_pages

    with folder.database("town") as database:
        return [page.url for page in filtered_pages(database)]


def _means(folder: LabFolder) -> str:
    queries = _queries(folder, "queries.txt")
    names = ("baseline", "breadcrumb", "best")
    said = dict(zip(names, folder.numbers("mrr.txt", *names), strict=True))
    weights = folder.entries("mrr.txt", "weights")["weights"].replace(",", " ").split()
    try:
        weights_from(weights)
    except ValueError as error:
        raise Wrong(str(error)) from None
    measured = {name: _mean(folder, queries, given) for name, given in zip(names, (BASELINE, (), weights), strict=True)}
    for name in names:
        if abs(said[name] - measured[name]) > ROUNDED:
            raise Wrong(
                f"{name}: the mean reciprocal rank of your queries is {measured[name]:.3f}; you say {said[name]:g}"
            )
    if measured["best"] < measured["breadcrumb"]:
        raise Wrong(
            f"{' '.join(weights)} makes it worse: {measured['best']:.3f} instead of {measured['breadcrumb']:.3f}"
        )
    return ", ".join(f"{name} {measured[name]:.3f}" for name in names)


PREDICTIONS = {
    1: Prediction("pages lost and pages twice, two numbers", _lost),
    2: Prediction("pages that it keeps", _kept),
    3: Prediction("does one end the crawl before its time", _ended_by, YES_NO),
    5: Prediction("difference of the two means", _gain),
    6: Prediction("queries", _found_by_textbook),
}
HAND_INS = (
    HandIn("data", _nothing_lost),
    HandIn("queries.txt", _own_queries),
    HandIn("mrr.txt", _means),
    sentences("fault.txt"),
)
