"""Every way to log in again has a bound, and header lines go to their own site alone."""

from __future__ import annotations

import asyncio

import pytest
from scrapy import Request
from scrapy.http import Response

from extensions.logins.secret import Secret, SecretText
from extensions.logins.site_session import (
    MAX_AGAIN,
    MAX_COOKIES,
    MAX_LOGINS,
    MAX_REFUSED,
    MAX_USELESS,
    WALLS_IN_A_ROW,
    AtWall,
    SiteSession,
    session_of_url,
)
from extensions.logins.sites import BasicLogin, CookieLogin, FormLogin, HeaderLogin, Login, Site, TokenLogin

ORIGIN = "https://wiki.example.org"
SECRET = Secret("env", "P")
BY_FORM = FormLogin(f"{ORIGIN}/login", "c", SECRET)


def session(login: Login, below: str = "/") -> SiteSession:
    return SiteSession(Site(f"{ORIGIN}:443", below, login, frozenset()), SecretText("pä ss"))


def logged_in(below: str = "/") -> SiteSession:
    opened = session(BY_FORM, below)
    again(opened)
    return opened


def again(opened: SiteSession) -> None:
    opened.begin_login()
    opened.is_open = True


@pytest.mark.parametrize(
    ("login", "line"),
    [
        (BasicLogin("Ann", SECRET), (b"Authorization", b"Basic QW5uOnDDpCBzcw==")),  # RFC 7617, 2.1: UTF-8
        (TokenLogin(SECRET), (b"Authorization", "Bearer pä ss".encode())),
        (HeaderLogin("X-Key", SECRET), (b"X-Key", "pä ss".encode())),
        (CookieLogin("key", SECRET), (b"Cookie", "key=pä ss".encode())),
    ],
)
def test_what_goes_with_each_request_goes_to_its_site_alone(login: Login, line: tuple[bytes, bytes]) -> None:
    opened = session(login, "/staff/")
    assert opened.lines(f"{ORIGIN}/staff/a?b") == [line]
    for other in (f"{ORIGIN}/", f"http{ORIGIN[5:]}/staff/", f"{ORIGIN}:444/staff/", "https://evil.example/staff/"):
        assert opened.lines(other) == []
    assert session_of_url(f"{ORIGIN}/staff/a", [opened]) is opened
    assert session_of_url(f"{ORIGIN}/other", [opened]) is None


def test_cookies_of_a_form_go_to_the_site_and_to_its_login() -> None:
    opened = logged_in("/staff/")
    login = Request(BY_FORM.page)
    opened.note_login_url(login.url)
    opened.keep_cookies(login, Response(login.url, headers={"Set-Cookie": ["a=1; Path=/", "b=2; Domain=evil.example"]}))
    assert opened.lines(f"{ORIGIN}/staff/x") == opened.lines(login.url) == [(b"Cookie", b"a=1")]
    assert opened.lines(f"{ORIGIN}/other") == []
    again(opened)
    assert opened.lines(f"{ORIGIN}/staff/x") == [], "each login begins without the cookies before"


def test_a_site_can_not_fill_the_memory_with_cookies() -> None:
    opened = logged_in()
    many = Response(ORIGIN, headers={"Set-Cookie": [f"c{number}=x" for number in range(MAX_COOKIES + 1)]})
    opened.keep_cookies(Request(f"{ORIGIN}/"), many)
    assert not opened.has_cookies


def test_a_page_that_shows_the_login_is_requested_again_and_then_has_failed() -> None:
    opened = logged_in()
    for _ in range(MAX_AGAIN):
        assert opened.walled("/a", opened.number) is AtWall.AGAIN
        assert not opened.is_open
        again(opened)
    assert opened.walled("/a", opened.number) is AtWall.FAILED
    assert opened.is_open


def test_a_page_that_was_requested_under_an_earlier_session_needs_no_login_of_its_own() -> None:
    opened = logged_in()
    assert opened.walled("/a", opened.number) is AtWall.AGAIN
    assert opened.walled("/b", opened.number) is AtWall.AGAIN, "before the next login"
    again(opened)
    assert opened.walled("/c", opened.number - 1) is AtWall.AGAIN
    assert opened.is_open


def test_after_useless_logins_one_page_alone_begins_no_other() -> None:
    opened = logged_in()
    for name in range(MAX_USELESS):
        for _ in range(MAX_AGAIN):
            opened.walled(f"/{name}", opened.number)
            again(opened)
        opened.walled(f"/{name}", opened.number)
        opened.accepted(200)
    logins = opened.number
    for name in range(1000):
        assert opened.walled(f"/more/{name}", opened.number) is AtWall.FAILED
        opened.accepted(200)
    assert (opened.number, opened.is_open) == (logins, True)
    ends = [opened.walled(f"/end/{name}", opened.number) for name in range(WALLS_IN_A_ROW)]
    assert ends == [*[AtWall.FAILED] * (WALLS_IN_A_ROW - 1), AtWall.AGAIN], "now the session has ended"


def test_a_run_logs_in_so_often_and_no_more() -> None:
    opened = logged_in()
    ends = []
    for name in range(MAX_LOGINS + 1):
        ends.append(opened.walled(f"/{name}", opened.number))
        if ends[-1] is AtWall.AGAIN:
            again(opened)
    assert ends[: MAX_LOGINS - 1] == [AtWall.AGAIN] * (MAX_LOGINS - 1)
    assert ends[MAX_LOGINS - 1 :] == [AtWall.CLOSED] * 2
    assert opened.number == MAX_LOGINS


def test_a_password_that_was_never_accepted_is_not_sent_twice() -> None:
    opened = session(BasicLogin("c", SECRET))
    opened.accepted(404)
    assert opened.walled("/a", 0) is AtWall.CLOSED


def test_a_password_that_worked_ends_the_site_after_walls_in_a_row_and_not_for_one_page() -> None:
    opened = session(BasicLogin("c", SECRET))
    opened.accepted(200)
    assert opened.walled("/other-realm", 0) is AtWall.FAILED
    opened.accepted(200)
    ends = [opened.walled(f"/{name}", 0) for name in range(WALLS_IN_A_ROW)]
    assert ends == [*[AtWall.FAILED] * (WALLS_IN_A_ROW - 1), AtWall.CLOSED]


def test_between_pages_that_are_open_to_all_a_wrong_password_is_sent_ten_times_at_most() -> None:
    opened = session(BasicLogin("c", SECRET))
    ends = []
    for name in range(MAX_REFUSED):
        opened.accepted(200)
        ends.append(opened.walled(f"/{name}", 0))
    assert ends == [*[AtWall.FAILED] * (MAX_REFUSED - 1), AtWall.CLOSED]


def test_the_first_request_with_a_password_is_sent_alone() -> None:
    async def requests(ends: str) -> list[bool]:
        opened = session(BasicLogin("c", SECRET))
        assert await opened.turn()
        others = [asyncio.ensure_future(opened.turn()) for _ in range(3)]
        await asyncio.sleep(0)
        assert not any(each.done() for each in others)
        if ends == "accepted":
            opened.accepted(200)
        if ends == "refused":
            opened.closed = "the password is wrong"
        opened.first_ended()
        for _ in range(20):  # turns of the loop, of which they need three
            await asyncio.sleep(0)
        return [each.result() for each in others if each.done()]

    assert asyncio.run(requests("accepted")) == [False] * 3
    assert asyncio.run(requests("refused")) == [False] * 3
    assert asyncio.run(requests("lost")) == [True], "the next one is alone, too"
