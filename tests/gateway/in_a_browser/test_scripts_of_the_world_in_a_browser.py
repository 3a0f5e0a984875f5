"""Pages in scripts that run the other way, or without blanks: each is found, cut and set as its readers expect."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from indexer import open_writer
from tests.gateway.conftest import PHONE, a_page, opened, running
from tests.gateway.in_a_browser.test_every_view_in_a_browser import findings, widest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser

    from tests.forks import ForkServer

pytestmark = pytest.mark.browser
TEXTS = {
    "ar": ("خبز الجاودار", "يبقى خبز الجاودار طازجا أسبوعا كاملا. يحتاج إلى خميرة وصبر."),
    "he": ("לחם שיפון", "לחם שיפון נשמר שבוע. הוא צריך מחמצת וסבלנות (40 שנה)."),
    "ja": ("ライ麦パン", "ライ麦パンは一週間もちます。サワー種と忍耐が必要です。"),
    "zh": ("黑麦面包", "黑麦面包可以保存一周。它需要酸面团和耐心。"),
    "ko": ("호밀빵", "호밀빵은 일주일 동안 먹을 수 있습니다."),
    "en": ("Rye bread keeps for a week " * 19, "It needs a starter, and patience."),
}
ASKED = [
    ("ar", "خبز", "rtl"),
    ("he", "שיפון", "rtl"),
    ("ja", "忍耐", "ltr"),
    ("zh", "面包", "ltr"),
    ("ko", "호밀빵은", "ltr"),
]


@pytest.fixture(scope="module")
def address(forks: ForkServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder: Path = tmp_path_factory.mktemp("scripts")
    with open_writer(folder) as writer:
        for language, (title, text) in TEXTS.items():
            writer.put(a_page(f"/{title}/{language}.html", title, text, language=language))
    with running(forks, folder) as (found, _):
        yield found.geturl()


@pytest.mark.slow
def test_each_script_is_found_marked_and_set_in_its_direction(browser: Browser, address: str) -> None:
    with opened(browser, viewport=PHONE) as page:
        for language, query, direction in ASKED:
            page.goto(f"{address}search?q={query}")
            article = page.locator(f"article[lang={language}]")
            assert article.locator(".snippet mark").first.inner_text() == query
            for place in (article.locator("h2"), article.locator(".snippet"), page.locator("#q")):
                assert place.evaluate("element => getComputedStyle(element).direction") == direction
            crumbs = article.locator(".trail")
            assert crumbs.evaluate("element => getComputedStyle(element).direction") == "ltr", "an address runs one way"
            assert crumbs.locator("a").nth(1).inner_text() == TEXTS[language][0].replace(" ", "%20")
            before, after = (crumbs.locator("a").nth(place).bounding_box() for place in (0, 1))
            assert before is not None
            assert after is not None
            assert after["x"] > before["x"] + before["width"] + 5, "the crumb between two parts stands between them"
            assert widest(page) <= PHONE["width"]
        assert findings(page) == []


@pytest.mark.slow
def test_a_title_of_five_hundred_characters_takes_three_lines(browser: Browser, address: str) -> None:
    with opened(browser, viewport=PHONE) as page:
        page.goto(f"{address}search?q=patience")
        title = page.locator("article h2 a")
        line = float(title.evaluate("element => parseFloat(getComputedStyle(element).lineHeight)"))
        box = title.bounding_box()
        assert box is not None
        assert 2.5 * line < box["height"] < 3.5 * line
        assert title.inner_text().startswith(TEXTS["en"][0].strip()[:400]), "a reader hears all of it"
        assert findings(page) == []
