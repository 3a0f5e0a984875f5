"""Is the rule on which two readings part the one that makes the difference?"""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robots import Dialect, disagreement_on_denial, disagreement_on_url, parse
from robots.dialect import CHOICES, Choices
from robots.disagreement import TOPICS
from tests.robots.oracle import judged

CONFORMANCE = Path(__file__).parents[1] / "conformance"
PIECES = [
    b"User-agent: *\n", b"User-agent: bread\n", b"User-agent: Breadcrumb-News\n", b"Disallow: /a\n", b"Disallow:\n",
    b"Allow: /a/b\n", b"Allow: /*b\n", b"Disalow: /a/b\n", b"\n", b"Allow: /a/index.html\n", b"Disallow: /%61%2Fb\n",
    b"Disallow: /robots.txt\n", b"Crawl-delay: 3\n", b"Disallow: /a$\n",
]  # fmt: skip
PATHS = ["/", "/a", "/a/", "/a/b", "/%61/b", "/a%2fb", "/robots.txt"]


def rows() -> list[dict[str, Any]]:
    files = [(CONFORMANCE / name).read_bytes() for name in ("rules.jsonl", "sources.jsonl")]
    return [json.loads(line) for file in files for line in file.splitlines()]  # text would be split at U+2028 too


def body_of(row: dict[str, Any]) -> bytes:
    return bytes.fromhex(row["robots_hex"]) if "robots_hex" in row else row["robots"].encode()


@pytest.mark.parametrize(
    ("body", "url", "theirs", "choice"),
    [
        pytest.param(
            "User-agent: *\nAllow: /\nDisallow: /a\n", "/a", Dialect.TEXT_1996, "longest_rule_wins", id="2.2.2 longest"
        ),
        pytest.param("User-agent: *\nDisallow: /*a\n", "/ba", Dialect.TEXT_1996, "wildcards", id="2.2.3 wildcards"),
        pytest.param("User-agent: bread\nDisallow: /\n", "/a", Dialect.BOOK, "naming", id="their name within ours"),
        pytest.param(
            "User-agent: Breadcrumb-News\nDisallow: /\n", "/a", Dialect.TEXT_1996, "naming", id="ours within theirs"
        ),
        pytest.param("User-agent: *\nDisallow:\n", "/a", Dialect.BOOK, "empty_disallow_closes", id="empty Disallow"),
        pytest.param(
            "User-agent: *\nAllow: /b\n\nDisallow: /a\n", "/a", Dialect.BOOK, "blank_line_ends_group", id="blank line"
        ),
        pytest.param("User-agent: *\nDisalow: /a\n", "/a", Dialect.GOOGLE, "forgiving_fields", id="misspelt field"),
        pytest.param(
            "User-agent: *\nDisallow: /a\nAllow: /a/index.html\n", "/a/", Dialect.GOOGLE, "index_page_opens_folder",
            id="index page",
        ),
        pytest.param("User-agent: *\nDisallow: /\n", "/robots.txt", Dialect.GOOGLE, "robots_txt_exempt", id="itself"),
        pytest.param("User-agent: *\nDisallow: /%61\n", "/a", Dialect.GOOGLE, "escapes", id="2.2.2 escapes"),
        pytest.param(
            "User-agent: *\nDisallow: /?a=http:\n", "/?a=http%3A", Dialect.GOOGLE, "escapes", id="2.2.2 table"
        ),
        pytest.param(
            "User-agent: breadcrumb\nAllow: /b\nUser-agent: breadcrumb\nDisallow: /a\n", "/a", Dialect.BOOK,
            "groups_merge", id="2.2.1 groups merge",
        ),
    ],
)  # fmt: skip
def test_one_choice_makes_the_difference(body: str, url: str, theirs: Dialect, choice: str) -> None:
    found = disagreement_on_url(body.encode(), "Breadcrumb", url, theirs=theirs)
    assert found is not None
    assert [difference.choice for difference in found.differences] == [choice]
    assert not found.together


def test_several_choices_may_make_it_each_by_itself() -> None:
    found = disagreement_on_url(
        b"User-agent: *\nAllow: /\nDisallow: /*a\n", "Breadcrumb", "/a", theirs=Dialect.TEXT_1996
    )
    assert found is not None
    assert {difference.choice for difference in found.differences} == {"longest_rule_wins", "wildcards"}
    assert not found.together
    assert str(found).startswith("2 rules of which each is enough: ")


def test_several_choices_may_make_it_only_together() -> None:
    # Without its star the first rule does not match, yet the last one is the longest; and of rules with stars the
    # first one disallows. Only where both choices are those of 1996 does the second rule decide.
    body = b"User-agent: *\nDisallow: /*b\nAllow: /\nDisallow: /bb\n"
    found = disagreement_on_url(body, "Breadcrumb", "/bb", theirs=Dialect.TEXT_1996)
    assert found is not None
    assert {difference.choice for difference in found.differences} == {"longest_rule_wins", "wildcards"}
    assert found.together
    assert str(found).startswith("2 rules together: ")


def test_what_flips_the_verdict_by_another_line_is_not_why_they_part() -> None:
    # The first rule that matches would disallow it too, but the book judges by the group for bread.
    body = b"User-agent: *\nDisallow: /a\nAllow: /a/b\n\nUser-agent: bread\nDisallow:\n"
    found = disagreement_on_url(body, "Breadcrumb", "/a/b", theirs=Dialect.BOOK)
    assert found is not None
    assert {difference.choice for difference in found.differences} == {"naming", "empty_disallow_closes"}


def test_the_sentence_tells_what_each_does() -> None:
    found = disagreement_on_url(b"User-agent: *\nDisalow: /a\n", "Breadcrumb", "/a", theirs=Dialect.GOOGLE)
    assert str(found) == "misspelt fields (count; rfc9309: are passed over)"


def test_401_and_403_close_the_site_in_the_old_readings_alone() -> None:
    parted = [dialect for dialect in Dialect if disagreement_on_denial(theirs=dialect)]
    assert parted == [Dialect.TEXT_1996, Dialect.BOOK]


def test_every_choice_that_can_change_a_verdict_has_a_topic() -> None:
    assert {field.name for field in fields(Choices)} - set(TOPICS) == {"crawl_delay"}


def assert_it_parts_as_the_readings_do(body: bytes, agent: str, url: str) -> None:
    ours = parse(body).decide(agent, url).allowed
    for theirs in Dialect:
        verdict = parse(body, theirs).decide(agent, url)
        assert judged(body, CHOICES[theirs], agent, url) == (verdict.allowed, verdict.line)
        found = disagreement_on_url(body, agent, url, theirs=theirs)
        assert (found is not None) == (verdict.allowed != ours)
        if found:
            assert found.differences
            assert str(found)
            choices = {difference.choice for difference in found.differences}
            assert all(getattr(CHOICES[theirs], name) != getattr(CHOICES[Dialect.RFC9309], name) for name in choices)


@pytest.mark.parametrize("row", rows(), ids=lambda row: row["id"])
def test_readings_part_where_their_verdicts_do(row: dict[str, Any]) -> None:
    assert_it_parts_as_the_readings_do(body_of(row), row["agent"], row["url"])


@given(st.lists(st.sampled_from(PIECES), max_size=9).map(b"".join), st.sampled_from(PATHS))
def test_whatever_the_file_says_they_part_where_their_verdicts_do(body: bytes, path: str) -> None:
    assert_it_parts_as_the_readings_do(body, "Breadcrumb", path)
