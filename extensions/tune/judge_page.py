"""`/admin/judge`: which results are right? A button at each one; the rows are queries for `tune --clicks`.

Only the operator gets here: `OperatorView` checks the session, and the token of each form. So a stranger can't mark his
own pages. Each form is a plain one: it works without a script, and ends in a redirect, so a reload repeats nothing.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from flask import Blueprint, Response, g, redirect, render_template, request

from extensions.tune.tables import mark_right, marked_results, remove_mark
from gateway.search_request import InvalidParameter, read_search_request, read_text
from gateway.served_crawl import served_crawl
from indexer.evaluation import JudgedPage, written
from indexer.query.deadline import Deadline

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from flask.typing import ResponseReturnValue

    from indexer.retrieval.results import Hit

PATH = "/admin/judge"
MARKS_SHOWN = 100  # the file has all
ACTIONS: Mapping[str, Callable[..., bool]] = {
    "right": lambda databases, query, url: mark_right(databases, query, url, time.time()),
    "remove": remove_mark,
}
judge_views = Blueprint("judge", __name__, template_folder="templates")


@judge_views.get(PATH)
def judge() -> str:
    """Show the results of `q` with a button at each, and all marked results."""
    question = read_search_request(request.args)
    crawl = served_crawl()
    marks = marked_results(crawl.read())
    hits: tuple[Hit, ...] = ()
    if question.query:
        deadline = Deadline(crawl.settings.search_timeout)
        hits = crawl.searcher.search(
            question.query, question.page_size, exact=question.exact, deadline=deadline, **question.narrowing
        ).hits
    return render_template(
        "operators/judge.html",
        question=question,
        hits=hits,
        right={each.url for each in marks if each.query == question.query},
        marks=marks[:MARKS_SHOWN],
        total=len(marks),
        queries=len({each.query for each in marks}),
        token=g.form_token,
    )


@judge_views.post(PATH)
def judge_result() -> ResponseReturnValue:
    """Mark a result as right for `q`, or remove the mark. 400: no such action, page or mark."""
    query, url = read_search_request(request.form).query, read_text(request.form, "url")
    action = ACTIONS.get(request.form.get("action", ""))
    if action is None or not query:
        raise InvalidParameter(f"an action has a query, a URL and a name: {' or '.join(ACTIONS)}")
    with served_crawl().open_to_write() as databases:
        if not action(databases, query, url):
            raise InvalidParameter(f"{url[:100]} is no stored page, or not marked for this query")
    return redirect(f"{PATH}?{urlencode({'q': query})}", 303)


@judge_views.get(f"{PATH}.tsv")
def marked_as_file() -> Response:
    """Return all marked results as a file of judged queries."""
    rows = written(JudgedPage(0, each.query, each.url) for each in marked_results(served_crawl().read()))
    response = Response(rows, mimetype="text/tab-separated-values")
    response.headers["Content-Disposition"] = 'attachment; filename="judged.tsv"'
    return response
