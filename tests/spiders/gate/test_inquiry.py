"""The way to a robots.txt: which addresses are asked, with which conditions, and what is noted."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace

import pytest

from crawldb.tables.robots_files import Hop
from robots import Access, Standing
from spiders.gate.inquiry import Answer, Inquiry, inquire
from tests.robots.answers import COPY, OTHER, RULES, STATES, URL, T

ORIGIN = "http://seeds.example:80"
ELSEWHERE = "https://elsewhere.example/rules.txt"


def moved(to: str) -> Answer:
    return Answer(T, 0.1, 301, [("Location", to)])


FILE = Answer(T, 0.1, 200, [("ETag", '"1"'), ("Last-Modified", "Sat, 21 Nov 2026 05:00:00 GMT")], RULES)


@dataclass
class Web:
    """Answers by address; what was asked, and what was noted."""

    answers: dict[str, Answer]
    refused: dict[str, str] = field(default_factory=dict)
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    noted: list[tuple[str, Hop]] = field(default_factory=list)

    async def fetch(self, url: str, conditions: dict[str, str]) -> Answer:
        self.asked.append((url, conditions))
        return self.answers[url]

    def refusal(self, url: str) -> str:
        return self.refused.get(url, "")

    def redirected(self, origin: str, hop: Hop) -> None:
        self.noted.append((origin, hop))

    def about(self, before: Standing | None = None) -> Inquiry:
        asking = inquire(ORIGIN, before or Standing(), self, denial_closes=False, clock=lambda: T + 1)
        return asyncio.run(asking)


def test_a_file_at_the_root_is_one_request() -> None:
    web = Web({URL: FILE})
    found = web.about()
    assert web.asked == [(URL, {})]
    assert (found.hop, found.way, web.noted) == (Hop(URL, T, 0.1, 200, len(RULES)), (URL,), [])
    assert found.standing.copy is not None
    assert (found.standing.copy.address, found.standing.asked_at) == (URL, T + 1)


def test_each_redirect_is_noted_and_the_file_is_for_the_origin_that_was_asked() -> None:
    web = Web({URL: moved("/r.txt"), "http://seeds.example/r.txt": moved(ELSEWHERE), ELSEWHERE: FILE})
    found = web.about()
    assert [(origin, hop.address, hop.status) for origin, hop in web.noted] == [
        (ORIGIN, URL, 301), (ORIGIN, "http://seeds.example/r.txt", 301),
    ]  # fmt: skip
    assert found.hop == Hop(ELSEWHERE, T, 0.1, 200, len(RULES))
    assert found.standing.copy is not None
    assert found.standing.copy.address == ELSEWHERE


def test_a_circle_ends_after_five_redirects() -> None:
    web = Web({URL: moved(URL)})
    found = web.about()
    assert (len(web.asked), len(web.noted), found.way) == (6, 5, (URL,) * 6)
    assert found.standing.access is Access.OPEN


COPIED = replace(STATES["a file"], copy=replace(COPY, address=ELSEWHERE, etag='"0"', last_modified="Sat"))


def test_only_the_address_that_gave_the_copy_is_asked_whether_it_still_holds() -> None:
    web = Web({URL: moved(ELSEWHERE), ELSEWHERE: Answer(T, 0.1, 304)})
    found = web.about(COPIED)
    assert web.asked == [(URL, {}), (ELSEWHERE, {"If-None-Match": '"0"', "If-Modified-Since": "Sat"})]
    assert found.standing.access is Access.PARSED
    assert found.standing.copy is not None
    assert found.standing.copy.body == OTHER


@pytest.mark.parametrize(
    "before",
    [
        pytest.param(Standing(), id="H18: never asked before"),
        pytest.param(COPIED, id="H18: the copy is of another address"),
        pytest.param(replace(COPIED, copy=replace(COPY, etag="")), id="H18: the copy has no tag and no date"),
    ],
)
def test_a_304_that_nobody_asked_for_closes_the_site(before: Standing) -> None:
    found = Web({URL: Answer(T, 0.1, 304)}).about(before)
    assert found.standing.access is Access.CLOSED
    assert found.standing.copy is before.copy


def test_a_redirect_to_where_we_do_not_go_is_not_asked_and_is_no_failure_of_the_site() -> None:
    web = Web({URL: moved(ELSEWHERE)}, refused={ELSEWHERE: "it is on the blacklist"})
    found = web.about()
    assert [url for url, _ in web.asked] == [URL]
    assert [hop.address for _, hop in web.noted] == [URL]
    assert (found.hop, found.standing.access, found.standing.failing_since) == (None, Access.CLOSED, None)
    assert "it is on the blacklist" in found.standing.reason


@pytest.mark.parametrize(
    ("got", "hop", "failing_since"),
    [
        pytest.param(
            Answer(T, 30.0, trouble="no answer in time"), Hop(URL, T, 30.0, None), T + 1, id="H24: a time-out"
        ),
        pytest.param(Answer(None, trouble="a private address", ours=True), None, None, id="nothing was sent"),
    ],
)
def test_silence_has_a_row_and_a_request_that_was_not_sent_has_none(
    got: Answer, hop: Hop | None, failing_since: float | None
) -> None:
    found = Web({URL: got}).about()
    assert (found.hop, found.standing.failing_since) == (hop, failing_since)
