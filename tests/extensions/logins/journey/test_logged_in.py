"""Does a crawl read what is behind a login, and does it keep what it has read when the login fails?"""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from spiders.own_folders import ROOT
from tests.extensions.logins.journey.conftest import FORM, Manual, cookies, page
from tests.journey.conftest import html

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.journey.conftest import Folder, Site

BASIC = 'basic = {{ user = "{user}", password = "{password}" }}'
BY_FORM = 'form = {{ page = "/login", user = "{user}", password = "{password}" }}'
CHAPTERS = ["/", "/rye", "/spelt"]


def crawl(folder: Folder, manual: Manual, options: list[str]) -> subprocess.CompletedProcess[str]:
    return folder.run("crawl", "site", "-a", f"seeds={manual.url}/", *options)


def stored(folder: Folder) -> list[str]:
    """Return the paths whose text the crawl has."""
    assert folder.run("index").returncode == 0
    return sorted(folder.search("explains"))


def why(folder: Folder, url: str) -> str:
    """Return what `why` says, in one line."""
    return " ".join(folder.run("why", url).stdout.split())


def report(folder: Folder) -> str:
    return " ".join(folder.run("report").stdout.split())


def test_a_manual_behind_a_form_is_crawled_with_one_login(
    form_manual: Manual, folder: Folder, settings: Callable[..., list[str]]
) -> None:
    done = crawl(folder, form_manual, settings(form_manual, BY_FORM))
    assert done.returncode == 0, done.stderr
    assert stored(folder) == CHAPTERS
    assert form_manual.asked()[:2] == ["/robots.txt", "/login"], "the rules come first"
    assert form_manual.asked("POST") == ["/enter"]
    assert all("session" in cookies(each) for each in form_manual.log[3:])
    assert "/logout" not in form_manual.asked()
    assert "would end the session" in why(folder, f"{form_manual.url}/logout")


def test_a_manual_behind_a_password_is_crawled_and_so_is_its_robots_txt(
    basic_manual: Manual, folder: Folder, settings: Callable[..., list[str]]
) -> None:
    rules = b"User-agent: *\nDisallow: /spelt\n"
    basic_manual.pages["/robots.txt"] = 200, {"Content-Type": "text/plain"}, rules
    done = crawl(folder, basic_manual, settings(basic_manual, BASIC))
    assert done.returncode == 0, done.stderr
    assert stored(folder) == ["/", "/rye"], "its rules hold, although only who logs in can read them"
    assert "/logout" in basic_manual.asked(), "there is no session that it could end"


@pytest.mark.slow
def test_a_session_that_ends_is_opened_again_and_no_page_is_lost(
    form_manual: Manual, folder: Folder, settings: Callable[..., list[str]]
) -> None:
    options = settings(form_manual, BY_FORM, CONCURRENT_REQUESTS_PER_DOMAIN=1)
    chapters = sorted(
        f"/{grain}" for grain in ("barley", "emmer", "maize", "millet", "oats", "rice", "sorghum", "teff")
    )
    form_manual.pages |= {"/": page("bread", *chapters)} | {path: page(path[1:]) for path in chapters}
    form_manual.pages_of_a_session = 6  # the page after the login, the home page and four chapters
    done = crawl(folder, form_manual, options)
    assert done.returncode == 0, done.stderr
    assert stored(folder) == ["/", *chapters]
    assert form_manual.logins == 2
    form_manual.pages["/rice"] = page("crumpets")
    assert crawl(folder, form_manual, options).returncode == 0
    assert stored(folder) == ["/", *chapters]
    assert folder.search("crumpets") == ["/rice"], "the second crawl has read the pages again"
    assert form_manual.logins == 2 + 2
    assert f"logins Logged in at {form_manual.url}/, 2 times." in report(folder)


