"""Lab 6: can the student say where each number of a score comes from, and what a weight does to two queries?"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from extensions.course.grading.grade import HandIn
from extensions.course.grading.lab_folder import LabFolder, Missing, Wrong, last_name, number_in, page_name, urls
from extensions.course.grading.predictions import YES_NO, Measured, Prediction
from indexer.ranking.score import ScorePart
from indexer.ranking.weights import Formula, weights_from
from urls.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indexer.retrieval.results import Hit

NOTES = ("rye", "night", "sourdough")
FIELDS = ("anchors", "body", "description", "headings", "template", "title", "url_words")
ORDERS = ("rye", "flour")
BEST = 3  # pages whose postings are written by hand
DIGITS = 0.006  # a figure that was rounded to two digits


def _postings(folder: LabFolder, word: str) -> dict[str, list[int]]:
    found = {}
    for name in NOTES:
        words = re.findall(r"[a-z]+", folder.text(f"notes/{name}").lower())
        if places := [place for place, each in enumerate(words, 1) if each == word]:
            found[name] = places
    return found


def _keeps(folder: LabFolder) -> Measured:
    found = _postings(folder, "keeps")
    postings = sum(map(len, found.values()))
    return Measured((float(len(found)), float(postings)), f"pages and postings of keeps in notes: {found}")


def _rye_bread(folder: LabFolder) -> Measured:
    rye, bread = _postings(folder, "rye"), _postings(folder, "bread")
    pages = tuple(name for name in rye if any(place + 1 in bread.get(name, ()) for place in rye[name]))
    return Measured(pages, "bread stands one place after rye")


def _hits(folder: LabFolder, query: str, weights: tuple[str, ...] = (), most: int = 50) -> tuple[Hit, ...]:
    return folder.index(formula=Formula(weights_from(weights))).search(query, most).hits


def _parts(hit: Hit, term: str = "") -> list[ScorePart]:
    return [part for part in hit.explain().parts if isinstance(part, ScorePart) and term in {"", part.term}]


def _heavier(folder: LabFolder) -> Measured:
    idf = {}
    for word in ("sourdough", "bread"):
        parts = [part for hit in _hits(folder, word) for part in _parts(hit, word)]
        if not parts:
            raise Missing(f"no page of your crawl has {word}: crawl the bakery")
        idf[word] = parts[0].idf
    return Measured((max(idf, key=lambda word: idf[word]),), f"idf in your index: {_rounded(idf)}")


def _rounded(numbers: dict[str, float]) -> str:
    return ", ".join(f"{name} {number:.3f}" for name, number in numbers.items())


def _best_fields(folder: LabFolder) -> Measured:
    hits = _hits(folder, "sourdough", most=1)
    if not hits:
        raise Missing("no page of your crawl has sourdough: crawl the bakery")
    fields = {part.field for part in _parts(hits[0], "sourdough")}
    return Measured(tuple(name for name in FIELDS if name in fields), f"parts of the score of {hits[0].url}")


def _nearer(folder: LabFolder) -> Measured:
    gained = {}
    for query in ("rye flour", "flour rye"):
        hit = next((each for each in _hits(folder, query) if "grandmother" in each.url), None)
        parts = [part for part in hit.explain().parts if part.term == query] if hit else []
        if not parts:
            raise Missing(f"no page of your crawl has “{query}” close together: crawl the bakery")
        gained[query] = sum(part.value for part in parts)
    best = max(gained, key=lambda query: gained[query])
    return Measured((best.partition(" ")[0],), f"for being together: {_rounded(gained)}")


def _home_page(folder: LabFolder) -> Measured:
    found = [page_name(url) for url in urls(folder.index(), "bakery")]
    rank = next((rank for rank, name in enumerate(found, 1) if name == "home"), 0)
    return Measured((float(rank),), f"results for bakery: {', '.join(found[:3])}")


def _whole_question(folder: LabFolder) -> Measured:
    found = urls(folder.index("textbook"), "where is the oven")
    return Measured(("yes" if found else "no",), f"{counted(len(found), 'result')} in textbook")


def _missed(folder: LabFolder) -> Measured:
    from decimal import Decimal

    apart = {
        sum(Decimal(str(part.value)) for part in hit.explain().parts) - Decimal(str(hit.score))
        for hit in _hits(folder, "rye bread at the river")
    }
    return Measured((max(map(float, map(abs, apart)), default=0.0),), "the sum of the parts less the score")


def _found_by(folder: LabFolder, query: str) -> dict[str, Hit]:
    """Return the results by name; of two with one name, the better one."""
    found: dict[str, Hit] = {}
    for hit in _hits(folder, query):
        found.setdefault(last_name(hit.url), hit)
    return found


def _counted_by_hand(folder: LabFolder) -> str:
    query = folder.entries("postings.txt", "query")["query"]
    words = query.lower().split()
    if len(words) != 2:  # noqa: PLR2004 - the lab asks for two
        raise Wrong(f"postings.txt: the query “{query[:60]}” has {counted(len(words), 'word')}; take two")
    best = dict(list(_found_by(folder, query).items())[:BEST])
    if len(best) < BEST:
        raise Wrong(
            f"{counted(len(best), 'page matches', 'pages match')} “{query}”: take a query with {BEST} results or more"
        )
    written = dict(_written(folder))
    for page, hit in best.items():
        for word in words:
            part = next((part for part in _parts(hit, word) if part.field == "body"), None)
            right = {part.frequency, part.frequency - part.other_forms} if part else {0}
            if (word, page) not in written:
                raise Missing(f"postings.txt has no line “{word} {page} NUMBER”, and {page} is result {hit.rank}")
            if written[word, page] not in right:
                counts = " or ".join(map(str, sorted(right)))
                raise Wrong(f"{page} has {word} so often in its text: {counts}; you say {written[word, page]:g}")
    return f"{', '.join(best)}: as often as you say"


def _written(folder: LabFolder) -> Iterator[tuple[tuple[str, str], float]]:
    for line in folder.lines("postings.txt"):
        if not line.lower().startswith("query:"):
            words = line.split()
            if len(words) != 3:  # noqa: PLR2004 - word, page, number
                raise Wrong(f"postings.txt: “{line[:60]}” is not a word, a page and a number")
            yield (words[0].lower(), words[1].lower()), number_in("a line of postings.txt", words[2])


def _part_by_pencil(folder: LabFolder) -> str:
    said = folder.entries("part.txt", "query", "page", "term", "field", "idf", "saturation", "value")
    hit = _found_by(folder, said["query"]).get(said["page"].lower())
    if hit is None:
        raise Wrong(f"{said['page']} is no result for “{said['query'][:60]}”")
    parts = [part for part in _parts(hit, said["term"].lower()) if part.field == said["field"].lower()]
    if not parts:
        fields = ", ".join(f"{part.term} in {part.field}" for part in _parts(hit))
        raise Wrong(f"{said['page']} has no part {said['term']} in {said['field']}; its parts are {fields}")
    faults = [_fault(part, said) for part in parts]  # a title counts twice: as a sentence, and as a name
    if all(faults):
        raise Wrong(faults[0])
    return str(parts[faults.index("")])


def _fault(part: ScorePart, said: dict[str, str]) -> str:
    for name, number in (("idf", part.idf), ("saturation", part.saturation), ("value", part.value)):
        if abs(number_in(f"the line “{name}” of part.txt", said[name]) - number) > DIGITS:
            return f"its {name} is {number:.3f}; you say {said[name]}"
    return ""


def _weight(folder: LabFolder) -> str:
    said = folder.entries("weight.txt", "weight", "better", "worse")
    try:
        weights = (said["weight"],)
        weights_from(weights)
    except ValueError as error:
        raise Wrong(str(error)) from None
    moved = []
    for name, sign in (("better", 1), ("worse", -1)):
        query, _, page = (word.strip() for word in said[name].partition("|"))
        before, after = (_rank(folder, query, page, given) for given in ((), weights))
        if sign * (before - after) <= 0:
            raise Wrong(f"with {said['weight']}, “{query}” does not get {name}: {page} was {before}, and is {after}")
        moved.append(f"“{query}” {name}: {page} from {before} to {after}")
    return "; ".join(moved)


def _rank(folder: LabFolder, query: str, page: str, weights: tuple[str, ...]) -> int:
    found = [last_name(hit.url) for hit in _hits(folder, query, weights)]
    if page.lower() not in found:
        if not page:
            raise Wrong(f"“{query[:60]}” has no page: write query | page")
        raise Wrong(f"with {' '.join(weights) or 'no weight'}, {page} is no result for “{query[:60]}”")
    return found.index(page.lower()) + 1


PREDICTIONS = {
    1: Prediction("pages and postings, two numbers", _keeps),
    2: Prediction("the page", _rye_bread, NOTES),
    3: Prediction("the word that weighs more", _heavier, ("sourdough", "bread")),
    5: Prediction("fields", _best_fields, FIELDS),
    6: Prediction("the first word of the better order", _nearer, ORDERS),
    7: Prediction("its rank", _home_page),
    8: Prediction("does it find a page for the whole query", _whole_question, YES_NO),
    9: Prediction("by how much", _missed),
}
HAND_INS = (
    HandIn("postings.txt", _counted_by_hand),
    HandIn("part.txt", _part_by_pencil),
    HandIn("weight.txt", _weight),
)
