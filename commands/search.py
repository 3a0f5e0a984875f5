"""What answers a question? The best pages, with the lines that show why, in the terminal."""

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
    from indexer.snippets.snippet import Snippet

INDENT = 4  # columns for the number of a result
PAGES = "pages"  # the value of --in
OF_PAGES = ("lang", "similar", "exact")  # options that have no meaning for anything else


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "query",
        nargs="+",
        metavar="QUERY",
        help="words; “quoted ones” stand together; docs/gateway.md has the operators",
    )
    parser.add_argument("-n", type=int, default=10, metavar="N", help="results on a page (10)")
    parser.add_argument("--page", type=int, default=1, metavar="N", help="which page of results (1)")
    parser.add_argument("--site", default="", metavar="SITE", help="only pages of this site: bakery.localhost:8400")
    parser.add_argument("--lang", default="", metavar="LANG", help="only pages in this language: en, ko, ru …")
    parser.add_argument(
        "--similar", default="", metavar="URL", help="only pages that say nearly the same as this result"
    )
    parser.add_argument("--exact", action="store_true", help="words that may be misspelt, as they were typed")
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
    parser.add_argument("--explain", action="store_true", help="what each score is made of")
    parser.add_argument("--json", action="store_true", help="one JSON object, as /api/search gives it")


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
        raise CommandError("QUERY is empty: give words to look for, such as rye bread")
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
    """Return what is searched instead of pages. Raises `CommandError` for an option that is about something else."""
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
        exactly = " --exact searches for what was typed." if results.spelling.applied else ""
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
    """Say why there is nothing to show, and what would help."""
    if results.total:
        found = counted(results.total, "page")
        yield f"The results end before page {results.page}: {found} in all, {results.limit} on a page."
        return
    yield f"Nothing found for {printable(results.query)} in the index as of {as_of}."
    if not documents:
        yield pasteable(
            "It holds no page yet: a crawl by the textbook engine commits once, at its end."
            if results.engine
            else "It holds no page at all: ./breadcrumb report tells what became of the crawl."
        )
    elif similar:
        why = f"./breadcrumb why {printable(shlex.quote(similar))} tells what became of it."
        yield "Only pages that say nearly the same as one page were searched: none of them has"
        yield "the words, or its address is not in the index."
        yield pasteable(why)
    elif results.suggested_sites:
        meant = " or ".join(results.suggested_sites)
        yield f"No page is on that site; did you mean {printable(meant)}? A site is a host with its port."
    else:
        yield pasteable("Other words may help; ./breadcrumb report tells what was crawled.")


def _hit(hit: Hit, style: Style, *, explain: bool) -> Iterator[str]:
    title = wrapped(printable(hit.title) or "(without a title)", columns() - INDENT)
    yield f"{hit.rank:>{INDENT - 2}}  {style.bold(title[0])}"
    margin = " " * INDENT
    yield from (margin + style.bold(line) for line in title[1:])
    yield margin + style.link(printable(hit.url))
    for phrase in hit.lacks:
        yield margin + style.dim(f"without “{printable(phrase)}” in a row")
    if hit.not_fetched:
        yield from (margin + style.dim(line) for line in wrapped(sentence(hit.known_by_links), columns() - INDENT))
    yield from (margin + line for line in _snippet(hit.snippet, style))
    for part in hit.added_parts if hit.has_no_word else ():
        told = "None of the words; found by {} “{}”".format(*part.found_by)
        yield from map(style.dim, hanging("", printable(told), INDENT))
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
        yield margin + style.dim("the same is at ") + style.link(printable(url))
    if hit.similar:
        shown = pasteable(f"--similar {shlex.quote(hit.url)} shows them")
        yield margin + style.dim(f"{counted(hit.similar, 'similar page')}: {shown}")
    if explain:
        for line in hit.explain().lines():
            text = line.lstrip()
            yield from map(style.dim, hanging("", printable(text), 2 * INDENT + len(line) - len(text)))


def _snippet(snippet: Snippet, style: Style) -> Iterator[str]:
    """Break a snippet into lines, with the words that were found marked."""
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
    exits="0 found, 1 nothing found, 2 it could not be searched",
    add_arguments=add_arguments,
    run=run,
)