@pytest.mark.slow
def test_a_page_that_always_shows_the_login_costs_two_logins_and_its_stored_copy_stays(
    form_manual: Manual, folder: Folder, settings: Callable[..., list[str]]
) -> None:
    options = settings(form_manual, BY_FORM)
    assert crawl(folder, form_manual, options).returncode == 0
    form_manual.pages["/rye"] = form_manual.login_page()
    before = form_manual.logins
    assert crawl(folder, form_manual, options).returncode == 0
    assert form_manual.logins == before + 1 + 2
    assert stored(folder) == CHAPTERS
    assert folder.rules()["/rye"] == "login-wall"
    told = why(folder, f"{form_manual.url}/rye")
    assert "it shows a login form, and other pages of" in told
    assert "the account may not see it" in told


@pytest.mark.slow
@pytest.mark.parametrize("kind", [BASIC, BY_FORM])
def test_a_wrong_password_is_sent_once_and_every_stored_page_stays(
    kind: str,
    form_manual: Manual,
    basic_manual: Manual,
    folder: Folder,
    settings: Callable[..., list[str]],
    password: Path,
) -> None:
    manual = basic_manual if kind == BASIC else form_manual
    options = settings(manual, kind)
    assert crawl(folder, manual, options).returncode == 0
    sent = len(manual.log)
    password.write_text("wrong-password")
    done = crawl(folder, manual, options)
    assert done.returncode == 1
    said = f"the login at {manual.url}/ failed: "
    said += (
        "the site does not accept it: the server answered 401" if kind == BASIC else "the site shows its login again"
    )
    assert said in done.stderr
    assert len(manual.log) - sent <= 3
    assert "wrong-password" not in done.stderr + done.stdout
    assert stored(folder) == CHAPTERS
    assert said in why(folder, f"{manual.url}/rye")
    assert f"logins T{said[1:]}" in report(folder)
    assert [folder.rules()[path] for path in ("/rye", "/spelt")] == ["login", "login"]
    password.write_text("")
    done = crawl(folder, manual, options)
    assert (done.returncode, done.stderr.count("is empty: it must be the secret")) == (2, 1)


@pytest.mark.slow
def test_a_wrong_password_for_one_page_among_open_ones_is_not_said_to_be_right(
    basic_manual: Manual, folder: Folder, settings: Callable[..., list[str]], password: Path
) -> None:
    closed = basic_manual.enter
    basic_manual.enter = lambda manual, asked: closed(manual, asked) if asked.path == "/rye" else None
    password.write_text("wrong-password")
    assert crawl(folder, basic_manual, settings(basic_manual, BASIC)).returncode == 0
    assert folder.rules()["/rye"] == "login-wall"
    assert "or its secret is wrong and those pages need none" in why(folder, f"{basic_manual.url}/rye")
    assert f"logins 1 page behind a login not read, such as {basic_manual.url}/rye: " in report(folder)


def test_a_secret_that_others_can_read_stops_the_crawl_before_it_begins(
    basic_manual: Manual, folder: Folder, settings: Callable[..., list[str]], password: Path
) -> None:
    options = settings(basic_manual, BASIC)
    password.chmod(0o644)
    done = crawl(folder, basic_manual, options)
    assert (done.returncode, basic_manual.log) == (2, [])
    assert f"can be read or changed by others: run chmod 600 {password}" in done.stderr
    assert not (folder.path / "crawl.sqlite").exists()


def test_an_unknown_key_stops_it_too_with_the_place(
    basic_manual: Manual, folder: Folder, settings: Callable[..., list[str]], tmp_path: Path
) -> None:
    done = crawl(folder, basic_manual, settings(basic_manual, 'bearer = "{password}"\ntoken = "x"'))
    assert (done.returncode, basic_manual.log) == (2, [])
    assert f"{tmp_path / 'mine.toml'}, line 1: SITE: table 1 [[site]] has an unknown key 'token'" in done.stderr


