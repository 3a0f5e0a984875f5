"""Does a person find the right page? Everyday queries and known items, over manuals that were crawled.

    bench/relevance questions FOLDER --site NAME=URL … [--known COLLECTION …] [--rebuild] [--meaning] [--misses]

It crawls each site with a collection separately, and all sites together, each once, into folders below FOLDER. It
reuses existing crawls. `--rebuild` makes their indexes again with the current code: a change of the index is tried in a
minute, one of the weights in seconds. COLLECTION is a folder `ki_NAME` of known items: their queries run on that site
alone, and on all manuals in one index. A file of queries runs if all sites that it asks about are given:
short_elsewhere.toml for apache, cmake, django, git and node; for python, sqlite and postgresql everyday.toml,
further.toml, short.toml, topical.toml, and sections.toml, where a section is the answer. `--meaning` reads pages and
queries by meaning, too. `--misses` shows each query whose right page is not first, of the development halves and
of the known items. Those of the test halves are not shown. `--judged FILE` writes the development halves for
`./breadcrumb tune --queries FILE`.
"""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from bench.harness.program import parser_of, show, tell
from bench.judged.graded import DEPTH
from bench.judged.places import (
    ENTRANCE,
    EVERYDAY,
    KNOWN_ITEMS,
    MISSPELT,
    SECTIONS,
    TOPICAL,
    Placed,
    beginnings,
    figures_of,
    files_about,
    grouped,
    judged_questions,
    known_items,
    place_all,
)
from commands.frame.command_settings import CommandSettings
from extension_points import call_extensions
from indexer import open_index
from indexer.evaluation import JudgedPage, written
from indexer.ranking.weights import Formula
from indexer.retrieval.searcher import MAX_LIMIT
from tests.own_commands import breadcrumb, crawl_to_the_end

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from bench.judged.places import Ask, Figures
    from indexer.retrieval.searcher import Searcher

Rows = dict[str, dict[str, "Figures"]]  # by group (a half of the queries, a manual), then by kind


def crawled(folder: Path, sites: Mapping[str, str], *, rebuild: bool = False, meaning: bool = False) -> Searcher:
    """Return a searcher of the sites; crawl them below the folder first, if that is not done yet."""
    data = folder / "+".join(sorted(sites))
    if not data.exists():
        tell(f"crawling {', '.join(sites.values())} into {data}")
        unfinished = data.with_name(f"{data.name}.unfinished")
        crawl_to_the_end(",".join(sites.values()), unfinished)
        unfinished.rename(data)
    elif rebuild:
        _run("report", data)  # it migrates the database to the current version
        _run("index --rebuild", data)
    if meaning:
        _run("index --meaning", data)  # pages that are read already cost nothing
    settings = CommandSettings(["MEANING=yes"] * meaning)
    call_extensions("settings_chosen", settings=settings)
    contributors = call_extensions("score_contributors", settings=settings)
    return open_index(data, formula=Formula(contributors=tuple(contributors)))


def pages_of(searcher: Searcher) -> Ask:
    """Return a function that searches with it."""
    return lambda question: [hit.url for hit in searcher.search(question, MAX_LIMIT).hits]


def sections_of(searcher: Searcher) -> Ask:
    """Return a function that searches with it, and returns the best section of each result; without one, its page."""
    return lambda question: [
        next((each.url for each in hit.sections), hit.url) for hit in searcher.search(question, DEPTH).hits
    ]


def _run(command: str, data: Path) -> None:
    done = breadcrumb(*command.split(), DATA_DIR=data)
    if done.returncode:
        raise SystemExit(f"bench/relevance: {command} failed in {data}:\n{done.stdout}{done.stderr}")


def in_halves(placed: Sequence[Placed]) -> tuple[Rows, list[Placed]]:
    """Return the figures of both halves, and the results of the development half."""
    halves = grouped(placed, lambda question: question.half)
    return {half: figures_of(rows) for half, rows in halves.items()}, halves["development"]


