"""The filters in their order: a crawl and `reparse` apply the same."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from pages.content.similarity import THRESHOLD, similarity
from pipelines.filters import ORDER, FilterSettings, PageFilters
from robots import PageControls
from tests.samples import SEED, a_page, lease_all
from urls.records import Page, Refusal
from urls.rules import Rule

if TYPE_CHECKING:
    from frontier.session import Session

WORDS = " ".join(f"word{number}" for number in range(200))
NEARLY = WORDS.replace("word100", "another")


def html(url: str, text: str = "", links: tuple[str, ...] = (), **fields: Any) -> Page:
    return replace(a_page(url, text, links, content_type="text/html", fingerprint=b""), **fields)


def filters(session: Session, **criteria: Any) -> PageFilters:
    return PageFilters(session.database, FilterSettings(**criteria))


def store(session: Session, page: Page) -> None:
    lease_all(session)
    session.store.page(filters(session).apply(page))


@pytest.mark.parametrize(
    ("fields", "rule"),
    [
        pytest.param({}, None, id="nothing speaks against it"),
        pytest.param({"content_type": "image/png"}, Rule.TYPE, id="a picture"),
        pytest.param({"controls": PageControls(index=False)}, Rule.NOINDEX, id="its owner says noindex"),
        pytest.param({"title": "Page not found"}, Rule.SOFT_404, id="it says that it is not there"),
        pytest.param({"refusals": (Refusal(Rule.BINARY, "no text"),)}, Rule.BINARY, id="what the parse says stays"),
    ],
)
def test_each_judge_has_its_say(session: Session, fields: dict[str, Any], rule: Rule | None) -> None:
    judged = filters(session).apply(html(SEED, **fields))
    assert [refusal.rule for refusal in judged.refusals] == ([rule] if rule else [])


def test_the_first_refusal_counts(session: Session) -> None:
    both = html("http://a.example/humans.txt", content_type="text/plain", controls=PageControls(index=False))
    [refusal] = filters(session).apply(both).refusals
    assert refusal.rule is Rule.WELL_KNOWN


def test_a_page_that_says_the_same_names_the_other_and_one_that_says_nearly_so_is_near_it(session: Session) -> None:
    home, copy, near = SEED, "http://a.example/copy", "http://a.example/near"
    store(session, html(home, WORDS, links=(copy, near), title="Words"))
    assert filters(session).apply(html(copy, WORDS, title="Words")).duplicate_of == home
    signed = filters(session).apply(html(near, NEARLY, title="Words"))
    assert signed.refusals == ()
    assert similarity(signed.signature, filters(session).apply(html(home, WORDS)).signature) > THRESHOLD


def test_a_threshold_of_one_switches_a_judge_off(session: Session) -> None:
    store(session, html(SEED, WORDS, links=("http://a.example/near",)))
    judged = filters(session, near_duplicate_threshold=1.0).apply(html("http://a.example/near", NEARLY))
    assert (judged.refusals, judged.signature) == ((), b"")


@pytest.mark.parametrize("fields", [{}, {"content_type": "image/png"}], ids=["kept", "refused"])
def test_what_was_measured_before_changes_no_judgement(session: Session, fields: dict[str, Any]) -> None:
    page = html(SEED, WORDS, **fields)
    measured = filters(session).measure(page)
    assert measured.fingerprint
    assert measured.signature
    assert filters(session).apply(measured) == filters(session).apply(page)


def test_what_was_measured_is_not_measured_again(session: Session) -> None:
    judged = filters(session).apply(html(SEED, WORDS, fingerprint=b"measured", signature=bytes(512)))
    assert (judged.fingerprint, judged.signature) == (b"measured", bytes(512))


def test_each_filter_stands_once_in_the_order() -> None:
    assert len(ORDER) == len(set(ORDER))
