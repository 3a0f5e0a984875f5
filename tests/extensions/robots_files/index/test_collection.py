"""Combined conditions hold in one group of a file, and the lines shown are those that decided."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawldb.databases import Parts
from crawldb.tables.robots_files import stored_versions
from extensions.robots_files.index.results import IN_WORDS
from reports.robots_verdicts import stored_version
from tests.extensions.robots_files.index.conftest import CLOSED, FIRST, OPEN, ORIGIN

if TYPE_CHECKING:
    from crawldb.database import CrawlDatabase
    from extensions.robots_files.index.collection import RobotsCollection

FETCHED = "http://fetched.example:8080/robots.txt"


def names(collection: RobotsCollection, question: str, *, all_versions: bool = False) -> set[str]:
    return {hit.version.address for hit in collection.search(question, all_versions=all_versions).hits}


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("agent:Googlebot disallow:/", {"joint", "both"}),
        ("AGENT:GOOGLEBOT/2.1 Disallow:/", {"joint", "both"}),
        ("user-agent:googlebot directive:disallow path:/private", {"apart"}),
        ("agent:Googlebot agent:bingbot", {"both"}),
        ("agent:googlebot agent:*", set()),
        ("(agent:googlebot) (agent:*)", set()),  # parentheses around one condition change nothing
        ("(agent:googlebot disallow:/private) (agent:* disallow:/)", {"apart"}),
        ("agent:google* crawl-delay:20", {"both"}),
        ("crawl-delay:>=20.0", {"both"}),
        ("crawl-delay:>20", set()),
        ("crawl-delay:5..20", {"both"}),
        ("agent:*", {"joint", "apart", "empty", FETCHED}),
        ('disallow:""', {"empty", FETCHED}),
        ("disallow:*", {"joint", "apart", "both", "empty", "odd.example", FETCHED}),
        ("disallow:/pri*", {"joint", "apart"}),
        ('allow:"/open*"', {"both"}),
        ("allow:/open", set()),
        ('disallow:"/*?"', {"odd.example"}),
        ("disallow:/for-nobody", {"odd.example"}),
        ("agent:Late disallow:/for-nobody", set()),
        ("agent:Googlebot -disallow:/private", {"both"}),  # nowhere in the file
        ("agent:Googlebot -(agent:Googlebot disallow:/private)", {"joint", "both"}),
        ("agent:Googlebot -(agent:Googlebot disallow:/)", {"apart"}),
        ("-agent:*", {"both", "odd.example"}),
        ("agent:late OR agent:bingbot", {"both", "odd.example"}),
        ("agent:* (disallow:/private OR disallow:/)", {"joint", "apart"}),
        ("(agent:* disallow:/) OR sitemap:*", {"apart", "empty"}),
        ("sitemap:https://a.example/*", {"empty"}),
        ("host:odd.example", {"odd.example"}),
        ("directive:dissallow", {"odd.example"}),
        ("value:/typo", {"odd.example"}),
        ("lint:misspelt", {"odd.example"}),
        ("lint:* agent:late", {"odd.example"}),
        ("comment:closed", {"both"}),
        ("-comment:closed collection:test-files agent:googlebot", {"joint", "apart"}),
        ("closed", {"both"}),
        ('"map xml"', {"empty"}),
        ('"xml map"', set()),
        ("goog*", {"joint", "apart", "both"}),
        ("site:fetched.example", {FETCHED}),
        ("site:odd.example:80", set()),
        ("site:ODD.example", {"odd.example"}),
        (f"origin:{FETCHED}", {FETCHED}),
        ("-collection:*", {FETCHED}),
        ("status:200", {FETCHED}),
        ("size:>60 size:<=74", {"joint", "apart"}),
        ("size:59", {"empty"}),
        ("nowhere:/x", set()),  # no file has such a field: its words are looked for
    ],
)
def test_what_answers(collection: RobotsCollection, question: str, expected: set[str]) -> None:
    assert names(collection, question) == expected


def test_only_the_newest_version_answers_unless_the_history_is_asked(collection: RobotsCollection) -> None:
    assert names(collection, "site:fetched.example disallow:/") == set()
    assert collection.search("site:fetched.example", all_versions=True).total == 3
    [closed] = collection.search("site:fetched.example disallow:/ date:2026").hits
    assert (closed.version.first_seen, closed.version.newest) == (FIRST + 40 * 86_400, False)


@pytest.mark.parametrize(
    ("when", "days"),
    [
        ("date:2026-01-10..2026-01-15", [0]),
        ("date:2026-01", [0]),
        ("date:2026-02..2026-03", [40, 80]),
        ("before:2026-02-10", [0]),
        ("after:2026-02-11", [80]),
    ],
)
def test_a_date_reaches_the_history(collection: RobotsCollection, when: str, days: list[int]) -> None:
    found = collection.search(f"site:fetched.example {when}").hits
    assert sorted((hit.version.first_seen - FIRST) / 86_400 for hit in found) == days


def test_the_lines_that_decide_are_shown_with_what_they_fulfil(collection: RobotsCollection) -> None:
    [joint] = [hit for hit in collection.search("agent:Googlebot disallow:/").hits if hit.version.name == "joint"]
    assert [(line.number, line.text, line.conditions) for line in joint.lines] == [
        (1, "User-agent: Googlebot", ("agent:Googlebot",)),
        (2, "Disallow: /", ("disallow:/",)),
    ], "the Disallow of the other group decided nothing"


def test_the_score_is_the_sum_of_its_parts_and_the_order_is_that_of_the_scores(collection: RobotsCollection) -> None:
    hits = collection.search("agent:Googlebot disallow:/").hits
    shown = [float(str(part).split()[0]) for hit in hits for part in hit.parts]
    assert shown == [part.value for hit in hits for part in hit.parts], "to the last digit"
    assert [hit.score for hit in hits] == [round(sum(part.value for part in hit.parts), 4) for hit in hits]
    assert [hit.version.name for hit in hits] == ["joint", "both"], "of the shorter file more is about that"
    assert str(hits[0].parts[0]).startswith(f"{hits[0].parts[0].value:.4f}  agent:Googlebot: 1 of 4 lines, mean ")
    assert "in 3 of 6 files" in str(hits[0].parts[0])
    assert "BM25" in IN_WORDS


def test_pages_of_results_are_parts_of_one_order(collection: RobotsCollection) -> None:
    whole = collection.search("disallow:*")
    pages = [collection.search("disallow:*", page=number, limit=4) for number in (1, 2, 3)]
    assert [hit for page in pages for hit in page.hits] == list(whole.hits)
    assert [page.total for page in pages] == [6, 6, 6]


def test_an_empty_result_says_what_each_condition_finds_and_which_robots_are_known(
    collection: RobotsCollection,
) -> None:
    nothing = collection.search("agent:gogglebot disallow:/")
    assert [(each.condition, each.files) for each in nothing.alone] == [
        ("User-agent: gogglebot", 0),
        ("Disallow: /", 3),
    ]
    assert [(each.asked, each.known) for each in nothing.near] == [("gogglebot", (("googlebot", 3),))]
    assert collection.search("agent:Googlebot disallow:/nothing").near == ()


def test_what_was_understood_is_told(collection: RobotsCollection) -> None:
    asked = collection.search("agent:Googlebot disallow:/ -sitemap:* before:2026-02").understood
    assert asked == (
        "Files: in one group User-agent: googlebot and Disallow: /; not Sitemap: (any); seen before 2026-02."
    )
    assert collection.search("/ x").unread == ("/, which has no letter or digit",)
    assert collection.search("a " * 40).unread == ("conditions after the first 32",)


def test_versions_can_be_read_again(collection: RobotsCollection, shared_database: CrawlDatabase) -> None:
    hits = collection.search(f"origin:{ORIGIN}", all_versions=True).hits
    with Parts.in_folder(shared_database.path.parent) as parts:
        read = [stored_version(parts, hit.part, hit.version.id) for hit in hits]
        assert [found.body for found in filter(None, read)] == [OPEN, CLOSED, OPEN]
        assert stored_version(parts, "", 99) is None
        assert stored_version(parts, "part-1", hits[0].version.id) is None
    assert {each.address for each in stored_versions(shared_database) if each.newest} == {
        *names(collection, "disallow:*")
    }
    assert len(list(stored_versions(shared_database))) == len(collection) == 8


PIECES = [
    *(
        "agent:",
        "disallow:/",
        "-agent:*",
        "(",
        ")",
        "OR",
        '"',
        "-(",
        "date:2026",
        "date:9",
        "size:>1",
        "lint:*",
        "^a",
        "+",
    ),
    *(
        "comment:x",
        "host:",
        "x*",
        "-x",
        "\ud800",
        "\0",
        "origin://",
        'value:""',
        "crawl-delay:>a",
        "status:200..1",
        "*",
    ),
    *("site:*", "before:", "'NEAR", "agent:\u212a", "(disallow:/ OR allow:*)", "-sitemap:*", "collection:*"),
]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("date:2026-13", "date:2026-13, whose value is not a year, a month or a day"),
        ("date:2026-06..2026-01", "whose value is not a year"),
        ("size:1k", "size:1k, whose value is not a number"),
        ("status:abc", "status:abc, whose value is not a number"),
        ("crawl-delay:5..", "it is compared letter for letter"),
        ("crawl-delay:7..5", "crawl-delay:7..5 as a number"),
        ("lint:nosuch", "the findings are acap, ads-txt, "),
        ("agent:Goo*bot", "agent:Goo*bot with a star for any letters"),
    ],
)
def test_a_value_that_cannot_be_read_is_told(collection: RobotsCollection, text: str, told: str) -> None:
    [unread] = collection.search(text).unread
    assert told in unread


@pytest.mark.parametrize(
    "text",
    ["date:2026", "size:>1", "lint:miss*", "lint:*", "crawl-delay:1..1", 'crawl-delay:"x"', "agent:goo*", "agent:*"],
)
def test_of_a_value_that_is_read_nothing_is_told(collection: RobotsCollection, text: str) -> None:
    assert collection.search(text).unread == ()


@given(
    st.one_of(
        st.text(max_size=60),
        st.lists(
            st.sampled_from(PIECES),
            max_size=50,
        ).map(" ".join),
    )
)
def test_any_text_is_a_question(collection: RobotsCollection, text: str) -> None:
    found = collection.search(text, all_versions=True)
    assert found.total <= found.searched == 8
    assert found.as_dict()["total"] == found.total
    for hit in found.hits:
        assert hit.score == round(sum(part.value for part in hit.parts), 4)
