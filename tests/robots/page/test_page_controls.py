"""What is allowed with a page? Headers and metas, the most restrictive directive, and text that is no markup."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robots import PageControls, controls_from, page_controls
from robots.page_controls import MAX_MEDIA_TYPE_CHARS, declared_type

TABLE = Path(__file__).parents[2] / "conformance" / "page_controls.jsonl"
ROWS: list[dict[str, Any]] = [json.loads(line) for line in TABLE.read_text(encoding="utf-8").split("\n") if line]
FIELDS = [field for field in PageControls.__slots__ if field not in {"expires", "wishes"}]
NOINDEX = '<meta name="robots" content="noindex">'


def read(html: str = "", *headers: str, agent: str = "Breadcrumb", now: datetime | None = None) -> PageControls:
    tags = [("X-Robots-Tag", value) for value in headers]
    return page_controls(tags, html.encode(), agent=agent, url="https://seeds.example/", now=now)


@pytest.mark.parametrize(
    "row", [pytest.param(row, id=f"{row['id']} {row['area']} {row.get('note', '')}") for row in ROWS]
)
def test_the_controls_of_a_page(row: dict[str, Any]) -> None:
    headers = [("Content-Type", row["content_type"]), *map(tuple, row["headers"])]
    controls = page_controls(headers, row["html"].encode(), agent=row["agent"], url=row["url"])
    expected = row["expect"]
    assert {field: getattr(controls, field) for field in FIELDS} == {field: expected[field] for field in FIELDS}
    assert controls.expires == (datetime.fromisoformat(expected["expires"]) if expected["expires"] else None)


def test_the_table_is_the_whole_table() -> None:
    assert len(ROWS) == 108


def test_where_nobody_says_anything_everything_may_be_done() -> None:
    assert read("<p>text</p>") == PageControls() == PageControls(index=True, follow=True, archive=True, snippet=None)


@pytest.mark.parametrize("word", ["NoIndex", "NOFOLLOW", "index", "Follow", "noarchive", "ALL", "None"])
def test_the_words_of_the_book_count_in_any_letter_case(word: str) -> None:
    controls = read(f'<META NAME="Robots" CONTENT="{word}">')
    known = word.lower()
    assert controls.index is (known not in {"noindex", "none"})
    assert controls.follow is (known not in {"nofollow", "none"})
    assert controls.archive is (known != "noarchive")


def test_unknown_words_are_ignored() -> None:
    assert read('<meta name="robots" content="perhaps, noindexing, no follow, nofollow">') == PageControls(follow=False)


@pytest.mark.parametrize("content_type", ["", " ", "text/html, text/html", "application/xhtml+xml,text/html"])
def test_a_type_that_is_missing_or_joined_with_another_is_html(content_type: str) -> None:
    found = page_controls(
        [("content-type", content_type)], b"<meta name=robots content=noindex>", agent="Breadcrumb", url="http://a/"
    )
    assert not found.index


def test_a_length_of_many_digits_is_still_a_length() -> None:
    for value, length in {"00000000020": 20, "1" * 40: 10**9, "0" * 30: 0}.items():
        found = page_controls([("x-robots-tag", f"max-snippet:{value}")], b"", agent="Breadcrumb", url="http://a/")
        assert found.snippet == length


@pytest.mark.parametrize("content_type", ["application/pdf", "image/png", "text/plain; charset=utf-8"])
def test_for_other_types_than_html_only_the_header_speaks(content_type: str) -> None:
    headers = [("content-type", content_type), ("x-robots-tag", "nofollow")]
    controls = page_controls(headers, NOINDEX.encode(), agent="Breadcrumb", url="")
    assert (controls.index, controls.follow) == (True, False)


def test_a_page_that_expired_may_not_be_indexed_from_then_on() -> None:
    header = "unavailable_after: 25 Jun 2010 15:00:00 GMT"
    then = datetime(2010, 6, 25, 15, 0, tzinfo=UTC)
    assert [read("", header, now=now).index for now in (None, then - timedelta(seconds=1), then)] == [True, True, False]


def test_of_two_dates_the_earlier_counts() -> None:
    controls = read("", "unavailable_after: 2030-01-01", "unavailable_after: 2029-01-01")
    assert controls.expires == datetime(2029, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("header", "index"),
    [
        pytest.param("otherbot: nofollow, breadcrumb: noindex", False, id="a second name ends the scope of the first"),
        pytest.param("breadcrumb: nofollow, otherbot: noindex", True, id="and the other way round"),
        pytest.param("robots: noindex", False, id="robots is everybody"),
        pytest.param("max-snippet: 5, noindex", False, id="a directive with a value opens no scope"),
        pytest.param("unavailable_after: 25 Jun, 2010, 15:00, noindex", False, id="commas within a date"),
        pytest.param("unavailable_after: a, b, c, d, noindex", False, id="no date takes in all that follows"),
        pytest.param("noindex: yes", False, id="a value nobody asked for"),
    ],
)
def test_names_and_values_in_a_header(header: str, index: bool) -> None:
    assert read("", header).index is index


def test_metas_that_the_crawl_has_parsed_mean_the_same() -> None:
    metas = [("description", "noindex"), ("ROBOTS", "nofollow"), ("breadcrumb", "noarchive"), ("other", "noindex")]
    assert controls_from([], metas, agent="Breadcrumb/1.0") == PageControls(follow=False, archive=False)


@given(st.text(), st.text(), st.text())
def test_any_header_and_any_agent_have_an_answer(header: str, content: str, agent: str) -> None:
    controls = controls_from([("X-Robots-Tag", header)], [("robots", content)], agent=agent)
    assert controls.snippet is None or controls.snippet >= 0


@pytest.mark.parametrize(
    "word", ["noindex", "nofollow", "noarchive", "nosnippet", "max-snippet: 3", "max-image-preview: none"]
)
@given(
    others=st.lists(st.sampled_from(["all", "index", "follow", "max-snippet: -1", "max-video-preview: -1", "x"])),
    separator=st.sampled_from([", ", ",", ";", " ; ", " "]),
)
def test_no_wish_lifts_another(word: str, others: list[str], separator: str) -> None:
    alone = read("", word)
    assert read("", *others, word) == read("", separator.join([word, *others])) == alone


@pytest.mark.parametrize(
    ("content_type", "declared"),
    [
        ("text/html; charset=utf-8", "text/html"),
        ("TEXT/HTML;;charset=;=x", "text/html"),
        ("text/html, image/png", "text/html"),
        ("", ""),
    ],
)
def test_the_declared_type_is_read_from_any_header(content_type: str, declared: str) -> None:
    assert declared_type(content_type) == declared


def test_a_declared_type_that_is_too_long_is_cut() -> None:
    assert declared_type("9" * 200_000) == "9" * MAX_MEDIA_TYPE_CHARS
