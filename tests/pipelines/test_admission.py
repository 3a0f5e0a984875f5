"""What is kept, what is not, and which reason is given."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from crawldb.page import CanonicalUrl, Page, Refusal
from pipelines import admission
from robots import PageControls

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
PAGE = Page(CanonicalUrl("http://site.example/"), title="T", text="words", content_type="text/html", body=b"x" * 100)


def test_an_ordinary_page_is_admitted() -> None:
    assert admission.refusal(PAGE, now=NOW) is None
    assert admission.refusal(replace(PAGE, content_type="text/plain", title=""), now=NOW) is None


@pytest.mark.parametrize(
    ("page", "rule", "reason"),
    [
        pytest.param(replace(PAGE, content_type="image/png"), "type", "image/png: only HTML", id="another type"),
        pytest.param(replace(PAGE, content_type=""), "type", "no type: only HTML", id="no type"),
        pytest.param(replace(PAGE, body=b"x" * 201), "size", "201 bytes: more than the 200", id="too large"),
        pytest.param(replace(PAGE, title="", text=""), "empty", "no text and no title", id="nothing to find"),
        pytest.param(replace(PAGE, controls=PageControls(index=False)), "noindex", "says noindex", id="noindex"),
        pytest.param(
            replace(PAGE, controls=PageControls(expires=NOW - timedelta(days=1))),
            "expired",
            "unavailable_after 2026-11-20 12:00 has passed",
            id="expired",
        ),
        pytest.param(
            replace(PAGE, refusals=(Refusal("binary", "a PNG image"),)),
            "binary",
            "a PNG image",
            id="refused by the parse",
        ),
    ],
)
def test_a_refusal_names_its_rule_and_says_why(page: Page, rule: str, reason: str) -> None:
    refusal = admission.refusal(page, now=NOW, max_bytes=200)
    assert refusal is not None
    assert refusal.rule == rule
    assert reason in refusal.reason


def test_a_page_that_expires_tomorrow_is_admitted_today() -> None:
    page = replace(PAGE, controls=PageControls(expires=NOW + timedelta(days=1)))
    assert admission.refusal(page, now=NOW) is None
    assert admission.refusal(page, now=NOW + timedelta(days=1)) is not None


def test_nofollow_and_noarchive_do_not_keep_a_page_out() -> None:
    assert admission.refusal(replace(PAGE, controls=PageControls(follow=False, archive=False)), now=NOW) is None
