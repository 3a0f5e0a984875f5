"""The effects of each page control: the report agrees with what happened to the page."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from reports.why import url_record
from reports.why.controls import control_effects
from robots import page_controls
from tests.samples import SEED, a_page, lease_all
from urls.records import Link, refusal_of_controls

if TYPE_CHECKING:
    from frontier.session import Session

RYE, OWN = "http://a.example/rye", "http://a.example/own"


def effects(session: Session, *metas: str, header: str = "", canonical: str = "", links: int = 0) -> list[str]:
    markup = "".join(f'<meta name="robots" content="{meta}">' for meta in metas).encode()
    headers = [("X-Robots-Tag", header)] if header else []
    controls = page_controls(headers, markup, agent="Breadcrumb", url=RYE)
    lease_all(session)
    session.store.page(a_page(SEED, links=(RYE,)))
    lease_all(session)
    refusal = refusal_of_controls(controls, datetime.now(UTC))
    page = replace(
        a_page(RYE),
        controls=controls,
        refusals=(refusal,) if refusal else (),
        canonical=canonical or None,
        links=tuple(Link(f"{RYE}/{number}", "", not controls.follow) for number in range(links)),
    )
    session.store.page(page)
    return [effect.effect for effect in control_effects(url_record(session.database, RYE))]


@pytest.mark.parametrize(
    ("meta", "effect"),
    [
        ("noindex", "The page is kept out of the index."),
        ("noarchive", "No copy of the page is shown."),
        ("nosnippet", "The results show no text of it."),
        ("max-snippet:20", "Its snippet has at most 20 characters."),
        ("max-snippet:-1", "It sets no limit."),
        ("unavailable_after: 2020-02-01", "It is no result since 2020-02-01 00:00 UTC."),
        ("unavailable_after: 2090-02-01", "It may be a result until 2090-02-01 00:00 UTC."),
        ("unavailable_after: soon 1", "It is not a date, so it has no effect."),
        ("max-image-preview:none", "Breadcrumb shows no pictures."),
        ("index", "It allows what is allowed anyway; a noindex would win."),
    ],
)
def test_a_wish_is_told_with_what_it_caused(session: Session, meta: str, effect: str) -> None:
    assert effects(session, meta) == [effect]


def test_links_that_are_not_followed_are_counted(session: Session) -> None:
    assert effects(session, "nofollow", links=3) == ["3 links of it are not followed."]


def test_none_is_both(session: Session) -> None:
    [both] = effects(session, header="none", links=1)
    assert both == "The page is kept out of the index. 1 link of it is not followed."


def test_of_two_dates_the_earlier_holds_and_of_two_lengths_the_shorter(session: Session) -> None:
    metas = ("unavailable_after: 2090-02-01", "unavailable_after: 2080-02-01", "max-snippet:20", "max-snippet:5")
    assert effects(session, *metas) == [
        "An earlier date applies.",
        "It may be a result until 2080-02-01 00:00 UTC.",
        "A stricter control applies, or this is invalid: at most 5 characters are shown.",
        "Its snippet has at most 5 characters.",
    ]


@pytest.mark.parametrize(
    ("named", "effect"),
    [
        pytest.param(RYE, "It names itself, so it has no effect.", id="itself"),
        pytest.param(SEED, "That page is in the index instead of this one.", id="one in the index"),
        pytest.param(OWN, "It has no effect: the page that it names is not in the index.", id="not fetched"),
        pytest.param(
            "http://elsewhere.example/",
            "It has no effect: the page names http://elsewhere.example/ as its canonical address, which "
            "is not on a seed's site.",
            id="off site",
        ),
    ],
)
def test_a_canonical_address_is_told_with_what_it_caused(session: Session, named: str, effect: str) -> None:
    assert effects(session, canonical=named) == [effect]


def test_a_page_that_is_not_stored_has_no_controls(session: Session) -> None:
    assert control_effects(url_record(session.database, RYE)) == ()
