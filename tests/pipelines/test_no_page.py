"""Which answers with success bring no page, and which only look so?"""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.no_content import WELL_KNOWN_TYPES, well_known_refusal
from urls.records import CanonicalUrl, Page, Refusal
from urls.rules import Rule

HOME = "http://site.example"
HUMANS = Page(CanonicalUrl(f"{HOME}/humans.txt"), "TEAM", "Baker: Ann", content_type="text/plain", body=b"/* TEAM */")


@pytest.mark.parametrize(
    ("path", "said"),
    [
        pytest.param("/humans.txt", "who made this site", id="80: humans.txt"),
        pytest.param("/killer-robots.txt", "joke of 2014", id="80: killer-robots.txt"),
        pytest.param("/ads.txt", "who may sell this site's advertising", id="81: ads.txt"),
        pytest.param("/app-ads.txt", "in this owner's apps", id="81: app-ads.txt"),
        pytest.param("/sellers.json", "for whom an advertising exchange sells", id="81: sellers.json"),
        pytest.param("/.well-known/security.txt", "RFC 9116", id="81: security.txt"),
        pytest.param("/security.txt", "RFC 9116", id="81: security.txt at its old place"),
        pytest.param("/robots.txt", "what robots may fetch", id="robots.txt asked for as a page"),
        pytest.param("/llms.txt", "language models", id="llms.txt"),
        pytest.param("/ads.txt?day=1", "advertising", id="with a query"),
    ],
)
def test_a_file_is_known_by_its_exact_path_and_says_what_it_is(path: str, said: str) -> None:
    refusal = well_known_refusal(replace(HUMANS, url=CanonicalUrl(HOME + path)))
    assert refusal is not None
    assert refusal.rule == "well-known"
    assert said in refusal.reason


@pytest.mark.parametrize(
    "path", ["/sub/robots.txt", "/Humans.txt", "/about/humans.txt", "/humans.txt/", "/well-known/security.txt", "/"]
)
def test_at_any_other_path_it_is_a_plain_page(path: str) -> None:
    assert well_known_refusal(replace(HUMANS, url=CanonicalUrl(HOME + path))) is None


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(replace(HUMANS, content_type="text/html"), id="HTML by its type"),
        pytest.param(replace(HUMANS, body=b"\xef\xbb\xbf\n<!DOCTYPE html><title>Home"), id="HTML by its bytes"),
        pytest.param(replace(HUMANS, body=b"  <HTML><body>"), id="HTML without a doctype"),
        pytest.param(replace(HUMANS, body=b"<!-- a comment --><p>"), id="a comment of markup"),
        pytest.param(replace(HUMANS, refusals=(Refusal(Rule.BINARY, "a PNG image"),)), id="refused by the parse"),
    ],
)
def test_a_page_at_such_a_path_is_a_page(page: Page) -> None:
    assert well_known_refusal(page) is None


def test_where_it_redirects_to_it_is_the_same_file() -> None:
    moved = replace(HUMANS, url=CanonicalUrl(f"{HOME}/about/people-2026.txt"))
    refusal = well_known_refusal(moved, [f"{HOME}/humans.txt"])
    assert refusal == Refusal(Rule.WELL_KNOWN, f"it is humans.txt: who made this site ({HOME}/humans.txt leads to it)")
    assert well_known_refusal(replace(moved, content_type="text/html"), [f"{HOME}/humans.txt"]) is None


@given(st.binary(max_size=200), st.sampled_from(sorted(WELL_KNOWN_TYPES)), st.text(max_size=20))
def test_any_bytes_are_judged(body: bytes, kind: str, path: str) -> None:
    page = replace(HUMANS, url=CanonicalUrl(f"{HOME}/{path}"), body=body, content_type=kind)
    refusal = well_known_refusal(page)
    assert refusal is None or refusal.rule == "well-known"
