"""`why`: prints everything known about a URL. `--parse` parses its page again, with both parsers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commands.frame.command import Command
from commands.frame.exits import DONE, NO, CommandError
from commands.frame.terminal import indented, json_line, pasteable, printable, row_lines, terminal_style
from crawldb.pages.pages import Pages
from indexer.ranking.score import parts_in_words
from indexer.remote import foreign_index
from reports.wording import LABEL_WIDTH, Row
from robots.page_controls import HTML_TYPES

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator, Sequence

    from commands.frame.command_settings import CommandSettings
    from crawldb.database import CrawlDatabase
    from extension_points import ForeignIndex
    from pages.parser_comparison import ParserComparison
    from reports.why import UrlFacts
    from urls.records import Page

TERMS_SHOWN = 12


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("url", metavar="URL", help="a URL, in any spelling")
    parser.add_argument(
        "--q", "--query", nargs="+", default=[], metavar="WORD", help="show the parts of its score for this query"
    )
    parser.add_argument("--parse", action="store_true", help="compare the fast and the tolerant parser on its page")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: Namespace, settings: CommandSettings) -> int:
    """Print everything known about a URL."""
    from commands.frame.data_folder import formula_under, open_searcher, policy_for
    from crawldb.databases import Parts
    from gateway.search_request import InvalidParameter, read_search_request
    from reports.why import url_facts

    try:
        query = read_search_request({"q": " ".join(arguments.q)}).query
    except InvalidParameter as error:
        raise CommandError(str(error)) from error
    if foreign := foreign_index(settings.data_dir):
        return _foreign_page(arguments, foreign, query)
    formula, link_only = formula_under(settings), settings.getbool("LINK_ONLY_RESULTS")
    with Parts.in_folder(settings.data_dir) as parts:
        facts = url_facts(
            parts,
            arguments.url,
            lambda: open_searcher(settings.data_dir, formula, link_only=link_only),
            lambda database: policy_for(database, settings),
            product=settings["PRODUCT"],
            stale_after=settings.getint("STALE_AFTER"),
            query=query,
        )
        readings = read_twice(parts.home(arguments.url), facts.found.canonical) if arguments.parse else ""
    if arguments.json:
        answer = facts.as_dict() | {"advice": pasteable(facts.found.advice)}
        if arguments.parse:
            answer["parse"] = {"reason": readings} if isinstance(readings, str) else readings.as_dict()
        print(json_line(answer))
    else:
        reread = [readings] if isinstance(readings, str) else readings.sentences()
        print(
            *printed_lines(facts, [Row("parse", reading) for reading in reread if reading], asked=bool(query)), sep="\n"
        )
        if facts.place.fault:  # what the crawl knows of the URL is told all the same
            raise CommandError(facts.place.fault)
    return DONE if facts.found.discovered else NO


def _foreign_page(arguments: Namespace, foreign: ForeignIndex, query: str) -> int:
    """Print the page of an index that another program wrote."""
    if arguments.parse:
        raise CommandError(f"--parse needs a stored body, and this index has none. {foreign.note}")
    page = foreign.page(arguments.url, query)
    if arguments.json:
        print(json_line(page.as_dict()))
        return DONE if page.is_known else NO
    style = terminal_style()
    print(style.bold(printable(page.url)), *row_lines(page.rows(), LABEL_WIDTH, style), sep="\n")
    score = page.hit.explain() if page.hit and query else None
    for line in [*score.lines(), parts_in_words([score])] if score else ():
        print(*indented(line), sep="\n")
    return DONE if page.is_known else NO


def _index_sentence(facts: UrlFacts, *, asked: bool) -> str:
    place = facts.place
    if place.terms is None:
        return f"No result: {place.absence}."
    shown = ", ".join(f"{word.word} ({word.fields_in_words})" for word in facts.words[:TERMS_SHOWN])
    first = "In the index."  # where it is no result, the answer on top says why
    if place.hit:
        first += (
            f" For {f'“{place.query}”' if asked else 'its own title'} it is result {place.hit.rank} of {place.total:,}."
        )
    return f"{first} Distinctive terms: {shown}." if shown else first


def _score_lines(facts: UrlFacts) -> Iterator[str]:
    """Yield the parts of the score, like the page `/why`."""
    place = facts.place
    if place.hit is None:
        yield f"No score for “{place.query}”: {place.absence}."
        if place.step:
            passed = ", ".join(each.step for each in facts.answer.steps if each.passed) or "nothing"
            yield f"Steps passed: {passed}. Step failed: {place.step} ({place.step.explanation})."
        return
    score = place.hit.explain()
    yield f"Score for “{place.query}”, result {place.hit.rank} of {place.total:,}:"
    yield from score.lines()
    yield parts_in_words([score])


def printed_lines(facts: UrlFacts, reread: Sequence[Row] = (), *, asked: bool) -> Iterator[str]:
    """Yield the lines that are printed; `asked`: with the parts of the score for a query."""
    from reports.why import why_rows

    style, found, place = terminal_style(), facts.found, facts.place
    rows = list(why_rows(found))
    if found.page is not None or found.link_only:
        rows.insert(-2, Row("index", _index_sentence(facts, asked=asked or found.page is None)))
        if place.standing is not None:
            rows.insert(-2, Row("", f"{place.standing}"))
    rows[-2:-2] = [Row("" if at else row.label, row.text) for at, row in enumerate(reread)]
    rows[:0] = [Row("result", facts.answer.sentence)]
    yield style.bold(printable(found.url))
    yield from row_lines(rows, LABEL_WIDTH, style)
    for line in _score_lines(facts) if asked else ():
        yield from indented(line)


COMMAND = Command(
    name="why",
    example="http://bakery.localhost:8400/kitchen/oven.html --data demo",
    exits="0 the crawl knows the URL, 1 it does not, 2 failed",
    add_arguments=add_arguments,
    run=run,
)


def read_twice(database: CrawlDatabase, url: str | None) -> ParserComparison | str:
    """Return both parses of a page, or a sentence why there are none."""
    if url is None:
        return "It can't be parsed again: it is not the URL of a page."
    page, answer = Pages(database).get(url), Pages(database).answer(url)
    if page is None:
        return "It can't be parsed again: no page is stored."
    if answer is None:
        return f"It can't be parsed again: its body is not stored, because {_why_no_body(page)}."
    return _read(page, answer.body)


def _why_no_body(page: Page) -> str:
    refusal = next(iter(page.refusals), None)
    if not page.controls.archive or refusal is None:
        return "it has noarchive"
    return f"it is rejected ({refusal.rule}): {refusal.reason}"


def _read(page: Page, body: bytes) -> ParserComparison | str:
    from pages.links import BaseUrl
    from pages.parser_comparison import compare_parsers
    from pages.tolerant_parser import burden, stored_markup

    if page.content_type not in HTML_TYPES:
        return f"It is {page.content_type or 'of no type'}: only markup is parsed by both parsers."
    markup = stored_markup(body, page.encoding)
    too_much = burden(markup)
    return f"It is not parsed twice: {too_much}." if too_much else compare_parsers(markup, BaseUrl.of(page.url))