def known(
    crawl: Callable[..., Searcher], sites: Mapping[str, str], collections: Sequence[Path], *, rebuild: bool
) -> tuple[Rows, list[Placed]]:
    """Run the known items on each site alone, then all of them on all manuals; return figures, and the results."""
    rows: Rows = {}
    every: list[Placed] = []
    together = []
    listed: frozenset[str] = frozenset()
    for collection in collections:
        name = collection.name.removeprefix(KNOWN_ITEMS)
        questions, documents = known_items(collection, sites[name])
        placed = place_all(questions, pages_of(crawl({name: sites[name]}, rebuild=rebuild)), documents.__contains__)
        rows[name] = figures_of(placed)
        every += placed
        together += questions
        listed |= documents
    if len(sites) > 1 and together:
        with_list = tuple(sites[collection.name.removeprefix(KNOWN_ITEMS)] for collection in collections)
        ask = pages_of(crawl(sites))  # the everyday queries have just updated it
        placed = place_all(together, ask, lambda url: url in listed or not url.startswith(with_list))
        rows[f"{len(sites)} manuals in one index"] = figures_of(placed)
        every += placed
    return rows, every


def judged_pages(sites: Mapping[str, str]) -> str:
    """Return the development halves as a file of judged queries, without misspelt ones.

    A folder has two URLs there, since the index has one of them.
    """
    questions = [*judged_questions(sites), *judged_questions(sites, TOPICAL)]
    return written(
        JudgedPage(0, each.text, url, grade)
        for each in questions
        for page, grade in sorted(each.grades.items())
        for url in (page, *([page + ENTRANCE] if page.endswith("/") else []))
        if each.half == "development" and each.kind != MISSPELT
    )


def named_site(text: str) -> tuple[str, str]:
    """Parse NAME=URL; the URL is that of a folder, and the right pages are paths below it."""
    name, sign, url = text.partition("=")
    if not (name and sign and url.startswith(("http://", "https://")) and url.endswith("/")):
        raise argparse.ArgumentTypeError(f"{text!r} is no NAME=URL like python=http://127.0.0.1:8000/")
    return name, url


def main() -> None:
    """Read the command line, crawl what is missing, search, print."""
    parser = parser_of(__doc__)
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="where the crawls are kept, or are already")
    parser.add_argument("--site", type=named_site, action="append", required=True, metavar="NAME=URL", dest="sites")
    parser.add_argument("--known", type=Path, action="append", default=[], metavar="COLLECTION")
    parser.add_argument("--rebuild", action="store_true", help="make the index of each crawl again")
    parser.add_argument("--meaning", action="store_true", help="read pages and queries by meaning, too")
    parser.add_argument("--misses", action="store_true", help="show what does not come first")
    parser.add_argument("--judged", type=Path, metavar="FILE", help="write the development halves for `tune`")
    options = parser.parse_args()
    sites = dict(options.sites)
    if options.judged:
        options.judged.write_text(judged_pages(sites), "utf-8")
    for collection in options.known:
        if collection.name.removeprefix(KNOWN_ITEMS) not in sites:
            parser.error(f"{collection}: give --site {collection.name.removeprefix(KNOWN_ITEMS)}=URL too")
    files = files_about(sites)
    if not (files or options.known):
        parser.error(f"no file of queries is about {', '.join(sites)} alone: --help says which sites they are about")
    crawl = partial(crawled, options.folder, meaning=options.meaning)
    searcher = crawl(sites, rebuild=options.rebuild)
    ask, by_section = pages_of(searcher), sections_of(searcher)
    groups, placed = dict[str, Rows](), list[Placed]()
    for title, file in files.items():
        asked = place_all(judged_questions(sites, file), by_section if file == SECTIONS else ask)
        if file == EVERYDAY:
            asked += place_all(beginnings(), lambda typed: [each.lower() for each in searcher.complete(typed)])
        groups[title], development = in_halves(asked)
        placed += development
    items, found = known(crawl, sites, options.known, rebuild=options.rebuild)
    groups |= {"known items": items} if items else {}
    if options.misses:
        for each in (each for each in placed + found if each.place != 1):
            print(f"{each.place or '-':>3} {each.question.kind}: {each.question.text!r}: {', '.join(each.found[:3])}")
    show({"folder": str(options.folder)} | groups, options)
