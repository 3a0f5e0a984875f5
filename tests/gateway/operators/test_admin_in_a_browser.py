"""Does a real browser log in, act and log out? It alone knows what Sec-Fetch-Site, Origin and SameSite come to."""

from __future__ import annotations

import shutil
import threading
from typing import TYPE_CHECKING

import pytest

from gateway import GatewaySettings, create_app
from tests.gateway.conftest import PHONE, SITE, opened
from tests.gateway.in_a_browser.test_every_view_in_a_browser import findings, widest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser
TOKEN = "correct horse battery"


@pytest.fixture
def administered(bakery: Path, tmp_path: Path) -> Iterator[str]:
    """The address of a gateway whose admin page is on."""
    from waitress.server import create_server  # noqa: PLC0415 - as the gateway does

    shutil.copytree(bakery, tmp_path, dirs_exist_ok=True)
    app = create_app(tmp_path, GatewaySettings(admin_token=TOKEN))
    server = create_server(app, host="127.0.0.1", port=0, threads=1)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.effective_port}"
    server.close()


@pytest.mark.slow
def test_a_complaint_is_ended_in_a_browser(browser: Browser, administered: str) -> None:
    with opened(browser, viewport=PHONE) as page:
        page.goto(f"{administered}/bot#complain")
        page.fill("#site", SITE)
        page.fill("#reason", "it is mine")
        page.click("form.complaint button")
        assert "Sent: the site bakery.localhost:8400" in page.inner_text("main")
        page.goto(f"{administered}/admin")
        page.fill("#admin_token", TOKEN)
        page.click("form.action button")
        assert "it is mine" in page.inner_text("main")
        assert findings(page) == []
        assert widest(page) <= PHONE["width"]
        page.click('button:text-is("Block") >> nth=0')
        assert "Done: the site bakery.localhost:8400: blocked; " in page.inner_text("main")
        assert page.evaluate("document.cookie") == ""
        page.goto(f"{administered}/search?q=rye")
        assert "No results" in page.inner_text("main")
        page.goto(f"{administered}/admin")
        page.click('button:text-is("Log out")')
        assert page.query_selector("#admin_token") is not None
