"""What answers a question? The best pages, with the lines that show why, in the terminal."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

from commands.command import DONE, NO, Command, Trouble
from commands.terminal.columns import COLUMNS, hanging, spans_of_lines, wrapped
from commands.terminal.ink import Ink, ink, printable
from crawldb.moment import moment

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator

    from commands.settings import Settings
    from indexer.retrieval.results import Hit, Results
    from indexer.retrieval.snippet import Snippet

INDENT = 4  # columns for the number of a result


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("query", nargs="+", metavar="QUERY", help="words; “quoted ones” stand together")
    parser.add_argument("-n", type=int, default=10, metavar="N", help="results on a page (10)")
    parser.add_argument("--page", type=int, default=1, metavar="N", help="which page of results (1)")
    parser.add_argument("--site", default="", metavar="SITE", help="only pages of this site: bakery.localhost:8400")
    parser.add_argument("--lang", default="", metavar="LANG", help="only pages in this language: en, ko, ru …")
    parser.add_argument("--explain", action="store_true", help="what each score is made of")
    parser.add_argument("--json", action="store_true", help="one JSON object, as /api/search gives it")


def run(arguments: Namespace, settings: Settings) -> int:
    """Search, and print the results."""
    from commands.opened import open_searcher  # noqa: PLC0415 - late, so that --help is quick
    from indexer.gateway.answer import answer  # noqa: PLC0415 - the same
    from indexer.gateway.question import BadQuestion, read_question  # noqa: PLC0415 - the same

    try:
        question = read_question(
            {
                "q": " ".join(arguments.query), "n": str(arguments.n), "page": str(arguments.page),
                "site": arguments.site, "lang": arguments.lang,
            }
        )  # fmt: skip
    except BadQuestion as error:
        raise Trouble(str(error)) from error
    if question.is_empty:
        raise Trouble("QUERY is empty: give words to look for, such as rye bread")
    searcher = open_searcher(settings.data_dir)
    began = time.perf_counter()
    results = searcher.search(
        question.query, question.size, question.page, site=question.site, language=question.language
    )
    seconds = time.perf_counter() - began
    if arguments.json:
        print(json.dumps(answer(results, seconds), ensure_ascii=False))
    else:
        print(*_lines(results, seconds, ink(), explain=arguments.explain), sep="\n")
    return DONE if results.hits else NO


def _lines(results: Results, seconds: float, pen: Ink, *, explain: bool) -> Iterator[str]:
    as_of = moment(results.as_of)
    if not results.hits:
        yield f"Nothing found for {printable(results.query)} in the index as of {as_of}."
        yield "Other words may help; ./breadcrumb report tells what was crawled."
        return
    first, last = results.hits[0].rank, results.hits[-1].rank
    which = f"{first} to {last} of {results.total:,}" if results.total > 1 else "1 result"
    yield pen.dim(f"{which}, {seconds * 1000:.0f} ms, index as of {as_of}")
    for hit in results.hits:
        yield ""
        yield from _hit(hit, pen, explain=explain)


def _hit(hit: Hit, pen: Ink, *, explain: bool) -> Iterator[str]:
    title = wrapped(printable(hit.title) or "(without a title)", COLUMNS - INDENT)
    yield f"{hit.rank:>{INDENT - 2}}  {pen.bold(title[0])}"
    margin = " " * INDENT
    yield from (margin + pen.bold(line) for line in title[1:])
    yield margin + pen.link(printable(hit.url))
    yield from (margin + line for line in _snippet(hit.snippet, pen))
    if explain:
        for line in hit.explain().lines():
            text = line.lstrip()
            yield from map(pen.dim, hanging("", printable(text), 2 * INDENT + len(line) - len(text)))


def _snippet(snippet: Snippet, pen: Ink) -> Iterator[str]:
    """Break a snippet into lines, with the words that were found marked."""
    for begin, end in spans_of_lines(snippet.text, COLUMNS - INDENT):
        line, at = "", begin
        for start, stop in snippet.spans:
            start, stop = max(start, begin), min(stop, end)  # noqa: PLW2901 - a word may go on in the next line
            if start < stop:
                line += printable(snippet.text[at:start]) + pen.bold(printable(snippet.text[start:stop]))
                at = stop
        yield line + printable(snippet.text[at:end])


COMMAND = Command(
    name="search",
    summary="answer a question in the terminal",
    example="sourdough starter -n 5 --explain -s DATA_DIR=data/demo",
    exits="0 found, 1 nothing found, 2 it could not be searched",
    add_arguments=add_arguments,
    run=run,
)
