"""A question as a feed: Atom as RFC 4287 has it, whatever a page wrote."""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from gateway.plots import permitted
from tests.gateway.conftest import SITE, a_page, crawl, gateway, index

if TYPE_CHECKING:
    from pathlib import Path

    from flask.testing import FlaskClient

ATOM = "{http://www.w3.org/2005/Atom}"
SAID_ONCE = {"id", "title", "updated"}  # of a feed and of an entry: RFC 4287, 4.1.1 and 4.1.2


def read(client: FlaskClient, path: str) -> Any:
    """Read a feed with a strict parser, and check what holds for every one."""
    answer = client.get(path)
    assert (answer.status_code, answer.mimetype) == (200, "application/atom+xml")
    root = etree.fromstring(answer.data)
    assert root.tag == f"{ATOM}feed"
    assert root.findtext(f"{ATOM}author/{ATOM}name"), "4.1.1: a feed has an author, or each of its entries has"
    for one in (root, *root.findall(f"{ATOM}entry")):
        assert all(len(one.findall(f"{ATOM}{name}")) == 1 for name in SAID_ONCE)
        assert re.match(r"https?://", one.findtext(f"{ATOM}id"))
        for moment in (*one.findall(f"{ATOM}updated"), *one.findall(f"{ATOM}published")):
            assert datetime.fromisoformat(moment.text).tzinfo is not None
        links = [(link.get("rel"), link.get("type"), link.get("hreflang")) for link in one.findall(f"{ATOM}link")]
        assert len(links) == len(set(links)), "no two alternates of one type and language"
    entries = [entry.findtext(f"{ATOM}id") for entry in root.findall(f"{ATOM}entry")]
    assert len(entries) == len(set(entries))
    return root


def test_the_results_of_a_question_are_entries(client: FlaskClient) -> None:
    root = read(client, "/search.atom?q=rye+bread&lang=en")
    assert root.findtext(f"{ATOM}title") == "rye bread · Breadcrumb"
    links = {link.get("rel"): link.get("href") for link in root.findall(f"{ATOM}link")}
    assert links["self"] == "http://localhost/search.atom?q=rye+bread&lang=en"
    assert links["alternate"] == "http://localhost/search?q=rye+bread&lang=en"
    first = root.find(f"{ATOM}entry")
    assert first.findtext(f"{ATOM}id") == first.find(f"{ATOM}link").get("href") == f"{SITE}/rye.html"
    assert first.findtext(f"{ATOM}title") == "Rye bread"
    assert first.findtext(f"{ATOM}summary").startswith("Rye bread keeps for a week.")
    assert first.findtext(f"{ATOM}updated") == "2026-11-20T09:30:00Z"


def test_what_strangers_wrote_is_text(tmp_path: Path) -> None:
    pages = (
        a_page("/a.html", "Rye ]]> & <b>\x00\x0b\ufffe", "rye \x1b[31m <script>alert(1)</script>", language='"x'),
        a_page("/b.html", "", "rye", published=-1e12, modified=1e15),
        a_page("/c.html", "Rye", "rye", language=""),
    )  # fmt: skip
    crawl(tmp_path, pages, ())
    index(tmp_path)
    root = read(gateway(tmp_path), "/search.atom?q=rye")
    titles = {one.findtext(f"{ATOM}id"): one.findtext(f"{ATOM}title") for one in root.findall(f"{ATOM}entry")}
    assert len(titles) == 3
    assert titles[f"{SITE}/a.html"].startswith("Rye ]]> & <b>\ufffd")
    assert titles[f"{SITE}/b.html"] == f"{SITE}/b.html"


@given(st.text())
def test_any_text_is_cleaned_to_what_xml_can_say(text: str) -> None:
    element = etree.Element("title")
    element.text = permitted(text)  # lxml refuses what XML has not
    assert etree.fromstring(etree.tostring(element)).tag == "title"


@pytest.mark.parametrize("path", ["/search.atom", "/search.atom?q=x&page=0"])
def test_a_feed_of_nothing_is_refused_with_what_would_work(client: FlaskClient, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 400
    assert "page=" in answer.text or "/search.atom?q=rye+bread" in answer.text


def test_the_page_of_results_and_the_description_for_browsers_lead_to_it(client: FlaskClient) -> None:
    page = client.get("/search?q=rye&lang=en&page=2").text
    assert 'type="application/atom+xml" title="rye" href="/search.atom?q=rye&amp;lang=en"' in page
    assert 'template="http://localhost/search.atom?q={searchTerms}"' in client.get("/opensearch.xml").text
