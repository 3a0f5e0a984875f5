"""What an assistant is told is what the search page shows, in bounded pieces, and nothing that is withheld there."""

from __future__ import annotations

import shutil
from functools import partial
from typing import TYPE_CHECKING

import pytest

from crawldb.database import CrawlDatabase
from crawldb.tables.robots_files import write_robots
from crawldb.tables.runs import latest_run
from extensions.assistants.tools import MAX_PIECE, CrawlTools, ToolFailure
from gateway import GatewaySettings, create_app
from robots import RobotsRecord
from tests.forks import forked
from tests.gateway.conftest import SITE, a_page, crawl, index

if TYPE_CHECKING:
    from pathlib import Path

    from tests.forks import ForkServer

RYE = f"{SITE}/rye.html"


def test_a_result_has_its_source_and_a_link_to_why(tools: CrawlTools) -> None:
    found = tools.search("rye sourdough", 10, 1, "", "")
    first = found.results[0]
    assert (first.source.url, first.source.title, first.language) == (RYE, "Rye bread", "en")
    assert first.source.fetched == "2026-11-20T09:30:00Z"
    assert first.source.why == "https://search.example/why?url=http%3A%2F%2Fbakery.localhost%3A8400%2Frye.html"
    assert "Rye needs a sourdough" in first.snippet
    assert not {each.source.url for each in found.results} & {f"{SITE}/noindex.html", f"{SITE}/copy-of-rye.html"}


@pytest.mark.slow
def test_without_a_search_page_why_is_a_command_that_says_the_same(crawled: Path, forks: ForkServer) -> None:
    tools = CrawlTools(create_app(crawled, GatewaySettings(folder=f" --data {crawled}")), "")
    command = tools.read(RYE, "", 1).source.why
    assert command == f"./breadcrumb why {RYE} --data {crawled}"
    assert tools.why(RYE, "").facts[-1].endswith(f"./breadcrumb forget {RYE} --data {crawled}")
    printed = forked(forks, *command.split()[1:]).stdout
    assert tools.why(RYE, "").answer in " ".join(printed.split())


def test_a_million_results_are_fifty(tools: CrawlTools) -> None:
    found = tools.search("cake", 1_000_000, 1, "", "")
    assert (len(found.results), found.total) == (30, 30)
    assert len(tools.search("cake", -1, 1, "", "").results) == 1


@pytest.mark.parametrize(
    ("query", "page", "site", "message"),
    [
        ("", 1, "", "query is empty"),
        ("a" * 1001, 1, "", "query has 1001 characters, at most 1000"),
        ("cake", 101, "", "only pages 1 to 100"),
    ],
)
def test_a_search_that_fails_is_told(tools: CrawlTools, query: str, page: int, site: str, message: str) -> None:
    with pytest.raises(ToolFailure, match=message):
        tools.search(query, 10, page, site, "")


def test_a_page_is_read_as_markdown(tools: CrawlTools) -> None:
    text = tools.read(f"{SITE}/", "", 1)
    assert "We bake rye bread and wheat bread every morning." in text.markdown
    assert (text.piece, text.pieces) == (1, 1)


def test_a_page_that_may_not_be_copied_or_quoted_is_not_read_and_its_results_say_nothing(tools: CrawlTools) -> None:
    with pytest.raises(ToolFailure, match="noarchive"):
        tools.read(f"{SITE}/secret-recipe.html", "", 1)
    with pytest.raises(ToolFailure, match="nosnippet"):
        tools.read(f"{SITE}/hush.html", "", 1)
    (hushed,) = tools.search("pretzels", 10, 1, "", "").results
    assert (hushed.snippet, hushed.source.nosnippet) == ("", True)


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("rye", "is no URL of a page"),
        ("file:///etc/passwd", "is no URL of a page"),
        (f"{SITE}/nowhere.html", "has no page"),
        (f"{SITE}/noindex.html", "hidden"),
        (f"{SITE}/private/", "has no page"),
    ],
)
def test_what_cannot_be_read_is_told_with_the_reason(tools: CrawlTools, url: str, message: str) -> None:
    with pytest.raises(ToolFailure, match=message):
        tools.read(url, "", 1)


