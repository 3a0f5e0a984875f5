"""`search`: prints the best pages for a query, each with a snippet."""

from __future__ import annotations

import shlex
import sqlite3
from contextlib import suppress
from typing import TYPE_CHECKING

from commands.frame.command import Command
from commands.frame.exits import DONE, NO, CommandError
from commands.frame.terminal import (
    Style,
    columns,
    hanging,
    indented,
    json_line,
    pasteable,
    printable,
    spans_of_lines,
    terminal_style,
    wrapped,
)
from extension_points import call_extensions
from indexer.query.deadline import Deadline
from indexer.ranking.score import parts_in_words
from reports.wording import calendar_day, counted, moment, sentence

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator

    from commands.frame.command_settings import CommandSettings
    from extension_points import SearchableCollection
    from indexer.retrieval.results import Hit, Results
    from indexer.snippets.sentences import Snippet

INDENT = 4  # columns for the number of a result
PAGES = "pages"  # the value of --in
OF_PAGES = ("lang", "similar", "exact")  # options that have no meaning for anything else


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "query",
        nargs="+",
        metavar="QUERY",
        help="words; “quoted words” are a phrase; docs/gateway.md lists the operators",
    )
    parser.add_argument("-n", type=int, default=10, metavar="N", help="results on a page (10)")
    parser.add_argument("--page", type=int, default=1, metavar="N", help="which page of results (1)")
    parser.add_argument("--site", default="", metavar="SITE", help="only pages of this site: bakery.localhost:8400")
    parser.add_argument("--lang", default="", metavar="LANG", help="only pages in this language: en, ko, ru …")
    parser.add_argument("--similar", default="", metavar="URL", help="only near copies of this result")
    parser.add_argument(
        "--exact", action="store_true", help="search for the words as typed, without spelling correction"
    )
    collections = call_extensions("searchable_collections")
    others = "".join(f", or the {each.label}" for each in collections)
    parser.add_argument(
        "--in",
        default=PAGES,
        choices=(PAGES, *(each.name for each in collections)),
        dest="within",
        help=f"what is searched: pages{others}; docs/commands.md has the operators for these",
    )
    for option, meaning in (option for each in collections for option in each.options.items()):
        parser.add_argument(f"--{option}", action="store_true", help=meaning)
    parser.add_argument("--explain", action="store_true", help="show the parts of each score")
    parser.add_argument("--json", action="store_true", help="print one JSON object, like /api/search")


def run(arguments: Namespace, settings: CommandSettings) -> int:
    """Search, and print the results."""
    from commands.frame.data_folder import formula_under, open_searcher
    from gateway.search_request import InvalidParameter, read_search_request, timed_search
    from indexer.retrieval.results import results_as_dict

    try:
        words = {"q": " ".join(arguments.query), "n": str(arguments.n), "page": str(arguments.page)}
        words |= {"exact": "1"} if arguments.exact else {}
        narrowed = {"site": arguments.site, "lang": arguments.lang, "similar": arguments.similar}
        question = read_search_request(words | narrowed)
    except InvalidParameter as error:
        raise CommandError(str(error)) from error
    if question.is_empty:
        raise CommandError("QUERY is empty: give some words, such as rye bread")
    if (collection := _collection(arguments)) is not None:
        return collection.search(arguments, question, settings)
    _tell_of_open_work(settings)
    searcher = open_searcher(
        settings.data_dir, formula_under(settings), link_only=settings.getbool("LINK_ONLY_RESULTS")
    )
    results, seconds = timed_search(searcher, question, Deadline(settings.getfloat("SEARCH_TIMEOUT")))
    if arguments.json:
        print(json_line(results_as_dict(results, seconds, pasteable)))
    else:
        print(*_lines(results, searcher.documents, seconds, terminal_style(), arguments), sep="\n")
    return DONE if results.hits else NO


def _collection(arguments: Namespace) -> SearchableCollection | None:
    """Return the collection to search; None for pages. Raises `CommandError` for an option of another collection."""
    chosen: SearchableCollection | None = None
    for collection in call_extensions("searchable_collections"):
        if arguments.within == collection.name:
            chosen = collection
            continue
        for option in collection.options:
            if getattr(arguments, option.replace("-", "_")):
                raise CommandError(f"--{option} is about {collection.label}: give --in {collection.name} with it")
    for option in OF_PAGES if chosen else ():
        if getattr(arguments, option):
            raise CommandError(f"--{option} is about pages: leave it out, or --in {arguments.within}")
    return chosen


def _tell_of_open_work(settings: CommandSettings) -> None:
    from commands.frame.data_folder import open_to_read
    from commands.frame.follow_up import warn_of_stopped_work
    from crawldb.database import DatabaseError
    from crawldb.folders import holds_a_crawl

    if holds_a_crawl(settings.data_dir):
        with suppress(DatabaseError, sqlite3.Error), open_to_read(settings.data_dir) as databases:
            warn_of_stopped_work(databases)