@pytest.mark.slow
def test_a_form_that_changes_ends_the_crawl_of_the_site_with_a_sentence(
    form_manual: Manual, folder: Folder, settings: Callable[..., list[str]]
) -> None:
    options = settings(form_manual, BY_FORM)
    assert crawl(folder, form_manual, options).returncode == 0
    form_manual.form = FORM.replace('type="password"', 'type="text"')
    posted = form_manual.logins
    done = crawl(folder, form_manual, options)
    assert (done.returncode, form_manual.logins) == (1, posted)
    assert "has no form with one password field: scripts may make it, or it has changed" in done.stderr
    assert stored(folder) == CHAPTERS


def test_a_login_page_that_robots_txt_disallows_is_not_requested(
    form_manual: Manual, folder: Folder, settings: Callable[..., list[str]]
) -> None:
    form_manual.pages["/robots.txt"] = 200, {"Content-Type": "text/plain"}, b"User-agent: *\nDisallow: /login\n"
    done = crawl(folder, form_manual, settings(form_manual, BY_FORM))
    assert (done.returncode, form_manual.asked()) == (1, ["/robots.txt"])
    assert "robots.txt does not allow" in done.stderr


def second_factor(_: Manual, __: Site) -> dict[str, object]:
    code = b"<form method=post><input name=otp_code></form>"
    return {"after_login": (200, {"Content-Type": "text/html"}, code)}


def away_after_the_login(_: Manual, other: Site) -> dict[str, object]:
    return {"after_login": (302, {"Location": f"{other.url}/welcome"}, b"")}


def form_for_another_origin(_: Manual, other: Site) -> dict[str, object]:
    return {"action": f"{other.url}/collect"}


def sent_again_elsewhere(_: Manual, other: Site) -> dict[str, object]:
    return {"after_login": (307, {"Location": f"{other.url}/collect"}, b"")}


def form_by_get(_: Manual, __: Site) -> dict[str, object]:
    return {"method": "get"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changes", "logins", "said"),
    [
        (second_factor, 1, "the site asks for a second factor (its field is 'otp_code'): use an account without one"),
        (away_after_the_login, 1, "redirects to another origin"),
        (form_for_another_origin, 0, "has a form for another origin"),
        (sent_again_elsewhere, 1, "answered 307: the form is not sent a second time"),
        (form_by_get, 0, "is sent by GET: the password would be part of a URL"),
    ],
)
def test_a_login_that_can_not_be_done_is_a_sentence_and_asks_nobody_else(
    changes: Callable[[Manual, Site], dict[str, object]],
    logins: int,
    said: str,
    form_manual: Manual,
    site: Site,
    folder: Folder,
    settings: Callable[..., list[str]],
) -> None:
    for name, value in changes(form_manual, site).items():
        setattr(form_manual, name, value)
    done = crawl(folder, form_manual, settings(form_manual, BY_FORM))
    assert (done.returncode, form_manual.logins, site.log) == (1, logins, [])
    assert said in done.stderr
    assert {path for path in form_manual.asked() if "pass" in path} == set()
    assert set(folder.rules().values()) == {"login"}


@pytest.mark.slow
def test_without_a_table_nothing_of_it_is_imported_but_its_tables(site: Site, tmp_path: Path) -> None:
    site.pages = {"/": html("open")}
    line = ["crawl", "site", "-a", f"seeds={site.url}/", "-s", f"DATA_DIR={tmp_path}", "-s", "INDEX_FOLLOW=no"]
    code = (
        "import sys, commands.__main__\n"
        "try:\n    commands.__main__.main(sys.argv[1:])\n"
        "finally:\n    print([name for name in sys.modules if name.startswith('extensions.logins.')])"
    )
    done = subprocess.run([sys.executable, "-c", code, *line], capture_output=True, text=True, check=False, cwd=ROOT)
    assert "1 page fetched" in done.stdout, done.stderr
    assert done.stdout.splitlines()[-1] == "['extensions.logins.tables']", "each database is opened with its tables"