def test_a_long_page_comes_in_pieces_and_a_section_by_itself(tmp_path: Path) -> None:
    lines = [
        "Oven",
        *(f"Sentence {number} about the oven. " + "word " * 50 for number in range(200)),
        "Door",
        "Shut it.",
    ]
    kinds = "h" + "t" * 200 + "h" + "t"
    made = a_page(
        "/",
        "The oven",
        "\n".join(" ".join(line.split()) for line in lines),
        layout=kinds,
        sections=((0, 1, "oven"), (201, 2, "door")),
    )
    crawl(tmp_path, (made,), ())
    index(tmp_path)
    tools = CrawlTools(create_app(tmp_path, GatewaySettings()), "")
    pieces = [tools.read(made.url, "", number + 1) for number in range(tools.read(made.url, "", 1).pieces)]
    assert len(pieces) > 2
    assert all(len(each.markdown) <= MAX_PIECE for each in pieces)
    whole = "\n\n".join(each.markdown for each in pieces)
    assert [f"Sentence {number} about" in whole for number in range(200)] == [True] * 200
    assert [(each.heading, each.url) for each in pieces[0].sections] == [
        ("Oven", f"{made.url}#oven"),
        ("Door", f"{made.url}#door"),
    ]
    for named in ("door", "#door", "Door"):
        assert tools.read(made.url, named, 1).markdown == "## Door\n\nShut it."
    with pytest.raises(ToolFailure, match="no such section; it has door"):
        tools.read(made.url, "doors", 1)
    with pytest.raises(ToolFailure, match=f"pieces 1 to {len(pieces)}"):
        tools.read(made.url, "", 0)


def test_why_says_the_answer_its_facts_and_the_score(tools: CrawlTools) -> None:
    told = tools.why(RYE, "rye")
    assert told.answer.startswith("Yes, it is in the index: for “rye” it is result 1 of ")
    assert any(line.startswith("fetched: 2026-11-20 09:30 UTC") for line in told.facts)
    assert told.score[0].endswith("= the sum of:")
    assert tools.why(RYE, "").score == ()
    assert told.facts[-1].endswith(f"./breadcrumb forget {RYE}")
    assert tools.why(f"{SITE}/nowhere.html", "").answer.startswith("No")


def test_robots_of_a_site_that_was_never_asked_is_no_answer(tools: CrawlTools) -> None:
    with pytest.raises(ToolFailure, match=r"never asked bakery\.localhost:8400 for its robots\.txt"):
        tools.robots(RYE, "")


def test_robots_names_the_line_that_decides_for_the_crawler_and_for_another_robot(
    crawled: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "data"
    shutil.copytree(crawled, folder)
    body = b"User-agent: *\nDisallow: /ovens/\n\nUser-agent: rye\nAllow: /\n"
    with CrawlDatabase(folder) as database:
        record = RobotsRecord(SITE, "PARSED", "robots.txt answered 200", 1e9, 2e9, 200, body)
        write_robots(database, latest_run(database), record)
    tools = CrawlTools(create_app(folder, GatewaySettings()), "")
    told = tools.robots(f"{SITE}/ovens/", "")
    assert (told.agent, told.allowed, told.line, told.rule) == ("Breadcrumb", False, 2, "Disallow: /ovens/")
    assert tools.robots(f"{SITE}/ovens/", "Rye/2.1").allowed


def test_without_a_crawl_the_answer_says_how_to_begin_and_names_no_folder(tmp_path: Path) -> None:
    tools = CrawlTools(create_app(tmp_path / "empty", GatewaySettings()), "")
    search = partial(tools.search, "bread", 1, 1, "", "")
    for ask in (search, partial(tools.read, RYE, "", 1), partial(tools.why, RYE, "")):
        with pytest.raises(ToolFailure) as told:
            ask()
        assert "./breadcrumb crawl site" in str(told.value)
        assert str(tmp_path) not in str(told.value)
