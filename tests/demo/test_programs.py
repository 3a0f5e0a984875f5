"""Do generated pages stay the same? A trap that changes between two crawls can't be studied."""

from __future__ import annotations

import re
import zlib
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demo import misleading_pages, trap_pages
from demo.messages import SiteRequest
from demo.virtual_hosts import PROGRAMS

if TYPE_CHECKING:
    from collections.abc import Callable

    from demo.messages import Response


def links(response: Response) -> list[str]:
    return [href.replace("&amp;", "&") for href in re.findall(r'href="(/[^"]*|[a-z]+/)"', response.body.decode())][2:]


def texts(response: Response) -> str:
    return re.sub(r"<[^>]*>", "", response.body.decode())


@pytest.mark.parametrize(("place", "program"), PROGRAMS.items(), ids=map("".join, PROGRAMS))
def test_the_same_visit_gets_the_same_page(place: tuple[str, str], program: Callable[[SiteRequest], Response]) -> None:
    assert program(SiteRequest(place[1], {})).body == program(SiteRequest(place[1], {})).body


def test_the_calendar_turns_the_year_and_never_ends() -> None:
    december = trap_pages.month(SiteRequest("/calendar", {"year": "2026", "month": "12"}))
    assert links(december) == [
        "/calendar?year=2027&month=1",
        "/calendar?year=2026&month=11",
        "/calendar?year=2027&month=12",
    ]
    january = trap_pages.month(SiteRequest("/calendar", {"year": "2027", "month": "1"}))
    assert "/calendar?year=2026&month=12" in links(january)


@pytest.mark.parametrize("query", [{"month": "13"}, {"month": "0"}, {"year": "x"}, {"year": "10000"}, {"year": "²"}])
def test_a_month_that_is_none_is_missing(query: dict[str, str]) -> None:
    assert trap_pages.month(SiteRequest("/calendar", query)).status == 404


@given(st.dictionaries(st.sampled_from(["year", "month", "sid"]), st.text(max_size=8)))
def test_no_query_breaks_the_calendar_or_the_shop(query: dict[str, str]) -> None:
    assert trap_pages.month(SiteRequest("/calendar", query)).status in {200, 404}
    assert trap_pages.counter(SiteRequest("/shop", query)).status == 200


def test_behind_each_door_is_another_and_none_comes_twice_in_a_thousand() -> None:
    path, seen = "/doors/", []
    for _ in range(1000):
        seen.append(path)
        (path,) = links(trap_pages.door(SiteRequest(path, {})))
        assert not re.search(r"\d", path)
    assert len(set(seen)) == 1000


def test_each_link_of_the_shop_has_a_session_of_its_own_and_the_texts_are_known() -> None:
    first = trap_pages.counter(SiteRequest("/shop", {}))
    later = trap_pages.counter(SiteRequest("/shop", {"sid": "4711"}))
    assert texts(first) == texts(later)
    assert not set(links(first)) & set(links(later))


def test_the_shop_has_two_shelves_only() -> None:
    assert trap_pages.counter(SiteRequest("/shop/hats", {})).status == 404


def test_each_step_tells_something_new_and_leads_one_deeper() -> None:
    first, second = (trap_pages.stairs(SiteRequest("/" + "stairs/" * times, {})) for times in (1, 2))
    assert texts(first) != texts(second)
    assert links(first) == links(second) == ["stairs/"]


@pytest.mark.parametrize(
    ("path", "onward"), [("/lamp/", "mirror/"), ("/lamp/mirror/", "lamp/"), ("/lamp/mirror/lamp/", "mirror/")]
)
def test_lamp_and_mirror_lead_to_each_other(path: str, onward: str) -> None:
    assert links(trap_pages.lamp(SiteRequest(path, {}))) == [onward]


@pytest.mark.parametrize(
    "path", ["/lamp/lamp/", "/lamp/mirror", "/lamp/mirror/mirror/", "/lamp/" + "mirror/lamp/" * 600]
)
def test_a_walk_out_of_step_ends(path: str) -> None:
    assert trap_pages.lamp(SiteRequest(path, {})).status == 404


def test_the_apology_is_friendly_about_any_path_and_harmless() -> None:
    response = misleading_pages.friendly("/<script>alert(1)</script>")
    assert response.status == 200
    assert b"<script>" not in response.body


def test_the_ledger_is_made_piece_by_piece() -> None:
    response = misleading_pages.ledger(SiteRequest("/ledger.txt", {}))
    assert response.stream is not None
    pieces = response.stream()
    assert len(next(pieces)) + sum(map(len, pieces)) == response.size == misleading_pages.SIZE
    assert response.body == b""


def test_the_ticket_is_a_picture_whatever_its_name_says() -> None:
    response = misleading_pages.ticket(SiteRequest("/ticket", {}))
    assert response.type == "image/png"
    start = response.body.index(b"IDAT")
    size = int.from_bytes(response.body[start - 4 : start], "big")
    pixels = zlib.decompress(response.body[start + 4 : start + 4 + size])
    assert len(pixels) == misleading_pages.HEIGHT * (1 + 3 * misleading_pages.WIDTH)


@given(st.text(max_size=80))
def test_the_exchange_praises_whatever_it_does_not_have(name: str) -> None:
    response = misleading_pages.boats(SiteRequest(f"/boats/x{name}", {}))
    assert response.status == 200
    assert b"not found" not in response.body.lower()
    assert b"Nobody on this coast has a finer one" in response.body
