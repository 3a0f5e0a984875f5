"""Which bodies does the store keep? The bytes of a copy only once."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from crawldb.pages.bodies import Bodies, keeps_body
from crawldb.pages.pages import NOWHERE, Pages
from robots import PageControls, wishes_from
from robots.page_controls import controls_from
from tests.samples import a_page
from urls.canonical import canonicalize
from urls.records import Page, Refusal
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


from hypothesis import given
from hypothesis import strategies as st

from crawldb.database import CrawlDatabase

ONE, TWO, THREE = 1, 2, 3
URLS = {number: canonicalize(f"http://a.example/{number}") for number in (ONE, TWO, THREE)}
FETCHED = 1_000_000.0


@pytest.fixture
def database(tmp_path: Path) -> Iterator[CrawlDatabase]:
    with CrawlDatabase(tmp_path) as opened, opened.transaction() as connection:
        _known_urls(connection)
        yield opened


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CrawlDatabase]:
    """One for all examples of a property, each of which begins with no page."""
    with CrawlDatabase(tmp_path_factory.mktemp("bodies")) as opened, opened.transaction() as connection:
        _known_urls(connection)
        yield opened


def _known_urls(connection: Any) -> None:
    connection.execute("INSERT INTO site (id, name) VALUES (7, 'a.example')")
    for number, url in URLS.items():
        connection.execute(
            "INSERT INTO url (id, url, site, state, depth, found_by, found_at) VALUES (?, ?, 7, 2, 0, 'seed', 1)",
            (number, url),
        )


def page(number: int, body: bytes = b"the same", **fields: Any) -> Page:
    return a_page(URLS[number], body=body, **({"fetched_at": FETCHED} | fields))


def refused(rule: Rule) -> tuple[Refusal, ...]:
    return (Refusal(rule, "because"),)


@pytest.mark.parametrize(
    ("fields", "kept"),
    [
        pytest.param({}, True, id="in the index"),
        *(
            pytest.param(
                {"refusals": refused(rule)}, True, id=f"refused, and a changed rule may be tried on it: {rule}"
            )
            for rule in (Rule.DUPLICATE, Rule.SOFT_404, Rule.FRAMES, Rule.EMPTY, Rule.MOVED, Rule.CANONICAL)
        ),
        *(
            pytest.param({"refusals": refused(rule)}, False, id=f"no rule makes a page of it: {rule}")
            for rule in (Rule.TYPE, Rule.SIZE, Rule.BINARY)
        ),
        pytest.param({"refusals": refused(Rule.NOINDEX)}, False, id="noindex"),
        pytest.param({"refusals": refused(Rule.EXPIRED)}, False, id="expired"),
        pytest.param({"controls": PageControls(archive=False)}, False, id="noarchive"),
        pytest.param(
            {"refusals": refused(Rule.MOVED), "controls": PageControls(index=False)},
            False,
            id="noindex, though refused for something else first",
        ),
        pytest.param(
            {"refusals": refused(Rule.EMPTY), "controls": PageControls(expires=datetime(1970, 1, 2, tzinfo=UTC))},
            False,
            id="expired when it was fetched, though refused for something else first",
        ),
    ],
)
def test_whose_bodies_are_kept(database: CrawlDatabase, fields: dict[str, Any], kept: bool) -> None:
    one = page(ONE, **fields)
    Pages(database).put(ONE, one)
    assert keeps_body(one) is kept
    assert (Pages(database).answer(URLS[ONE]) is not None) is kept


def test_a_body_that_was_kept_goes_when_the_page_says_noindex(database: CrawlDatabase) -> None:
    pages = Pages(database)
    pages.put(ONE, page(ONE))
    pages.put_again(ONE, page(ONE, refusals=refused(Rule.NOINDEX)), NOWHERE)
    assert pages.answer(URLS[ONE]) is None


def test_the_body_of_a_refused_page_is_for_reading_again_and_for_nobody_to_see(database: CrawlDatabase) -> None:
    Pages(database).put(ONE, page(ONE, refusals=refused(Rule.FRAMES)))
    answer = Pages(database).answer(URLS[ONE])
    assert answer is not None
    assert (answer.body, Pages(database).body(URLS[ONE])) == (b"the same", None)


def test_an_answer_is_kept_with_the_header_lines_that_reading_minds(database: CrawlDatabase) -> None:
    headers = (("content-type", "text/html; charset=koi8-r"), ("x-robots-tag", "nosnippet"))
    Pages(database).put(ONE, page(ONE, headers=headers, status=203))
    answer = Pages(database).answer(URLS[ONE])
    assert answer is not None
    assert (answer.headers, answer.status, answer.fetched_at) == (headers, 203, FETCHED)


def test_what_a_304_says_anew_is_read_with_the_body(database: CrawlDatabase) -> None:
    pages, lines = Pages(database), [("x-robots-tag", "nosnippet, unavailable_after: 25 Jun 2090 15:00:00 GMT")]
    pages.put(ONE, page(ONE, headers=(("content-type", "text/html"), ("x-robots-tag", "max-snippet: 5"))))
    controls = controls_from(lines, (), agent="Breadcrumb")
    pages.amend(ONE, page(ONE, controls=controls))
    answer = pages.answer(URLS[ONE])
    assert answer is not None
    assert controls_from(answer.headers, (), agent="Breadcrumb") == controls
    assert ("content-type", "text/html") in answer.headers


def test_of_a_page_that_was_stored_without_its_header_lines_the_record_tells_them(database: CrawlDatabase) -> None:
    lines = (("x-robots-tag", "nosnippet"),)
    wishes = wishes_from(lines, agent="Breadcrumb")
    stored = page(
        ONE,
        content_type="text/html",
        encoding="koi8-r",
        canonical=URLS[TWO],
        controls=PageControls(snippet=0, wishes=wishes),
    )
    Pages(database).put(ONE, stored)
    database.connection.execute("UPDATE body SET headers = NULL")
    answer = Pages(database).answer(URLS[ONE])
    assert answer is not None
    assert answer.headers == (
        ("content-type", "text/html; charset=koi8-r"),
        ("link", f'<{URLS[TWO]}>; rel="canonical"'),
        *lines,
    )


def test_a_copy_with_the_same_bytes_takes_no_room(database: CrawlDatabase) -> None:
    Pages(database).put(ONE, page(ONE, b"x" * 1000))
    Pages(database).put(TWO, page(TWO, b"x" * 1000, duplicate_of=URLS[ONE], refusals=refused(Rule.DUPLICATE)))
    assert database.value("SELECT length(data) FROM body WHERE url = ?", TWO) == 0
    assert Bodies(database).data(TWO) == b"x" * 1000


@given(
    steps=st.lists(
        st.tuples(
            st.sampled_from([ONE, TWO, THREE]),
            st.sampled_from([b"one", b"two", None]),
            st.sampled_from([None, ONE, TWO, THREE]),
        ),
        max_size=12,
    )
)
def test_every_body_is_what_was_put_last_whoever_holds_its_bytes(
    shared: CrawlDatabase, steps: list[tuple[int, bytes | None, int | None]]
) -> None:
    expected: dict[int, bytes] = {}
    for number in URLS:
        Pages(shared).remove(number)
    for number, body, original in steps:
        if body is None:
            Pages(shared).remove(number)
            expected.pop(number, None)
        else:
            copy_of = URLS[original] if original and original != number else None
            Pages(shared).put(number, replace(page(number, body), duplicate_of=copy_of))
            expected[number] = body
        assert {one: Bodies(shared).data(one) for one in URLS} == {one: expected.get(one) for one in URLS}
        assert shared.count("SELECT count(*) FROM body WHERE same_as NOT IN (SELECT url FROM body)") == 0
