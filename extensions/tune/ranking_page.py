"""What if other weights counted? `/inside/ranking` compares the saved ranking with a tuned one and others' formulas.

    /inside/ranking?q=rye+bread&anchors=0&penalty=0.5

Each request has its own formula, so nobody else's results change. The view also shows the settings that save a tuned
ranking, and rates it by judged queries.

A slider starts at the saved value. Its range doubles where that value is beyond its usual end. Its step is chosen so
that the value lies on a step: otherwise a browser would move it.
"""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from flask import Blueprint, Response, jsonify, make_response, render_template, request

from extension_points import ApiDescription, added_weights, call_extensions
from extensions.tune import compared_rankings
from extensions.tune.compared_rankings import LOOKED_AT, compare_rankings, moved_hits
from gateway.json_schemas import TEXT, TEXTS, json_view, open_object, parameter
from gateway.search_request import MAX_QUERY, InvalidParameter, read_search_request
from gateway.served_crawl import served_crawl
from gateway.source_files import source_files_of
from gateway.template_filters import public_error
from indexer import evaluation
from indexer.evaluation import ndcg
from indexer.faults import IndexFault
from indexer.libraries import ComparedQuery, FormulaColumns
from indexer.query.deadline import Deadline
from indexer.ranking import score, weights
from indexer.ranking.weights import MIN_HALF, NAMES, Formula, changes_in, weights_from
from indexer.retrieval.corpus import UnreadablePart
from indexer.retrieval.results import late_sentence

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from extensions.tune.compared_rankings import MovedHit, RankingComparison
    from gateway.search_request import SearchRequest
    from gateway.served_crawl import ServedCrawl
    from indexer.libraries import IndexLibrary
    from indexer.ranking.demotion import Penalty
    from indexer.retrieval.results import Hit
    from indexer.retrieval.searcher import Searcher


MAX_NUMBER = 30  # characters; a float is written in fewer
PENALTY = "penalty"  # the slider of SPOOF_PENALTY; the others have the names of their weights
_STEPS = (0.1, 0.05, 0.01)
_GROUPS: Mapping[str, Mapping[str, tuple[str, float, float]]] = {  # name: (label, from, to)
    "Text": {
        "body": ("main text", 0, 5),
        "headings": ("headings", 0, 5),
        "title_said": ("title, as part of the text", 0, 5),
        "description": ("description", 0, 5),
        "reading": ("Japanese reading", 0, 5),
        "spoken": ("cap for a Japanese reading", 0, 5),
        "template": ("menus, header, footer", 0, 5),
    },
    "Names": {
        "title": ("title", 0, 5),
        "anchors": ("link texts", 0, 5),
        "url_words": ("words of the URL", 0, 5),
        "name": ("cap for a name", 0, 5),
        "sentence_name": ("the same for a query that is a sentence", 0, 5),
    },
    "Saturation (k1): frequency for half of the cap": {
        "said": ("text", MIN_HALF, 5),
        "sentence_said": ("the same for a query that is a sentence", MIN_HALF, 5),
        "called": ("names", MIN_HALF, 5),
    },
    "Proximity": {
        "near_text": ("in the text", 0, 5),
        "near_name": ("in title, link texts, URL", 0, 5),
        "near": ("proximity for half of the cap", MIN_HALF, 5),
    },
    "Best section of a page": {
        "section": ("the section", 0, 5),
        "section_name": ("cap for its heading", 0, 5),
    },
    "Page": {
        "pagerank": ("PageRank", 0, 2),
        "entrance": ("home page of a site in the query", 0, 5),
        "all_words": ("has all terms", 0, 2),
        "link_text": ("links whose text is the query", 0, 2),
        "other_form": ("another form of a word (the word itself is 1)", 0, 2),
        "sentence_form": ("the same for a query that is a sentence", 0, 2),
        "language": ("language of the query", 0, 2),
        PENALTY: ("penalty for a spoofing signal", 0, 1),
    },
    "Length normalization (b)": {
        "body_length": ("main text", 0, 1),
        "headings_length": ("headings", 0, 1),
        "title_length": ("title", 0, 1),
        "anchors_length": ("link texts", 0, 1),
        "url_words_length": ("URL", 0, 1),
        "description_length": ("description", 0, 1),
        "reading_length": ("Japanese reading", 0, 1),
        "template_length": ("menus, header, footer", 0, 1),
        "section_length": ("section and its heading", 0, 1),
    },
}


@dataclass(frozen=True, slots=True)
class Slider:
    """One number of the ranking: its range, its value, and the saved value."""

    name: str
    meaning: str
    least: float
    most: float
    step: str
    value: float
    saved: float


@dataclass(frozen=True, slots=True)
class SliderGroup:
    """A group of sliders."""

    title: str
    sliders: tuple[Slider, ...]

    @property
    def is_changed(self) -> bool:
        """Whether one of them differs from the saved ranking."""
        return any(each.value != each.saved for each in self.sliders)


