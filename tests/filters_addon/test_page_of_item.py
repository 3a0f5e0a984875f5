"""Which page does an item describe? Of every form that itemadapter knows, and never an error, whatever it holds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy import Field, Item
from scrapy.http.headers import Headers

from filters_addon.filters import page_of_item

URL = "http://shop.example/pears"
BODY = "<title>Pears</title><p>Pears keep for weeks in a cellar.</p>"


class Declared(Item):
    url, html, price = Field(), Field(), Field()


@dataclass
class Plain:
    url: str
    body: bytes
    headers: dict[str, str] = field(default_factory=dict)


@attrs.define
class Attrs:
    url: str
    text: str
    title: str = ""


@pytest.mark.parametrize(
    "item",
    [
        pytest.param({"url": URL, "html": BODY}, id="dict"),
        pytest.param(Declared(url=URL, html=BODY, price=3), id="Item"),
        pytest.param(Plain(URL, BODY.encode()), id="dataclass"),
        pytest.param(Attrs(URL, "Pears keep for weeks in a cellar.", "Pears"), id="attrs"),
        pytest.param({"url": URL.upper().replace("PEARS", "pears"), "body": BODY}, id="another spelling of the URL"),
    ],
)
def test_every_kind_of_item_is_a_page(item: Any) -> None:
    page = page_of_item(item, "ShopBot")
    assert page is not None
    assert (page.url, page.title, page.text) == (URL, "Pears", "Pears keep for weeks in a cellar.")


@pytest.mark.parametrize(
    "headers",
    [
        {"X-Robots-Tag": "shopbot: noindex"},
        [("x-robots-tag", "shopbot: noindex")],
        Headers({"X-Robots-Tag": ["otherbot: nofollow", "shopbot: noindex"]}),
        {b"X-Robots-Tag": [b"shopbot: noindex"]},
    ],
)
@pytest.mark.parametrize("content", [{"body": BODY.encode()}, {"text": "Pears"}], ids=["body", "text"])
def test_header_lines_count_in_every_form(headers: Any, content: dict[str, Any]) -> None:
    for agent, allowed in (("ShopBot", False), ("OtherBot", True)):
        page = page_of_item({"url": URL, "headers": headers} | content, agent)
        assert page is not None
        assert page.controls.index is allowed


def test_a_decoded_page_is_not_decoded_again_as_the_server_named_it() -> None:
    page = page_of_item(
        {"url": URL, "html": "<p>Äpfel", "headers": {"Content-Type": "text/html; charset=latin-1"}}, "a"
    )
    assert page is not None
    assert page.text == "Äpfel"


@pytest.mark.parametrize(
    "item",
    [
        None, 7, "text", [], {}, {"url": URL}, {"html": BODY}, {"url": "mailto:me", "text": "x"},
        {"url": 3, "text": "x"},
        {"url": URL, "text": "x", "status": "fine"}, {"url": URL, "text": "x", "headers": 5},
        {"url": URL, "text": "x", "headers": ["ab c"]},
        {"url": URL, "body": b"%PDF-", "headers": {"Content-Type": "application/pdf"}},
    ],
)  # fmt: skip
def test_what_describes_no_page_is_none(item: Any) -> None:
    assert page_of_item(item, "ShopBot") is None


_VALUES = st.one_of(
    st.none(), st.text(), st.binary(), st.integers(), st.floats(), st.just(URL), st.just(BODY),
    st.lists(st.text()),
    st.dictionaries(st.text(), st.one_of(st.text(), st.binary(), st.lists(st.binary()), st.none())),
    st.lists(st.tuples(st.text(), st.text())),
)  # fmt: skip
_NAMES = st.sampled_from(["url", "body", "html", "text", "title", "headers", "status", "price"])


@given(st.dictionaries(_NAMES, _VALUES))
def test_no_item_raises(fields: dict[str, Any]) -> None:
    page = page_of_item({"url": URL} | fields, "ShopBot")
    assert page is None or page.url
