"""Do the pages that programs make stay the same? A trap that can't be walked twice can't be studied."""

from __future__ import annotations

import re
import zlib
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demo.gateways import GATEWAYS, calendar, doors, footsteps, ledger, missing, session, ticket, wharf
from demo.request import Visit

if TYPE_CHECKING:
    from collections.abc import Callable

    from demo.answer import Answer


def links(answer: Answer) -> list[str]:
    return [href.replace("&amp;", "&") for href in re.findall(r'href="(/[^"]*|[a-z]+/)"', answer.body.decode())][2:]


def texts(answer: Answer) -> str:
    return re.sub(r"<[^>]*>", "", answer.body.decode())


@pytest.mark.parametrize(("place", "program"), GATEWAYS.items(), ids=map("".join, GATEWAYS))
def test_the_same_visit_gets_the_same_page(place: tuple[str, str], program: Callable[[Visit], Answer]) -> None:
    assert program(Visit(place[1], {})).body == program(Visit(place[1], {})).body


def test_the_calendar_turns_the_year_and_never_ends() -> None:
    december = calendar.month(Visit("/calendar", {"year": "2026", "month": "12"}))
    assert links(december) == [
        "/calendar?year=2027&month=1",
        "/calendar?year=2026&month=11",
        "/calendar?year=2027&month=12",
    ]
    january = calendar.month(Visit("/calendar", {"year": "2027", "month": "1"}))
    assert "/calendar?year=2026&month=12" in links(january)


@pytest.mark.parametrize("query", [{"month": "13"}, {"month": "0"}, {"year": "x"}, {"year": "10000"}, {"year": "²"}])
def test_a_month_that_is_none_is_missing(query: dict[str, str]) -> None:
    assert calendar.month(Visit("/calendar", query)).status == 404


@given(st.dictionaries(st.sampled_from(["year", "month", "sid"]), st.text(max_size=8)))
def test_no_query_breaks_the_calendar_or_the_shop(query: dict[str, str]) -> None:
    assert calendar.month(Visit("/calendar", query)).status in {200, 404}
    assert session.counter(Visit("/shop", query)).status == 200


def test_behind_each_door_is_another_and_none_comes_twice_in_a_thousand() -> None:
    path, seen = "/doors/", []
    for _ in range(1000):
        seen.append(path)
        (path,) = links(doors.door(Visit(path, {})))
        assert not re.search(r"\d", path)
    assert len(set(seen)) == 1000


def test_each_link_of_the_shop_has_a_session_of_its_own_and_the_texts_are_known() -> None:
    first = session.counter(Visit("/shop", {}))
    later = session.counter(Visit("/shop", {"sid": "4711"}))
    assert texts(first) == texts(later)
    assert not set(links(first)) & set(links(later))


def test_the_shop_has_two_shelves_only() -> None:
    assert session.counter(Visit("/shop/hats", {})).status == 404


def test_each_step_tells_something_new_and_leads_one_deeper() -> None:
    first, second = (footsteps.stairs(Visit("/" + "stairs/" * times, {})) for times in (1, 2))
    assert texts(first) != texts(second)
    assert links(first) == links(second) == ["stairs/"]


@pytest.mark.parametrize(
    ("path", "onward"), [("/lamp/", "mirror/"), ("/lamp/mirror/", "lamp/"), ("/lamp/mirror/lamp/", "mirror/")]
)
def test_lamp_and_mirror_lead_to_each_other(path: str, onward: str) -> None:
    assert links(footsteps.lamp(Visit(path, {}))) == [onward]


@pytest.mark.parametrize(
    "path", ["/lamp/lamp/", "/lamp/mirror", "/lamp/mirror/mirror/", "/lamp/" + "mirror/lamp/" * 600]
)
def test_a_walk_out_of_step_ends(path: str) -> None:
    assert footsteps.lamp(Visit(path, {})).status == 404


def test_the_apology_is_friendly_about_any_path_and_harmless() -> None:
    answer = missing.friendly("/<script>alert(1)</script>")
    assert answer.status == 200
    assert b"<script>" not in answer.body


def test_the_ledger_is_made_piece_by_piece() -> None:
    answer = ledger.ledger(Visit("/ledger.txt", {}))
    assert answer.stream is not None
    pieces = answer.stream()
    assert len(next(pieces)) + sum(map(len, pieces)) == answer.size == ledger.SIZE
    assert answer.body == b""


def test_the_ticket_is_a_picture_whatever_its_name_says() -> None:
    answer = ticket.ticket(Visit("/ticket", {}))
    assert answer.type == "image/png"
    start = answer.body.index(b"IDAT")
    size = int.from_bytes(answer.body[start - 4 : start], "big")
    pixels = zlib.decompress(answer.body[start + 4 : start + 4 + size])
    assert len(pixels) == ticket.HEIGHT * (1 + 3 * ticket.WIDTH)


@given(st.text(max_size=80))
def test_the_exchange_praises_whatever_it_does_not_have(name: str) -> None:
    answer = wharf.boats(Visit(f"/boats/x{name}", {}))
    assert answer.status == 200
    assert b"not found" not in answer.body.lower()
    assert b"Nobody on this coast has a finer one" in answer.body
