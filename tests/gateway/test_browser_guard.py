"""What may a browser do with a response, and which host names does the gateway accept?"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
from bs4 import BeautifulSoup
from flask import Flask
from hypothesis import given
from hypothesis import strategies as st

from gateway.browser_guard import LOOPBACK_HOSTS, InvalidHostName, allowed_hosts_of, is_allowed_host, is_cross_site
from tests.gateway.conftest import gateway

if TYPE_CHECKING:
    from pathlib import Path

    from flask.testing import FlaskClient

PATHS = (
    "/", "/search", "/search?q=rye", "/search?page=0", "/api/suggest?q=rye", "/static/completions.js",
    "/api/search?q=rye", "/api/search", "/why", "/cached?url=x", "/bot", "/opensearch.xml", "/healthz", "/stats",
    "/robots.txt", "/static/style.css", "/no-such-page",
)  # fmt: skip


@pytest.mark.parametrize("path", PATHS)
def test_every_answer_is_bound(client: FlaskClient, path: str) -> None:
    with client.get(path) as answer:
        headers = answer.headers
    policy = dict(part.strip().split(" ", 1) for part in headers["Content-Security-Policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert policy["frame-ancestors"] == "'none'"
    assert policy["form-action"] == "'self'"
    allowed = ("'nonce-", "'self'") if answer.mimetype == "text/html" else (None, None)
    script = policy.get("script-src")
    assert (script and script.rstrip("'")[:7], policy.get("connect-src")) == allowed
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"


@pytest.mark.parametrize("path", [path for path in PATHS if "static" not in path])
def test_a_page_has_our_own_files_as_scripts_with_this_answers_nonce_no_handler_and_no_inline_style(
    client: FlaskClient, path: str
) -> None:
    answer = client.get(path)
    policy = answer.headers["Content-Security-Policy"]
    for element in BeautifulSoup(answer.text, "lxml").find_all(True) if answer.mimetype == "text/html" else ():
        assert not [name for name in element.attrs if name.startswith("on") or name == "style"]
        assert not str(element.get("src", "")).startswith(("http", "//"))
        if element.name == "script":
            assert str(element["src"]).startswith("/static/")
            assert f"script-src 'nonce-{element['nonce']}';" in policy
            assert not element.text


def test_each_answer_has_a_nonce_of_its_own(client: FlaskClient) -> None:
    headers = [client.get("/search").headers["Content-Security-Policy"] for _ in "ab"]
    assert len({re.findall(r"'nonce-([\w-]{22,})'", policy)[0] for policy in headers}) == 2


def test_the_search_form_has_its_script(client: FlaskClient) -> None:
    assert BeautifulSoup(client.get("/search").text, "lxml").select('script[src="/static/completions.js"][nonce]')


@pytest.mark.parametrize(
    "host", ["localhost", "localhost:8080", "127.0.0.1:8080", "[::1]:8080", "LOCALHOST.", "x.localhost:1"]
)
def test_this_machines_own_names_are_answered(client: FlaskClient, host: str) -> None:
    assert client.get("/bot", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8080",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "[::1]x.evil.example",
        "localhost:80@evil.example",
        "localhost@evil.example",
        "localhost, evil.example",
        "[::1",
        ".localhost",
    ],
)
def test_another_name_for_this_machine_is_refused_with_what_would_work(client: FlaskClient, host: str) -> None:
    answer = client.get("/search?q=rye", headers={"Host": host})
    assert answer.status_code == 421
    assert "accepts localhost, 127.0.0.1 and [::1]" in answer.text
    assert "ALLOWED_HOSTS" in answer.text
    assert "Rye bread" not in answer.text


_PIECES = st.sampled_from(
    [*LOOPBACK_HOSTS, "x.localhost", "evil.example", ":", ":80", "@", ".", "/", "#", "[", "]", " ", "x"]
)


@given(st.one_of(st.text(max_size=30), st.lists(_PIECES, max_size=5).map("".join)))
def test_what_is_taken_for_an_own_name_is_one_to_whoever_reads_a_url(host: str) -> None:
    names = allowed_hosts_of("")
    if is_allowed_host(host, names):
        read = urlsplit(f"http://{host}/search")
        name = (read.hostname or "").rstrip(".")
        assert name in {"localhost", "127.0.0.1", "::1"} or name.endswith(".localhost")
        assert (read.username, read.path, read.query, read.fragment) == (None, "/search", "", "")


def test_a_public_address_of_ipv6_is_an_own_name() -> None:
    assert is_allowed_host("[2001:db8::1]:8080", allowed_hosts_of("https://[2001:DB8::1]/bot"))


@pytest.mark.parametrize("path", ["/search?q=rye", "/opensearch.xml", "/search.atom?q=rye"])
def test_a_name_of_the_settings_is_answered_and_stands_in_feeds_and_no_other_one(bakery: Path, path: str) -> None:
    client = gateway(bakery, allowed_hosts=("Search.intranet.example", "mill"))
    for host in ("search.intranet.example", "mill:8080"):
        answer = client.get(path, headers={"Host": host})
        assert (answer.status_code, host in answer.text) == (200, not path.startswith("/search?"))
    for host in ("intranet.example", "x.mill", "192.0.2.1"):
        answer = client.get(path, headers={"Host": host})
        assert (answer.status_code, f"http://{host}" in answer.text) == (421, False)


@pytest.mark.parametrize("name", ["http://mill/", "mill/", "", "*", "a b", "mill@evil.example"])
def test_what_is_no_name_is_refused_when_the_gateway_is_made(bakery: Path, name: str) -> None:
    with pytest.raises(InvalidHostName, match=r"is no host name: give one such as search\.example\.org"):
        gateway(bakery, allowed_hosts=(name,))


@pytest.mark.parametrize(
    ("host", "counts"),
    [
        ("192.0.2.1:8080", True),
        ("[2001:db8::1]", True),
        ("mill.local:8080", False),
        ("192.0.2.1.evil.example", False),
        ("[evil.example]", False),
    ],
)
def test_opened_to_a_network_an_ip_address_counts_as_a_name_since_nobody_can_point_it_elsewhere(
    host: str, counts: bool
) -> None:
    assert is_allowed_host(host, allowed_hosts_of(""), ip_addresses=True) is counts
    assert not is_allowed_host(host, allowed_hosts_of(""))


def test_a_client_from_before_the_host_header_is_answered(client: FlaskClient) -> None:
    assert client.get("/bot", environ_overrides={"HTTP_HOST": ""}).status_code == 200


def test_the_host_of_its_public_address_is_answered(bakery: Path) -> None:
    client = gateway(bakery, bot_url="https://search.example.org/bot")
    assert client.get("/search?q=rye", headers={"Host": "search.example.org"}).status_code == 200


def test_a_form_of_any_size_but_a_small_one_is_not_read(client: FlaskClient) -> None:
    assert client.post("/search", data={"q": "x" * 100_000}).status_code == 413


@pytest.mark.parametrize("method", ["put", "delete", "patch"])
def test_nothing_can_be_changed_through_it(client: FlaskClient, method: str) -> None:
    assert getattr(client, method)("/search").status_code == 405


FOLLOWED = {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
FRAMED = {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}


@pytest.mark.parametrize(
    ("method", "headers", "expected"),
    [
        ("GET", {}, False),
        ("POST", {}, False),
        ("GET", {"Sec-Fetch-Site": "same-origin", "Origin": "null"}, False),
        ("GET", {"Sec-Fetch-Site": "none"}, False),
        ("POST", {"Sec-Fetch-Site": "none"}, True),
        ("GET", {"Sec-Fetch-Site": "same-site"}, True),
        ("GET", {"Sec-Fetch-Site": "cross-site"} | FOLLOWED, False),
        ("POST", {"Sec-Fetch-Site": "cross-site"} | FOLLOWED, True),
        ("GET", {"Sec-Fetch-Site": "cross-site"} | FRAMED, True),
        ("GET", {"Origin": "null"}, True),
        ("POST", {"Origin": "null"}, False),
        ("GET", {"Origin": "https://localhost"}, False),
        ("POST", {"Origin": "https://localhost"}, False),
        ("GET", {"Origin": "https://evil.example"}, True),
        ("POST", {"Origin": "https://evil.example"}, True),
    ],
)
def test_a_page_of_another_origin_may_link_here_and_no_more(
    method: str, headers: dict[str, str], expected: bool
) -> None:
    with Flask(__name__).test_request_context("/", method=method, headers=headers):
        assert is_cross_site() is expected
