"""With the script a slider shows its number as it moves, reorders the list at once, and keeps the focus."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.gateway.conftest import opened

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser


@pytest.mark.slow
def test_a_slider_that_is_turned_reorders_the_list_and_keeps_the_focus(browser: Browser, served: str) -> None:
    with opened(browser) as page:
        page.goto(f"{served}/inside/ranking?q=rye+bread")
        slider = page.locator('input[name="body"]')
        slider.focus()
        slider.press("Home")
        page.get_by_role("heading", name="Tuned ranking").wait_for()
        assert page.locator("label", has=slider).locator("output").inner_text() == "0"
        assert page.evaluate("document.activeElement.name") == "body"
        assert page.url == f"{served}/inside/ranking?q=rye+bread&body=0", "only what was turned is in the address"
        assert "RANKING=body=0" in page.inner_text("#tuned")
        slider.press("End")
        page.get_by_text("RANKING=body=5").wait_for()
        page.get_by_role("button", name="Rank").click()
        page.wait_for_url("**/inside/ranking?q=rye+bread&body=5")
