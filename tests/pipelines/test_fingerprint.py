"""Text that changes at each visit does not count; everything else does."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.duplicates import FINGERPRINT_BYTES, fingerprint, same_template
from urls.records import CanonicalUrl, Link, Page

PAGE = Page(CanonicalUrl("http://site.example/"), title="T", text="")


def same(first: str, second: str) -> bool:
    return fingerprint(replace(PAGE, text=f"Intro\n{first}\nend")) == fingerprint(
        replace(PAGE, text=f"Intro\n{second}\nend")
    )


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param("You are visitor 12345", "You are visitor 12,346", id="a visitor counter"),
        pytest.param("1,024 hits since 1999", "1,025 hits since 1999", id="hits"),
        pytest.param("Besucher: 17", "Besucher: 18", id="Besucher"),
        pytest.param("посетителей: 17", "посетителей: 18", id="посетители"),
        pytest.param("Page views today: 9", "Page views today: 10", id="page views"),
        pytest.param("Users online: 3", "Users online: 14", id="users online"),
        pytest.param("Generated in 0.123 seconds", "Generated in 0.098 seconds", id="how long it took"),
        pytest.param("Generated on 2026-11-21 at 12:01", "Generated on 2026-11-22 at 09:30", id="when it was made"),
        pytest.param("Last updated: November 21, 2026", "Last updated: December 3, 2026", id="last updated"),
        pytest.param("Stand: 21.11.2026", "Stand: 22.11.2026", id="Stand"),
        pytest.param("最終更新 2026年11月21日", "最終更新 2026年11月22日", id="最終更新"),
        pytest.param("Current time: 12:01:22 PM", "Current time: 1:07:13 AM", id="a clock"),
        pytest.param("2026-11-21T12:01:22Z", "2026-11-21T12:01:23Z", id="a moment to the second"),
        pytest.param("Session ID: 9f8e7d6c5b4a", "Session ID: 0a1b2c3d4e5f", id="a session id"),
        pytest.param("10:03:11 Visitors: 1234", "10:04:12 Visitors: 1240", id="a counter behind a time"),
        pytest.param("Rendered at 10:03:11 Visitors: 1234", "Rendered at 11:59:02 Visitors: 9", id="both"),
        pytest.param("Rendered 10:03:11, visitors 1234", "Rendered 9:13:12, visitors 1235", id="both, with a comma"),
        pytest.param("Visitors today: 12 / total: 3456", "Visitors today: 13 / total: 3457", id="two counters"),
        pytest.param("Views: 1.2K", "Views: 3M", id="shortened"),
        pytest.param("viewed 1,234 times", "viewed 1,240 times", id="viewed so often"),
        pytest.param("访问量\uff1a1234", "访问量\uff1a1300", id="a wide colon"),
        pytest.param("Rendered in 0.2 s with 14 queries", "Rendered in 0.31 s with 9 queries", id="queries"),
        pytest.param("PHPSESSID=abc123def456", "PHPSESSID=fed654cba321", id="PHPSESSID"),
    ],
)
def test_volatile_parts_are_left_out(first: str, second: str) -> None:
    assert same(first, second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param("Chapter 1", "Chapter 2", id="chapters"),
        pytest.param("November 2026", "December 2026", id="months of a calendar"),
        pytest.param("Departures 12:30 13:30", "Departures 12:35 13:35", id="a timetable"),
        pytest.param("The battle of 14.10.1066", "The battle of 14.10.1067", id="a date in history"),
        pytest.param("17 23 42", "17 23 43", id="a table of numbers"),
        pytest.param("Price: 12.50", "Price: 12.60", id="prices"),
        pytest.param("Version 3.45.1", "Version 3.45.2", id="versions"),
        pytest.param("runs 100 m in 10 seconds", "runs 100 m in 11 seconds", id="durations"),
        pytest.param("10:03:11", "10:03:12", id="a bare time, as in a list of results"),
        pytest.param("Greatest Hits 2", "Greatest Hits 3", id="hits that nobody counts"),
        pytest.param("Play online 24/7", "Play online 12/7", id="online"),
        pytest.param("Room 12: visitors welcome", "Room 13: visitors welcome", id="no count of visitors"),
        pytest.param("call 555-1234", "call 555-1235", id="telephone numbers"),
        pytest.param("token and session are words", "token and cookie are words", id="words of the trade"),
        pytest.param("x " * 120 + "updated 2026-01-01", "x " * 120 + "updated 2026-01-02", id="a date in a paragraph"),
    ],
)
def test_pages_that_differ_are_not_merged(first: str, second: str) -> None:
    assert not same(first, second)


def test_addresses_of_links_do_not_count_and_titles_do() -> None:
    linked = replace(PAGE, links=(Link("http://site.example/?sid=1"),))
    assert fingerprint(linked) == fingerprint(PAGE)
    assert fingerprint(replace(PAGE, title="Other")) != fingerprint(PAGE)
    assert fingerprint(replace(PAGE, title="a", text="b")) != fingerprint(replace(PAGE, title="ab"))


def test_a_page_made_for_each_visitor_is_new_each_time() -> None:
    assert not same("Tip of the day: drink water", "Tip of the day: sleep well")


@given(st.text())
def test_any_text_has_a_fingerprint_of_its_own(text: str) -> None:
    page = replace(PAGE, text=text.encode(errors="replace").decode())
    assert len(fingerprint(page)) == FINGERPRINT_BYTES


def test_one_article_in_two_layouts_is_one_page_but_a_few_words_are_no_proof() -> None:
    article = "The moon pulls at the sea, and the sea follows it round the earth."
    one, other = (replace(PAGE, text=article, template_text=menu) for menu in "xy")
    assert fingerprint(one) == fingerprint(other)
    assert not same_template(one, other)
    assert same_template(one, replace(other, template_text="x"))
    assert fingerprint(replace(one, text="Fog.")) != fingerprint(replace(other, text="Fog."))