def _lines(results: Results, documents: int, seconds: float, style: Style, asked: Namespace) -> Iterator[str]:
    as_of = moment(results.as_of)
    for part in results.parts:
        if part.fault:
            yield from hanging("", printable(pasteable(str(part))), 0)
    if results.understood:
        yield from map(style.dim, wrapped(printable(results.understood), columns()))
    if results.address:
        yield from map(
            style.dim, wrapped(pasteable(f"./breadcrumb why {printable(shlex.quote(results.address))}"), columns())
        )
    if results.notice:
        yield from hanging("", printable(results.notice), 0)
    if results.spelling:
        exactly = " To search for the words as typed, give --exact." if results.spelling.applied else ""
        yield from hanging("", printable(f"{results.spelling}{exactly}"), 0)
    if not results.hits:
        yield from _nothing(results, documents, as_of, asked.similar)
        return
    first, last = results.hits[0].rank, results.hits[-1].rank
    which = f"{first} to {last} of {results.total:,}" if results.total > 1 else "1 result"
    which += f" and {counted(results.folded, 'similar page')} under them" if results.folded else ""
    yield from map(style.dim, wrapped(f"{which}, {seconds * 1000:.0f} ms, index as of {as_of}", columns()))
    for hit in results.hits:
        yield ""
        yield from _hit(hit, style, explain=asked.explain)
    if asked.explain:
        said = parts_in_words(hit.explain() for hit in results.hits)
        yield from ("", *map(style.dim, wrapped(said, columns())))


def _nothing(results: Results, documents: int, as_of: str, similar: str) -> Iterator[str]:
    """Yield why there are no results, and what may help."""
    if results.total:
        found = counted(results.total, "page")
        yield f"There is no page {results.page}: {found} in total, {results.limit} per page."
        return
    yield f"No results for {printable(results.query)} in the index as of {as_of}."
    if not documents:
        yield pasteable(
            "The index is empty: the textbook engine commits only at the end of a crawl."
            if results.engine
            else "The index is empty. To see the crawl: ./breadcrumb report"
        )
    elif similar:
        why = f"To see what is known about it: ./breadcrumb why {printable(shlex.quote(similar))}"
        yield "Only near copies of one page were searched. None of them has the words, or the"
        yield "page is not in the index."
        yield pasteable(why)
    elif results.suggested_sites:
        meant = " or ".join(results.suggested_sites)
        yield f"No page of that site is indexed; did you mean {printable(meant)}? A site is a host with its port."
    else:
        yield (
            "Try other words."
            if results.engine
            else pasteable("Try other words. To see the crawl: ./breadcrumb report")
        )


def _hit(hit: Hit, style: Style, *, explain: bool) -> Iterator[str]:
    title = wrapped(printable(hit.title) or "(no title)", columns() - INDENT)
    yield f"{hit.rank:>{INDENT - 2}}  {style.bold(title[0])}"
    margin = " " * INDENT
    yield from (margin + style.bold(line) for line in title[1:])
    yield margin + style.link(printable(hit.url))
    for phrase in hit.lacks:
        yield margin + style.dim(f"without “{printable(phrase)}” in a row")
    if hit.not_fetched:
        yield from (margin + style.dim(line) for line in wrapped(sentence(hit.known_by_links), columns() - INDENT))
    yield from (margin + line for line in _snippet(hit.snippet, style))
    yield from _sections(hit, style)
    for part in hit.added_parts if hit.has_no_word else ():
        reason = "None of the words; found by {} “{}”".format(*part.found_by)
        yield from map(style.dim, hanging("", printable(reason), INDENT))
    if hit.published or hit.modified:
        when = (
            f"published on {calendar_day(hit.published)}"
            if hit.published
            else f"changed on {calendar_day(hit.modified or 0)}"
        )
        yield margin + style.dim(when)
    for label, values in hit.added_fields:
        yield from map(style.dim, hanging("", printable(f"{label}: {', '.join(values)}"), INDENT))
    for url in hit.copies:
        yield margin + style.dim("exact copy: ") + style.link(printable(url))
    if hit.similar:
        shown = pasteable(f"--similar {shlex.quote(hit.url)}")
        yield margin + style.dim(f"{counted(hit.similar, 'similar page')}: {shown}")
    if explain:
        for line in hit.explain().lines():
            yield from map(style.dim, indented(line, 2 * INDENT))


def _sections(hit: Hit, style: Style) -> Iterator[str]:
    for section in hit.sections:
        yield from hanging("", printable(section.title.text), INDENT)
        yield " " * INDENT + style.link(printable(section.url))


def _snippet(snippet: Snippet, style: Style) -> Iterator[str]:
    """Wrap a snippet, with the query terms in bold."""
    for begin, end in spans_of_lines(snippet.text, columns() - INDENT):
        line, at = "", begin
        for start, stop in snippet.spans:
            start, stop = max(start, begin), min(stop, end)  # noqa: PLW2901 - a word may go on in the next line
            if start < stop:
                line += printable(snippet.text[at:start]) + style.bold(printable(snippet.text[start:stop]))
                at = stop
        yield line + printable(snippet.text[at:end])


COMMAND = Command(
    name="search",
    example="sourdough starter -n 5 --explain --data demo",
    exits="0 results, 1 no results, 2 failed",
    add_arguments=add_arguments,
    run=run,
)
