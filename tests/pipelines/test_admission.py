"""Which pages are kept, which are not, and for which reason? Also pages that only speak of frames (the book, 9.6)."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from pipelines.filters import MAX_PAGE_BYTES, admission_refusal
from pipelines.no_content import frames_refusal
from robots import PageControls
from urls.records import CanonicalUrl, Page, Refusal
from urls.rules import Rule

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
PAGE = Page(CanonicalUrl("http://site.example/"), title="T", text="words", content_type="text/html", body=b"x" * 100)
TOO_LARGE = bytes(MAX_PAGE_BYTES + 1)


def test_an_ordinary_page_is_admitted() -> None:
    assert admission_refusal(PAGE, now=NOW) is None
    assert admission_refusal(replace(PAGE, content_type="text/plain", title=""), now=NOW) is None


@pytest.mark.parametrize(
    ("page", "rule", "reason"),
    [
        pytest.param(replace(PAGE, content_type="image/png"), "type", "image/png: only HTML", id="another type"),
        pytest.param(replace(PAGE, content_type=""), "type", "no type: only HTML", id="no type"),
        pytest.param(replace(PAGE, body=TOO_LARGE), "size", f"{len(TOO_LARGE)} bytes: more than the", id="too large"),
        pytest.param(replace(PAGE, title="", text=""), "empty", "no text and no title", id="nothing to find"),
        pytest.param(replace(PAGE, controls=PageControls(index=False)), "noindex", "says noindex", id="noindex"),
        pytest.param(
            replace(PAGE, controls=PageControls(expires=NOW - timedelta(days=1))),
            "expired",
            "unavailable_after 2026-11-20 12:00 UTC has passed",
            id="expired",
        ),
        pytest.param(
            replace(PAGE, refusals=(Refusal(Rule.BINARY, "a PNG image"),)),
            "binary",
            "a PNG image",
            id="refused by the parse",
        ),
    ],
)
def test_a_refusal_names_its_rule_and_says_why(page: Page, rule: str, reason: str) -> None:
    refusal = admission_refusal(page, now=NOW)
    assert refusal is not None
    assert refusal.rule == rule
    assert reason in refusal.reason


def test_a_page_that_expires_tomorrow_is_admitted_today() -> None:
    page = replace(PAGE, controls=PageControls(expires=NOW + timedelta(days=1)))
    assert admission_refusal(page, now=NOW) is None
    assert admission_refusal(page, now=NOW + timedelta(days=1)) is not None


def test_nofollow_and_noarchive_do_not_keep_a_page_out() -> None:
    assert admission_refusal(replace(PAGE, controls=PageControls(follow=False, archive=False)), now=NOW) is None


URL = CanonicalUrl("http://site.example/x")


@pytest.mark.parametrize(
    "text",
    [
        "Your browser does not support frames.",
        "This page uses frames, but your browser doesn't support them.",
        "Sorry, you need a browser that can show frames. Frames are not supported.",
        "Ihr Browser unterstützt keine Frames.",
        "Ihr Browser kann Frames leider nicht anzeigen.",
        "Votre navigateur ne prend pas en charge les cadres.",
        "Ваш браузер не поддерживает фреймы.",
        "このページはフレーム未対応のブラウザでは表示できません。",
        "이 브라우저는 프레임을 지원하지 않습니다.",
    ],
)
def test_a_page_that_only_speaks_of_frames_is_refused(text: str) -> None:
    refusal = frames_refusal(Page(URL, "Welcome", text))
    assert refusal is not None
    assert refusal.rule == "frames"


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("<frameset><frame src=/a></frameset>", "frames”: its frames are pages of their own"),
        ("<p><IFRAME\nsrc=/a></iframe>", "frames”: its frames are pages of their own"),
        ("<p>Your browser does not support frames.", "frames”, and it has no frames"),
        ("<p><frames>", "frames”, and it has no frames"),
    ],
)
def test_only_a_page_with_frames_is_told_where_they_are(body: str, told: str) -> None:
    page = Page(URL, "Welcome", "Your browser does not support frames.", body=body.encode())
    refusal = frames_refusal(page)
    assert refusal is not None
    assert refusal.reason == f"it only says “browser does not support {told}"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Frames of wood do not bend.", id="other frames"),
        pytest.param("Welcome to the site.", id="nothing about frames"),
        pytest.param(
            "Your browser does not support frames. " + "The whole text follows. " * 30, id="with a text of its own"
        ),
    ],
)
def test_a_page_with_something_to_say_is_kept(text: str) -> None:
    assert frames_refusal(Page(URL, "Welcome", text)) is None
