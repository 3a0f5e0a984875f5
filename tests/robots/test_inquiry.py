"""Which URLs are requested for a robots.txt, with which conditions, and what is logged?

The cache is bounded, by number and by size, and drops the least recently used origin first.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace

import pytest

from robots import Access, AccessState, Copy, RobotsRequest, Unreachable
from robots.inquiry import HostRestsError, Inquiry, RobotsCache, RobotsResponse, RobotsStep, inquire
from tests.robots.answers import COPY, OTHER, RULES, STATES, URL, T

ORIGIN = "http://seeds.example:80"
HOME = "http://seeds.example/"
ELSEWHERE = "https://elsewhere.example/rules.txt"


def moved(to: str) -> RobotsResponse:
    return RobotsResponse(T, 0.1, 301, [("Location", to)])


FILE = RobotsResponse(T, 0.1, 200, [("ETag", '"1"'), ("Last-Modified", "Sat, 21 Nov 2026 05:00:00 GMT")], RULES)


@dataclass
class Web:
    """Answers by address; what was asked, and what was noted."""

    answers: dict[str, RobotsResponse | HostRestsError]
    refused: dict[str, str] = field(default_factory=dict)
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    noted: list[tuple[str, RobotsRequest, RobotsStep]] = field(default_factory=list)

    async def fetch(self, url: str, conditions: dict[str, str]) -> RobotsResponse:
        answer = self.answers[url]
        if isinstance(answer, HostRestsError):
            raise answer
        self.asked.append((url, conditions))
        return answer

    def refusal(self, url: str) -> str:
        return self.refused.get(url, "")

    def sent(self, origin: str, hop: RobotsRequest, step: RobotsStep) -> None:
        self.noted.append((origin, hop, step))

    def about(self, before: AccessState | None = None, reading: Unreachable = Unreachable.RFC9309) -> Inquiry:
        asking = inquire(
            ORIGIN, before or AccessState(), self, denial_closes=False, clock=lambda: T + 1, reading=reading
        )
        return asyncio.run(asking)


def test_a_file_at_the_root_is_one_request() -> None:
    web = Web({URL: FILE})
    found = web.about()
    assert web.asked == [(URL, {})]
    hop = RobotsRequest(URL, T, 0.1, 200, len(RULES))
    assert (found.hop, found.urls_asked, web.noted) == (hop, (URL,), [(ORIGIN, hop, RobotsStep.ASKED)])
    assert found.state.copy is not None
    assert (found.state.copy.address, found.state.asked_at) == (URL, T + 1)


def test_each_redirect_is_noted_and_the_file_is_for_the_origin_that_was_asked() -> None:
    web = Web({URL: moved("/r.txt"), "http://seeds.example/r.txt": moved(ELSEWHERE), ELSEWHERE: FILE})
    found = web.about()
    assert [(origin, hop.address, hop.status, step) for origin, hop, step in web.noted] == [
        (ORIGIN, URL, 301, RobotsStep.MOVED), (ORIGIN, "http://seeds.example/r.txt", 301, RobotsStep.MOVED),
        (ORIGIN, ELSEWHERE, 200, RobotsStep.ASKED),
    ]  # fmt: skip
    assert found.hop == RobotsRequest(ELSEWHERE, T, 0.1, 200, len(RULES))
    assert found.state.copy is not None
    assert found.state.copy.address == ELSEWHERE


def test_a_circle_ends_after_five_redirects() -> None:
    web = Web({URL: moved(URL)})
    found = web.about()
    assert (len(web.asked), len(web.noted), found.urls_asked) == (6, 6, (URL,) * 6)
    assert found.state.access is Access.OPEN


MADE_UP = "http://seeds.example/no-such-page-1520ea8ea004ebf3"


@pytest.mark.parametrize(
    ("made_up", "home", "access", "asked"),
    [
        pytest.param(500, 200, Access.OPEN, [URL, MADE_UP, HOME], id="5xx for missing pages alone: as after 404"),
        pytest.param(500, 500, Access.CLOSED, [URL, MADE_UP, HOME], id="5xx for all pages: a server in trouble"),
        pytest.param(404, 200, Access.CLOSED, [URL, MADE_UP], id="404 for missing pages: robots.txt is not missing"),
        pytest.param(200, 200, Access.CLOSED, [URL, MADE_UP], id="a page for any name tells nothing"),
    ],
)
def test_google_reads_a_5xx_as_404_where_all_missing_pages_have_it(
    made_up: int, home: int, access: Access, asked: list[str]
) -> None:
    answers: dict[str, RobotsResponse | HostRestsError] = {URL: RobotsResponse(T, 0.1, 503)}
    answers |= {MADE_UP: RobotsResponse(T, 0.1, made_up), HOME: RobotsResponse(T, 0.1, home)}
    web = Web(answers)
    found = web.about(reading=Unreachable.GOOGLE)
    assert (found.state.access, [url for url, _ in web.asked]) == (access, asked)
    noted = [(hop.address, step) for _, hop, step in web.noted]
    assert noted == [(URL, RobotsStep.ASKED), *((address, RobotsStep.CHECKED) for address in asked[1:])]
    assert (found.hop, found.state.status) == (RobotsRequest(URL, T, 0.1, 503), 503)
    web = Web(answers)
    assert web.about().state.access is Access.CLOSED
    assert [url for url, _ in web.asked] == [URL]


RESTS = HostRestsError("its host rests", 120.0)


@pytest.mark.parametrize(
    ("status", "headers", "why"),
    [
        pytest.param(503, [("Retry-After", "120")], "answered 503", id="it says itself when to come back"),
        pytest.param(500, [], "answered 500", id="the check is not sent"),
    ],
)
def test_a_failing_file_whose_check_can_t_be_made_fails_and_its_request_is_noted(
    status: int, headers: list[tuple[str, str]], why: str
) -> None:
    web = Web({URL: RobotsResponse(T, 0.1, status, headers), MADE_UP: RESTS})
    found = web.about(reading=Unreachable.GOOGLE)
    assert [(hop.status, step) for _, hop, step in web.noted] == [(status, RobotsStep.ASKED)]
    assert (found.state.access, found.state.failing_since) == (Access.CLOSED, T + 1)
    assert why in found.state.reason
    later = replace(found.state, failing_since=T - 31 * 86400.0)
    assert web.about(later, reading=Unreachable.GOOGLE).state.access is Access.OPEN


def test_a_file_on_a_host_that_rests_is_asked_for_again_after_the_rest() -> None:
    found = Web({URL: moved(ELSEWHERE), ELSEWHERE: RESTS}).about()
    assert (found.state.access, found.state.failing_since) == (Access.CLOSED, T + 1)
    assert found.state.ask_again_at == T + 1 + 120
    assert f"it is at {ELSEWHERE}, and its host rests" in found.state.reason


def test_of_an_origin_whose_own_host_rests_nothing_is_learnt() -> None:
    with pytest.raises(HostRestsError):
        Web({URL: RESTS}).about()


COPIED = replace(
    STATES["a file"], copy=replace(COPY, address=ELSEWHERE, etag='"0"', last_modified="Sat, 21 Nov 2026 12:00:00 GMT")
)


def test_only_the_address_that_gave_the_copy_is_asked_whether_it_still_holds() -> None:
    web = Web({URL: moved(ELSEWHERE), ELSEWHERE: RobotsResponse(T, 0.1, 304)})
    found = web.about(COPIED)
    assert web.asked == [
        (URL, {}),
        (ELSEWHERE, {"If-None-Match": '"0"', "If-Modified-Since": "Sat, 21 Nov 2026 12:00:00 GMT"}),
    ]
    assert found.state.access is Access.PARSED
    assert found.state.copy is not None
    assert found.state.copy.body == OTHER


@pytest.mark.parametrize(
    "before",
    [
        pytest.param(AccessState(), id="H18: never asked before"),
        pytest.param(COPIED, id="H18: the copy is of another address"),
        pytest.param(replace(COPIED, copy=replace(COPY, etag="")), id="H18: the copy has no tag and no date"),
    ],
)
def test_a_304_that_nobody_asked_for_closes_the_site(before: AccessState) -> None:
    found = Web({URL: RobotsResponse(T, 0.1, 304)}).about(before)
    assert found.state.access is Access.CLOSED
    assert found.state.copy is before.copy


def test_a_redirect_to_where_we_do_not_go_is_not_asked_and_is_no_failure_of_the_site() -> None:
    web = Web({URL: moved(ELSEWHERE)}, refused={ELSEWHERE: "it is on the blacklist"})
    found = web.about()
    assert [url for url, _ in web.asked] == [URL]
    assert [hop.address for _, hop, _ in web.noted] == [URL]
    assert (found.hop, found.state.access, found.state.failing_since) == (None, Access.CLOSED, None)
    assert "it is on the blacklist" in found.state.reason


@pytest.mark.parametrize(
    ("got", "hop", "failing_since"),
    [
        pytest.param(
            RobotsResponse(T, 30.0, trouble="no answer in time"),
            RobotsRequest(URL, T, 30.0, None),
            T + 1,
            id="H24: a time-out",
        ),
        pytest.param(
            RobotsResponse(None, trouble="a private address", refused_by_us=True), None, None, id="nothing was sent"
        ),
    ],
)
def test_silence_has_a_row_and_a_request_that_was_not_sent_has_none(
    got: RobotsResponse, hop: RobotsRequest | None, failing_since: float | None
) -> None:
    found = Web({URL: got}).about()
    assert (found.hop, found.state.failing_since) == (hop, failing_since)


def sized(length: int) -> AccessState:
    return replace(STATES["a file"], copy=Copy(b"#" * length, COPY.file, 0.0))


def test_the_origin_that_was_not_asked_for_longest_goes_first() -> None:
    known = RobotsCache(origins=2)
    known.put("a", STATES["open"])
    known.put("b", STATES["open"])
    assert known.get("a") is STATES["open"]
    known.put("c", STATES["open"])
    assert [origin for origin in "abc" if known.get(origin)] == ["a", "c"]


def test_long_files_leave_room_for_fewer() -> None:
    known = RobotsCache(size=1000)
    for origin in "abcdefgh":
        known.put(origin, sized(300))
    assert [origin for origin in "abcdefgh" if known.get(origin)] == ["f", "g", "h"]


def test_what_takes_the_place_of_something_else_does_not_count_twice() -> None:
    known = RobotsCache(size=1000)
    for _ in range(100):
        known.put("a", sized(300))
        known.put("b", sized(300))
    assert len(known) == 2
    known.put("a", sized(10))
    known.put("c", sized(600))
    assert len(known) == 3


def test_the_latest_is_at_hand_however_long_it_is() -> None:
    known = RobotsCache(size=10)
    known.put("a", sized(5))
    known.put("b", sized(500))
    assert (len(known), known.get("b") is not None) == (1, True)
