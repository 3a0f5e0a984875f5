"""Which pages have nothing to read? Login walls, parked domains, shells of scripts; and which only look like them."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages import FetchedBody, parse_page
from pipelines.no_content import no_content_refusal
from urls.records import CanonicalUrl, Page

SAID = tomllib.loads(Path(__file__).with_name("no_content.toml").read_text("utf-8"))
FORM = '<form><input name="user"><input type="password" name="pass"><button>OK</button></form>'
ROOT = '<div id="root"></div><script src="/bundle.js"></script>'


def read(title: str, body: str) -> Page:
    markup = f"<!doctype html><html><head><title>{title}</title></head><body>{body}</body></html>"
    headers = [("content-type", "text/html; charset=utf-8")]
    return parse_page(FetchedBody(markup.encode(), CanonicalUrl("http://a.example/x"), headers, 200, 1.0, 0.1))


def judge(title: str, body: str) -> str | None:
    refusal = no_content_refusal(read(title, body))
    return refusal.rule if refusal else None


@pytest.mark.parametrize("words", SAID["login"]["said"])
def test_a_form_that_asks_who_you_are_is_a_login_wall(words: str) -> None:
    assert judge(f"{words} | Acme", FORM) == "login-wall"
    assert judge("Acme", f"<h1>{words}</h1><p>Please enter your name.</p>{FORM}") == "login-wall"


@pytest.mark.parametrize(
    ("title", "body"),
    [
        pytest.param("How to log in", "<p>Open the page and type your name.</p>", id="an article without a form"),
        pytest.param("Bread", f"<h1>Bread</h1><p>Good bread.</p>{FORM}", id="a page with a form at its side"),
        pytest.param(
            "Login shells", "<p>" + "A login shell reads a profile. " * 30 + f"</p>{FORM}", id="a long article"
        ),
        pytest.param("Log in", "<p>Use the app.</p>", id="no password is asked for"),
    ],
)
def test_what_only_speaks_of_logging_in_is_kept(title: str, body: str) -> None:
    assert judge(title, body) is None


@pytest.mark.parametrize("words", SAID["parked"]["said"])
def test_a_domain_without_a_site_is_parked(words: str) -> None:
    ads = "".join(f'<li><a href="/ad{number}">Cheap things {number}</a></li>' for number in range(20))
    assert judge("acme.example", f"<h1>{words}</h1><ul>{ads}</ul>") == "parked"


def test_an_article_about_parked_domains_is_kept() -> None:
    assert judge("Domain parking", "<p>" + "A registrar shows advertisements on it. " * 40 + "</p>") is None


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(ROOT, id="an element that a script fills"),
        pytest.param("<div id=app><div class=spinner></div></div><script></script>", id="… with a spinner"),
        pytest.param('<app-root>Loading…</app-root><script src="/main.js"></script>', id="Angular's"),
        pytest.param(
            "<div id=main></div><noscript>You need to enable JavaScript to run this app.</noscript><script></script>",
            id="a note for browsers without scripts",
        ),
        pytest.param("<p>Bitte aktivieren Sie JavaScript.</p><script></script>", id="the same as a text"),
        pytest.param("<p>このサイトではJavaScriptを有効にしてください。</p><script></script>", id="… in Japanese"),
    ],
)
def test_what_a_script_fills_is_a_shell(body: str) -> None:
    assert judge("My app", body) == "script-shell"


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(
            "<div id=root><p>" + "Bread is made of flour. " * 10 + f"</p></div>{ROOT[21:]}", id="it has a text"
        ),
        pytest.param(
            "<ul>" + "".join(f"<li><a href=/{n}>Recipe {n}</a>" for n in range(40)) + "</ul>"
            "<noscript>Please enable JavaScript to view the comments.</noscript><script></script>",
            id="a list of links, with comments that need a script",
        ),
        pytest.param("<p>Enable JavaScript</p>", id="no script at all"),
        pytest.param("<p>A short page.</p><script></script>", id="a script that only counts visitors"),
    ],
)
def test_a_page_with_something_to_read_is_no_shell(body: str) -> None:
    assert judge("My app", body) is None


def test_each_reason_quotes_what_was_seen() -> None:
    reasons = [
        no_content_refusal(read("Sign in", FORM)),
        no_content_refusal(read("x", "This domain is for sale.")),
        no_content_refusal(read("My app", ROOT)),
    ]
    assert [refusal.reason for refusal in reasons if refusal] == [
        "its title says “Sign in”, it asks for a password, and it says hardly more",
        "it says “This domain is for sale”, and hardly more: a domain without a site",
        'without its scripts it says 0 words, and has the empty element that a script fills: <div id="root">',
    ]


@given(st.text(), st.binary())
def test_any_page_is_judged(text: str, body: bytes) -> None:
    no_content_refusal(Page(CanonicalUrl("http://a.example/x"), text, text, content_type="text/html", body=body))
