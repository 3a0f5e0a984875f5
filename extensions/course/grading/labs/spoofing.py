"""Lab 5: a page that cheats and is not caught, and the honest one that a rule against it would hurt."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from extensions.course.grading.grade import HandIn
from extensions.course.grading.lab_folder import LabFolder, Missing, Wrong, number_in, numbers_in, page_name, urls
from extensions.course.grading.predictions import YES_NO, Measured, Prediction
from indexer.ranking.demotion import Penalty
from indexer.ranking.score import ScorePart
from indexer.ranking.weights import Formula, weights_from
from pages.content.similarity import resemblance
from urls.signals import SignalName
from urls.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from indexer.retrieval.results import Hit
    from urls.signals import Signal

PAGES = ("article", "care", "stuffed", "hidden", "away", "song", "rowing")
HONEST = ("article", "care")
CHEATS = ("stuffed", "hidden", "away")
SEXTANT, ROW = "sextant", "row boat"
WORDS_OF_ALL = (SEXTANT, "boat", "pears")
MAX_RESEMBLANCE = 0.45  # of a page of the student's own to an honest one
TEXT_COUNT = re.compile(r"\bw (\d+)")  # how Whoosh's part of a score names the frequency
RULE_WORDS = 5


def _order(
    folder: LabFolder, query: str, data: str = "data", signals: Iterable[SignalName] | None = None, share: float = 0.99
) -> list[str]:
    penalty = Penalty(share=share) if signals is None else Penalty(frozenset(signals), share)
    index = folder.index(data, Formula(weights_from([]), penalty))
    return [page_name(url) for url in urls(index, query)]


def _of_the_lab(order: list[str]) -> list[str]:
    return [page for page in order if page in PAGES]  # and not the student's own


def _first(folder: LabFolder, query: str, label: str, **ranking: object) -> Measured:
    found = _of_the_lab(_order(folder, query, **ranking))  # type: ignore[arg-type]  # as _order has it
    if not found:
        raise Missing(f"no page of your crawl matches {query}: crawl the site of the lab")
    return Measured((found[0],), f"{label}: {', '.join(found)}")


def _shouting_count(folder: LabFolder) -> Measured:
    index = folder.index("textbook")
    for hit in index.search(SEXTANT, 100).hits:
        if page_name(hit.url) == "hidden":
            counts = [int(found[1]) for part in hit.explain().parts if (found := TEXT_COUNT.search(str(part)))]
            return Measured(
                (float(max(counts)),), "sextant in the text of hidden.html, as the textbook engine reads it"
            )
    raise Missing("textbook has no page hidden.html")


def _dropped(folder: LabFolder) -> Measured:
    before, after = (_all_pages(folder, data) for data in ("textbook", "exchanged"))
    return Measured(tuple(page for page in PAGES if page in before - after), "in textbook, and not in exchanged")


def _all_pages(folder: LabFolder, data: str) -> set[str]:
    return {page for word in WORDS_OF_ALL for page in _order(folder, word, data)}


def _counted(folder: LabFolder) -> Measured:
    for hit in folder.index().search(SEXTANT, 100).hits:
        if page_name(hit.url) == "hidden":
            counts = [part.frequency for part in _parts(hit) if (part.term, part.field) == (SEXTANT, "body")]
            return Measured((float(sum(counts)),), "sextant in the body of hidden.html, by your crawl")
    raise Missing("your crawl has no page hidden.html")


def _parts(hit: Hit) -> list[ScorePart]:
    return [part for part in hit.explain().parts if isinstance(part, ScorePart)]


def _honest_first(folder: LabFolder) -> Measured:
    found = _of_the_lab(_order(folder, SEXTANT))
    return Measured(tuple(found[:2]), f"for {SEXTANT}, with all signals: {', '.join(found)}")


def _with_small_penalty(folder: LabFolder) -> Measured:
    found = _of_the_lab(_order(folder, ROW, share=0.2))
    return Measured(("yes" if found[:1] == ["song"] else "no",), f"for {ROW}, with 0.2: {', '.join(found)}")


def _signals(folder: LabFolder, name: str) -> tuple[Signal, ...]:
    from crawldb.figures.totals import filtered_pages
    from reports.why.gather import url_record

    with folder.database() as database:
        url = next((page.url for page in filtered_pages(database) if page_name(page.url) == name), None)
        record = url_record(database, url) if url else None
    if record is None or record.page is None:
        raise Missing(f"your crawl has no page {name}.html: put it into site, link to it, and crawl again")
    if not record.page.indexed:
        raise Wrong(f"{name}.html is not in the index: {record.advice}")
    return record.page.signals


def _check_no_copy(folder: LabFolder, own: str, others: Iterable[str]) -> None:
    text = folder.text(f"site/{own}.html")
    for name in others:
        if (alike := resemblance(text, folder.text(f"site/{name}.html"))) >= MAX_RESEMBLANCE:
            raise Wrong(f"{own}.html is a copy of {name}.html: their resemblance is {alike:.2f}")


def _uncaught_cheat(folder: LabFolder) -> str:
    _check_no_copy(folder, "mine", HONEST)
    if signals := _signals(folder, "mine"):
        raise Wrong(f"mine.html is caught: {signals[0]}")
    order = _order(folder, SEXTANT)
    if "mine" not in order:
        raise Wrong(f"mine.html is no result for {SEXTANT}")
    if ahead := [name for name in HONEST if name in order[: order.index("mine")]]:
        raise Wrong(f"mine.html gains too little: for {SEXTANT}, it is behind {' and '.join(ahead)}")
    return f"no signal, and result {order.index('mine') + 1} for {SEXTANT}, before {' and '.join(HONEST)}"


def _score(folder: LabFolder) -> str:
    said = number_in("score.txt", folder.text("score.txt"))
    score = next((hit.score for hit in folder.index().search(SEXTANT, 100).hits if page_name(hit.url) == "mine"), None)
    if score is None:
        raise Wrong(f"mine.html is no result for {SEXTANT}, so it has no score")
    if abs(score - said) > 0.01:  # noqa: PLR2004 - search shows more digits than a person copies
        raise Wrong(f"its score for {SEXTANT} is {score:.4f}; you say {said:g}")
    return f"its score is {score:.4f}"


def _rule(folder: LabFolder) -> str:
    text = " ".join(folder.lines("rule.txt"))
    if not numbers_in(text):
        raise Wrong("rule.txt has no number: from how many, or from what share on, is a page caught?")
    if (words := len(text.split())) < RULE_WORDS:
        raise Wrong(f"rule.txt has {counted(words, 'word')}: write a sentence")
    return f"“{text[:100]}”, for your teacher"


def _hurt(folder: LabFolder) -> str:
    _check_no_copy(folder, "honest", ("mine", *HONEST, *CHEATS))
    if signals := _signals(folder, "honest"):
        raise Wrong(f"a signal of today hurts honest.html already, so it shows nothing of your rule: {signals[0]}")
    return "it is in the index without a signal; a person judges whether your rule hurts it"


STUFFING = (SignalName.STUFFING,)
PREDICTIONS = {
    1: Prediction("how often hidden.html has the word", _shouting_count),
    2: Prediction("pages", _dropped, PAGES),
    3: Prediction("the first page", lambda f: _first(f, SEXTANT, "no signal counts", signals=()), PAGES),
    4: Prediction("how many it counted", _counted),
    5: Prediction("the first page", lambda f: _first(f, SEXTANT, "stuffing alone", signals=STUFFING), PAGES),
    6: Prediction("the first two pages", _honest_first, PAGES, ordered=True),
    7: Prediction("the page that Breadcrumb puts first", lambda f: _first(f, ROW, f"for {ROW}"), PAGES),
    8: Prediction("is the song first again", _with_small_penalty, YES_NO),
}
HAND_INS = (
    HandIn("site/mine.html", _uncaught_cheat),
    HandIn("score.txt", _score),
    HandIn("rule.txt", _rule, read_by_a_person=True),
    HandIn("site/honest.html", _hurt, read_by_a_person=True),
)
