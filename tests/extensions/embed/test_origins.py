"""Only pages of the origins that EMBED_ORIGINS names may read results or show them in a frame."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commands.frame.command_settings import CommandSettings
from extension_points import call_extensions
from extensions.embed.origins import allow, origin_of_setting
from gateway import GatewaySettings, create_app
from spiders.setting_values import SettingError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from flask.testing import FlaskClient

    from tests.commands.conftest import Breadcrumb

DOCS = "https://docs.example.org"


@pytest.fixture
def folder(bakery: Breadcrumb) -> Path:
    assert bakery.run("index").code == 0
    return bakery.data


@pytest.fixture
def client(folder: Path) -> Iterator[FlaskClient]:
    allow([f"{DOCS}/", "http://127.0.0.1:8000"])
    yield create_app(folder, GatewaySettings()).test_client()
    allow([])


def test_a_page_of_an_allowed_origin_may_read_results_and_no_other_page_may(client: FlaskClient) -> None:
    for path in ("/api/search?q=bread", "/api/suggest?q=br"):
        told = client.get(path, headers={"Origin": DOCS})
        assert told.headers["Access-Control-Allow-Origin"] == DOCS
        assert "Origin" in told.headers["Vary"]
        assert "Access-Control-Allow-Credentials" not in told.headers
        for other in ("https://evil.example", "null", f"{DOCS}.evil.example", "http://docs.example.org"):
            refused = client.get(path, headers={"Origin": other})
            assert "Access-Control-Allow-Origin" not in refused.headers
            assert refused.headers["Cross-Origin-Resource-Policy"] == "same-origin"
            assert "Origin" in refused.headers["Vary"], "or a cache gives one origin what another was told"


def test_no_other_path_is_opened(client: FlaskClient) -> None:
    for path in ("/why?url=http://a.example/", "/stats", "/admin", "/api/openapi.json", "/bot", "/cached?url=x"):
        told = client.get(path, headers={"Origin": DOCS})
        assert "Access-Control-Allow-Origin" not in told.headers
        assert DOCS not in told.headers.get("Content-Security-Policy", "")


def test_an_allowed_origin_may_show_the_search_page_in_a_frame(client: FlaskClient) -> None:
    told = client.get("/search?q=bread").headers
    assert f"frame-ancestors http://127.0.0.1:8000 {DOCS}" in told["Content-Security-Policy"]
    assert "X-Frame-Options" not in told
    assert "frame-ancestors 'none'" in client.get("/why").headers["Content-Security-Policy"]


def test_without_the_setting_nothing_is_opened_and_the_script_says_so(folder: Path) -> None:
    client = create_app(folder, GatewaySettings()).test_client()
    told = client.get("/embed.js")
    assert (told.status_code, "EMBED_ORIGINS names no origin" in told.text) == (404, True)
    assert "Access-Control-Allow-Origin" not in client.get("/api/search?q=bread", headers={"Origin": DOCS}).headers
    assert "frame-ancestors 'none'" in client.get("/search").headers["Content-Security-Policy"]


def test_settings_without_origins_close_what_earlier_ones_of_the_process_opened(client: FlaskClient) -> None:
    call_extensions("settings_chosen", settings=CommandSettings())
    assert client.get("/embed.js").status_code == 404
    assert "frame-ancestors 'none'" in client.get("/search").headers["Content-Security-Policy"]


def test_the_script_may_be_loaded_by_every_page(client: FlaskClient) -> None:
    with closing(client.get("/embed.js")) as told:
        assert "customElements.define" in told.text
    assert (told.status_code, told.mimetype) == (200, "text/javascript")
    assert told.headers["Cross-Origin-Resource-Policy"] == "cross-origin"


@pytest.mark.parametrize(
    ("given", "origin"),
    [
        (f"{DOCS}/", DOCS),
        ("HTTPS://Docs.Example.org:443", DOCS),
        ("http://localhost:8000", "http://localhost:8000"),
        ("http://[::1]:8000", "http://[::1]:8000"),
    ],
)
def test_an_origin_is_written_as_browsers_write_it(given: str, origin: str) -> None:
    assert origin_of_setting(given) == origin


@pytest.mark.parametrize(
    "given",
    ["docs.example.org", "*", "null", f"{DOCS}/a", "ftp://a.example", "https://", f"{DOCS}:99999", "https://a b"],
)
def test_what_is_no_origin_is_refused_with_what_would_work(given: str, bakery: Breadcrumb) -> None:
    with pytest.raises(SettingError, match=r"EMBED_ORIGINS: .*is no origin: give it as https://"):
        origin_of_setting(given)
    done = bakery.run("report", "-s", f"EMBED_ORIGINS={given}")
    assert done.code == 2
    assert "is no origin: give it as https://docs.example.org" in done.err


@given(st.text("htps:/.[]@1a*' ,;\n", max_size=30))
def test_no_setting_gets_a_word_into_a_policy(given: str) -> None:
    try:
        origin = origin_of_setting(given)
    except SettingError:
        return
    assert not set(origin) & set(" ;,'\n*")