def tuned_formula(saved: Formula, parameters: Mapping[str, str]) -> Formula:
    """Return the saved formula with the changes in `parameters`. Raises InvalidParameter for an impossible number."""
    given = [f"{name}={parameters[name].strip()[:MAX_NUMBER]}" for name in NAMES if parameters.get(name, "").strip()]
    try:
        weights = weights_from([*changes_in(saved.weights), *given])
    except ValueError as error:
        raise InvalidParameter(str(error)) from None
    return replace(saved, weights=weights, penalty=_penalty(saved.penalty, parameters.get(PENALTY, "").strip()))


def _penalty(saved: Penalty, text: str) -> Penalty:
    if not text:
        return saved
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise InvalidParameter(f"{PENALTY}={text[:MAX_NUMBER]}: give a share of the score from 0 to 1")
    return replace(saved, share=share)


def slider_groups(saved: Formula, tuned: Formula) -> tuple[SliderGroup, ...]:
    """Return all sliders, including those of extensions that add to scores."""
    contributors = {each.name for each in saved.contributors}
    groups = dict(_GROUPS) | {
        each.name.capitalize(): {each.name: (each.label, 0, each.most)}
        for each in added_weights()
        if each.name in contributors
    }
    return tuple(
        SliderGroup(title, tuple(_slider(name, *range_, saved, tuned) for name, range_ in some.items()))
        for title, some in groups.items()
    )


def _slider(name: str, meaning: str, least: float, most: float, saved: Formula, tuned: Formula) -> Slider:
    before, now = _number(saved, name), _number(tuned, name)
    while most < max(before, now):
        most *= 2
    least = min(least, before, now)
    step = next((each for each in _STEPS if all(_is_on(value, each, least) for value in (before, now))), None)
    return Slider(name, meaning, least, most, f"{step:g}" if step else "any", now, before)


def _is_on(value: float, step: float, least: float) -> bool:
    steps = (value - least) / step
    return abs(steps - round(steps)) < 1e-6  # noqa: PLR2004 - the error of a division


def _number(formula: Formula, name: str) -> float:
    return formula.penalty.share if name == PENALTY else float(getattr(formula.weights, name))


def changes(saved: Formula, tuned: Formula) -> dict[str, str]:
    """Return the parameters that change the saved formula into the tuned one."""
    sliders = (each for group in slider_groups(saved, tuned) for each in group.sliders)
    return {each.name: f"{each.value!r}".removesuffix(".0") for each in sliders if each.value != each.saved}


def settings_for(saved: Formula, tuned: Formula) -> Iterator[str]:
    """Yield the settings, as NAME=VALUE, that save the tuned formula."""
    if tuned.weights != saved.weights:
        yield f"RANKING={','.join(changes_in(tuned.weights))}"
    if tuned.penalty != saved.penalty:
        yield f"SPOOF_PENALTY={tuned.penalty.share!r}".removesuffix(".0")


QUERIES_SHOWN = 30  # judged queries with the greatest changes of nDCG

IN_CLUSTER = "There are no columns of {0}: the index is in OpenSearch, and {0}'s formulas need an index in a folder."
NARROWED = "There are no columns of {}: they rank the whole index. Remove the site and language to see them."

ranking_view = Blueprint(
    "inside_ranking", __name__, template_folder="templates", static_folder="static", static_url_path="/static/tune"
)


@dataclass(frozen=True, slots=True)
class ComparedRankings:
    """The first results by the saved ranking, by the tuned one and by the formulas of libraries.

    `grades` are those of the query if it is judged; `notice` names what there was no time for.
    """

    saved: list[MovedHit]
    tuned: list[MovedHit]
    total: int
    saved_ends: bool  # the list has all results of the saved ranking
    tuned_ends: bool
    by_libraries: list[tuple[IndexLibrary, FormulaColumns]]
    grades: Mapping[str, int] | None
    notice: str

    @property
    def has_columns(self) -> bool:
        """Whether a library has ranked the pages too."""
        return any(found.columns for _, found in self.by_libraries)

    @property
    def is_same(self) -> bool:
        """Whether both rankings have the same results in the same order."""
        return [each.hit.url for each in self.saved] == [each.hit.url for each in self.tuned]

    def ndcg(self, hits: list[MovedHit]) -> float | None:
        """Return the nDCG@10 of a list; None for a query without judgements."""
        return None if self.grades is None else ndcg([each.hit.url for each in hits], self.grades)


