"""The statements of a page about itself are shown with their source: in rows for a reader, and as JSON."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from reports.why import url_record, why_rows
from tests.samples import SEED, a_page, lease_all

if TYPE_CHECKING:
    from frontier.session import Session

HOST = "http://a.example"
RYE = f"{HOST}/rye.html"


@pytest.fixture(autouse=True)
def _seed(session: Session) -> None:
    lease_all(session)
    session.store.page(a_page(SEED, links=(RYE,)))


def test_what_a_page_says_of_itself_is_told_with_the_place_that_says_so(session: Session) -> None:
    told: dict[str, Any] = {
        "encoding": "koi8-r", "encoding_reason": "a meta element says so", "published": 1714694400.0,
        "published_by": "JSON-LD datePublished", "modified": 1714780800.0, "modified_by": "the meta revised",
        "site_name": "The Bakery", "breadcrumbs": ("Home", "Breads"), "data_types": ("JSON-LD Article",),
        "alternates": (("de", "http://b.example/de"), ("fr", "http://b.example/fr"), ("x-default", "http://b.example/de")),
        "pictures": ("A rye loaf",), "keywords": ("bread", "money"), "languages": (("en", 0.7), ("de", 0.3)),
    }  # fmt: skip
    lease_all(session)
    session.store.page(a_page(RYE, **told))
    found = url_record(session.database, RYE)
    rows = [row.text for row in why_rows(found)]
    for line in (
        "Read as koi8-r, because a meta element says so.",
        "Its blocks are in several languages: 70% en, 30% de.",
        "It was published on 3 May 2024, by JSON-LD datePublished, and changed on 4 May 2024, by the meta revised.",
        "The site name is “The Bakery”, by its own word. It is removed from the title.",
        "Its breadcrumbs: Home > Breads.",
        "Its structured data: JSON-LD Article.",
        "Its version for de, x-default is http://b.example/de",
        "Its version for fr is http://b.example/fr",
        "Texts of its 1 pictures, searched with its text: “A rye loaf”.",
        "Its keywords meta is ignored: bread, money.",
    ):
        assert line in rows
    as_json = json.loads(json.dumps(found.as_dict()))["page"]
    assert as_json["encoding_reason"] == "a meta element says so"
    assert (as_json["published"], as_json["published_by"]) == (1714694400.0, "JSON-LD datePublished")
    assert (as_json["keywords"], as_json["breadcrumbs"]) == (["bread", "money"], ["Home", "Breads"])


def test_a_learnt_name_of_a_site_is_told_with_its_evidence(session: Session) -> None:
    lease_all(session)
    session.store.page(replace(a_page(RYE, links=(f"{HOST}/0",)), title="Rye bread | The Bakery"))
    for number, letter in enumerate("abcdefgh"):
        lease_all(session)
        session.store.page(
            replace(
                a_page(f"{HOST}/{number}", links=(f"{HOST}/{number + 1}",)), title=f"Bread {letter * 3} | The Bakery"
            )
        )
    found = url_record(session.database, RYE)
    assert found.page is not None
    assert found.page.title == "Rye bread"
    assert (found.page.site_name, found.page.site_name_by) == (
        "The Bakery", "as 7 of 8 different titles of the site show"
    )  # fmt: skip


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        pytest.param({}, "Its server gives 3 May 2024 (Last-Modified)", id="alone"),
        pytest.param({"modified": 1.0e9, "modified_by": "the meta revised"},
                     "changed on 9 Sep 2001, by the meta revised", id="weaker than the page's own word"),
    ],
)  # fmt: skip
def test_the_date_of_the_header_is_told_where_the_page_tells_none(
    session: Session, fields: dict[str, Any], told: str
) -> None:
    lease_all(session)
    session.store.page(a_page(RYE, last_modified="Fri, 03 May 2024 12:30:00 GMT", **fields))
    rows = [
        row.text
        for row in why_rows(url_record(session.database, RYE))
        if "no date" in row.text or "changed on" in row.text
    ]
    assert len(rows) == 1
    assert told in rows[0]
