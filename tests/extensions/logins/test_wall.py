"""Which responses are a login instead of a page, and which requests would end a session?"""

from __future__ import annotations

import pytest
from scrapy.http import Response

from extensions.logins.secret import Secret
from extensions.logins.sites import BasicLogin, CookieLogin, FormLogin, Login, Site
from extensions.logins.wall import ends_session, login_wall

ORIGIN = "https://wiki.example.org"
SECRET = Secret("env", "P")
BY_FORM = FormLogin(f"{ORIGIN}/enter", "c", SECRET)
BY_ROOT = FormLogin(f"{ORIGIN}/", "c", SECRET)
BY_COOKIE = CookieLogin("session", SECRET)
BY_BASIC = BasicLogin("c", SECRET)
SHOWN = b"<form method=post><input name=who><input type=password name=pass></form>"


def site(login: Login) -> Site:
    return Site(f"{ORIGIN}:443", "/", login, frozenset())


@pytest.mark.parametrize(
    ("login", "path", "status", "location", "body", "wall"),
    [
        (BY_BASIC, "/a", 401, "", b"", "the server answered 401"),
        (BY_BASIC, "/a", 403, "", b"", ""),
        (BY_BASIC, "/a", 200, "", SHOWN, ""),
        (BY_BASIC, "/a", 302, "/login", b"", ""),
        (BY_FORM, "/a", 401, "", b"", "the server answered 401"),
        (BY_FORM, "/a", 403, "", b"", "the server answered 403"),
        (BY_FORM, "/a", 404, "", SHOWN, ""),
        (BY_FORM, "/a", 200, "", b"<p>A chapter", ""),
        (BY_FORM, "/a", 200, "", SHOWN, "it shows a login form"),
        (BY_FORM, "/a", 302, "/enter?next=%2Fa", b"", f"it redirects to the login at {ORIGIN}/enter"),
        (BY_FORM, "/a", 303, "/enter/step-two", b"", f"it redirects to the login at {ORIGIN}/enter/step-two"),
        (
            BY_FORM,
            "/a",
            302,
            "https://sso.example/signin?to=x",
            b"",
            "it redirects to the login at https://sso.example/signin",
        ),
        (BY_FORM, "/a", 302, "/users/two_factor", b"", f"it redirects to the login at {ORIGIN}/users/two_factor"),
        (BY_FORM, "/a", 301, "/b", b"", ""),
        (BY_FORM, "/a", 301, "/entertainment", b"", ""),
        (BY_FORM, "/enter?next=/a", 200, "", SHOWN, ""),
        (BY_ROOT, "/a", 302, "/", b"", f"it redirects to the login at {ORIGIN}/"),
        (BY_ROOT, "/", 200, "", SHOWN, "it shows a login form"),
        (BY_ROOT, "/a", 302, "/b", b"", ""),
        (BY_COOKIE, "/a", 302, "/user/login", b"", f"it redirects to the login at {ORIGIN}/user/login"),
        (BY_COOKIE, "/a", 302, "/blogging", b"", ""),
        (BY_COOKIE, "/a", 200, "", SHOWN, "it shows a login form"),
    ],
)
def test_a_login_wall(login: Login, path: str, status: int, location: str, body: bytes, wall: str) -> None:
    url = f"{ORIGIN}{path}"
    headers = {"Location": location} if location else {}
    assert login_wall(site(login), url, Response(url, status=status, headers=headers, body=body)) == wall


@pytest.mark.parametrize(
    ("path", "ends"),
    [
        ("/logout", True),
        ("/user/logout/", True),
        ("/sign-out.php", True),
        ("/index.php?action=logout&token=1", True),
        ("/index.php?title=Special:UserLogout", True),
        ("/account/logoff", True),
        ("/logout/how-it-works", False),
        ("/blogout", False),
        ("/layout", False),
        ("/wiki/Log_output", False),
        ("/", False),
    ],
)
def test_a_request_that_would_end_a_session(path: str, ends: bool) -> None:
    assert ends_session(site(BY_FORM), f"{ORIGIN}{path}") is ends
    assert ends_session(site(BY_COOKIE), f"{ORIGIN}{path}") is ends
    assert ends_session(site(BY_BASIC), f"{ORIGIN}{path}") is False