@ranking_view.get("/inside/ranking")
def inside_ranking() -> Response:
    """Show the results of `q` by the saved ranking, the tuned one and others' formulas; also as `format=json`."""
    crawl = served_crawl()
    question = read_search_request(request.args)
    saved = crawl.settings.formula
    tuned = tuned_formula(saved, request.args)
    changed = changes(saved, tuned)
    searcher, seconds = crawl.searcher, crawl.settings.search_timeout
    other = searcher.ranked_by(tuned)
    judged = crawl.settings.judgements
    libraries: list[IndexLibrary] = call_extensions("index_libraries")
    lists = _lists(crawl, other, question, libraries, Deadline(seconds)) if not question.is_empty else None
    verdict = compare_rankings(searcher, other, judged, Deadline(seconds)) if judged and changed else None
    if request.args.get("format") == "json":
        found = _as_dict(lists, libraries, verdict)
        return jsonify(query=question.query, changed=changed, kept_by=list(settings_for(saved, tuned)), **found)
    page = render_template(
        "inside/ranking.html",
        question=question,
        max_query=MAX_QUERY,
        groups=slider_groups(saved, tuned),
        changed=changed,
        changes=urlencode(changed),
        kept_by=tuple(settings_for(saved, tuned)),
        lists=lists,
        looked_at=LOOKED_AT,
        judged=judged,
        verdict=verdict,
        queries_shown=QUERIES_SHOWN,
        sources=source_files_of(
            score, weights, evaluation, compared_rankings, *(sys.modules[each.rank.__module__] for each in libraries)
        ),
    )
    return make_response(page)


def _lists(
    crawl: ServedCrawl,
    other: Searcher,
    question: SearchRequest,
    libraries: Sequence[IndexLibrary],
    deadline: Deadline,
) -> ComparedRankings:
    total, before = _found(crawl.searcher, question, deadline)
    _, after = _found(other, question, deadline)
    saved, tuned = moved_hits(before, after), moved_hits(after, before)
    most = LOOKED_AT
    grades = next((judged.grades for judged in crawl.settings.judgements if judged.text == question.query), None)
    compared = ComparedQuery(question.query, [hit.url for hit in before], grades, deadline)
    columns = [(library, _columns(crawl, library, question, compared)) for library in libraries]
    ends = len(before) < most, len(after) < most
    return ComparedRankings(saved, tuned, total, *ends, columns, grades, late_sentence(deadline))


def _columns(
    crawl: ServedCrawl, library: IndexLibrary, question: SearchRequest, compared: ComparedQuery
) -> FormulaColumns:
    """Return the columns of a library's formulas, or the reason for none."""
    if crawl.searcher.elsewhere:
        return FormulaColumns(missing=IN_CLUSTER.format(library.name))
    if question.narrowed:
        return FormulaColumns(missing=NARROWED.format(library.name))
    try:
        return library.rank(crawl.index_for(library), compared)
    except (IndexFault, UnreadablePart) as fault:
        return FormulaColumns(missing=f"There are no columns of {library.name}: {public_error(str(fault))}")


def _found(searcher: Searcher, question: SearchRequest, deadline: Deadline) -> tuple[int, tuple[Hit, ...]]:
    results = searcher.search(
        question.query,
        LOOKED_AT,
        site=question.site,
        language=question.language,
        exact=question.exact,
        deadline=deadline,
    )
    return results.total, results.hits


def _as_dict(
    lists: ComparedRankings | None, libraries: Sequence[IndexLibrary], verdict: RankingComparison | None
) -> dict[str, Any]:
    """Return the lists and the judged queries for JSON; None for what is missing."""
    found: dict[str, Any] = {"total": None, "saved": None, "turned": None, "notice": "", "judged": None}
    found |= dict.fromkeys(library.key for library in libraries)
    if lists:
        found |= {"total": lists.total, "notice": lists.notice}
        found |= {library.key: asdict(columns) for library, columns in lists.by_libraries}
        found |= {name: _list_as_dict(lists, hits) for name, hits in (("saved", lists.saved), ("turned", lists.tuned))}
    if verdict:
        found["judged"] = {
            "questions": len(verdict.queries),
            "left_out": verdict.left_out,
            "before": verdict.before,
            "after": verdict.after,
        }
    return found


def _list_as_dict(lists: ComparedRankings, hits: list[MovedHit]) -> dict[str, Any]:
    pages = [
        {
            "url": each.hit.url,
            "title": each.hit.title,
            "place": each.place,
            "score": each.hit.score,
            "other": each.other,
        }
        for each in hits
    ]
    return {"pages": pages, "ndcg": lists.ndcg(hits)}


def ranking_description() -> ApiDescription:
    """Describe the JSON of the view."""
    query = parameter("q", "A query.", TEXT | {"maxLength": MAX_QUERY})
    path = json_view("ranking", "Compare rankings; each weight is a parameter, too.", [query])
    schema = open_object({"query": TEXT, "changed": {"type": "object"}, "kept_by": TEXTS})
    return ApiDescription({"/inside/ranking": path}, {"Ranking": schema})
