"""Tables [[site]] are read whole or rejected with a sentence, which never repeats what may be a secret."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

import pytest

from commands.frame.command_settings import CommandSettings
from extensions.logins.secret import MAX_SECRET_BYTES, Secret
from extensions.logins.sites import (
    BasicLogin,
    CookieLogin,
    FormLogin,
    HeaderLogin,
    Site,
    TokenLogin,
    read_sites,
    site_of_url,
)
from spiders.own_settings import OwnSettingError, from_file
from spiders.setting_values import SettingError

if TYPE_CHECKING:
    from pathlib import Path

WIKI = 'url = "https://wiki.example.org/staff/"\n'
BASIC = 'basic = { user = "crawler", password = "env:WIKI_PASSWORD" }\n'
SECRET = "correct-horse"  # a password that a newcomer writes where a reference must be


def sites_of(content: str, folder: Path) -> tuple[Site, ...]:
    """Return the sites of a settings file, read as commands read it."""
    file = folder / "breadcrumb.toml"
    file.write_text(content, "utf-8")
    settings = CommandSettings()
    settings._values |= {name: own.value for name, own in from_file(file).items()}
    return read_sites(settings)


@pytest.mark.parametrize(
    ("login", "expected"),
    [
        (BASIC, BasicLogin("crawler", Secret("env", "WIKI_PASSWORD"))),
        ('bearer = "file:~/wiki token"', TokenLogin(Secret("file", "~/wiki token"))),
        ('header = { name = "X-Api-Key", value = "env:KEY" }', HeaderLogin("X-Api-Key", Secret("env", "KEY"))),
        ('cookie = { name = "session", value = "env:S" }', CookieLogin("session", Secret("env", "S"))),
        (
            'form = { page = "/login?next=1", user = "c", password = "env:P", user_field = "who" }',
            FormLogin("https://wiki.example.org/login?next=1", "c", Secret("env", "P"), "who"),
        ),
    ],
)
def test_each_kind_of_login_is_read(login: str, expected: object, tmp_path: Path) -> None:
    (site,) = sites_of(f'[[site]]\n{WIKI}{login}\nread = ["staff", "it"]\n', tmp_path)
    assert site == Site("https://wiki.example.org:443", "/staff/", expected, frozenset({"staff", "it"}))  # type: ignore[arg-type]
    assert site.name == "https://wiki.example.org/staff/"


def test_without_a_table_there_is_no_site_and_without_read_no_group(tmp_path: Path) -> None:
    assert sites_of("MAX_DEPTH = 3\n", tmp_path) == ()
    assert sites_of(f"[[site]]\n{WIKI}{BASIC}", tmp_path)[0].read == frozenset()


@pytest.mark.parametrize(
    ("url", "covered"),
    [
        ("https://wiki.example.org/staff/", True),
        ("https://wiki.example.org/staff/a?b=c", True),
        ("https://wiki.example.org/staff", True),
        ("https://wiki.example.org/staff?a=/", True),
        ("https://wiki.example.org/staffroom", False),
        ("https://wiki.example.org/", False),
        ("https://wiki.example.org/other?to=/staff/", False),
        ("http://wiki.example.org/staff/", False),
        ("https://wiki.example.org:8443/staff/", False),
        ("https://evil.example/wiki.example.org/staff/", False),
        ("https://wiki.example.org.evil.example/staff/", False),
        ("ftp://wiki.example.org/staff/", False),
    ],
)
def test_a_site_is_one_origin_and_the_paths_below_its_own(url: str, covered: bool, tmp_path: Path) -> None:
    (site,) = sites_of(f"[[site]]\n{WIKI}{BASIC}", tmp_path)
    assert site.covers(url) is covered
    assert site_of_url(url, [site]) == (site if covered else None)


def test_the_longest_path_counts(tmp_path: Path) -> None:
    whole = '[[site]]\nurl = "https://wiki.example.org"\nbearer = "env:T"\n'
    sites = sites_of(f"{whole}[[site]]\n{WIKI}{BASIC}", tmp_path)
    found = [site_of_url(f"https://wiki.example.org{path}", sites) for path in ("/", "/staffroom", "/staff/a")]
    assert [site and site.below for site in found] == ["/", "/", "/staff/"]


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (BASIC, r"table 1 \[\[site\]\]: url must be the URL"),
        (f'url = "wiki"\n{BASIC}', r"url must be the URL of a site or of a folder.*; "),
        (f'url = "https://a.example/?q"\n{BASIC}', r"without \? and #"),
        (f'url = "https://crawler:{SECRET}@a.example/"\n{BASIC}', r"has a user or a password in it: take them out"),
        (WIKI, r"has no login: give one of basic, bearer, header, cookie or form"),
        (f'{WIKI}{BASIC}bearer = "env:T"', r"has basic and bearer: give one of"),
        (f'{WIKI}{BASIC}pasword = "x"', r"unknown key 'pasword': the keys are url, basic, bearer, header"),
        (f"{WIKI}{BASIC}MAX_DEPTH = 3", r"has the setting MAX_DEPTH in it: put settings above the first"),
        (f'{WIKI}basic = "crawler:{SECRET}"', r"basic must be a table: write basic = \{ user = "),
        (f'{WIKI}basic = {{ user = "c", password = "{SECRET}" }}', r"password must name where the secret is"),
        (f'{WIKI}basic = {{ user = "c" }}', r"password must name where"),
        (f'{WIKI}basic = {{ user = "c:d", password = "env:P" }}', r"user has a colon in it"),
        (f'{WIKI}basic = {{ password = "env:P" }}', r"user must be text of 1 to 100 characters"),
        (f'{WIKI}bearer = "{SECRET}"', r"bearer must name where"),
        (f'{WIKI}bearer = "env:{SECRET}"', r"bearer must name where"),
        (f"{WIKI}bearer = 7", r"bearer must name where"),
        (f'{WIKI}header = {{ name = "X Key", value = "env:K" }}', r"name is no name of a header"),
        (f'{WIKI}header = {{ name = "Host", value = "env:K" }}', r"Host is set by the crawl itself"),
        (f'{WIKI}cookie = {{ name = "a;b", value = "env:K" }}', r"name is no name of a cookie"),
        (f'{WIKI}cookie = {{ name = "a", value = "{SECRET}" }}', r"value must name where"),
        (
            f'{WIKI}form = {{ page = "https://sso.example/login", user = "c", password = "env:P" }}',
            r"page must be of the same scheme, host and port as url",
        ),
        (f'{WIKI}form = {{ page = "http://", user = "c", password = "env:P" }}', r"page must be the URL of the login"),
        (f'{WIKI}{BASIC}read = "staff"', r"read must be a list of groups"),
        (f'{WIKI}{BASIC}read = ["a b"]', r"read must be a list of groups"),
        (f"{WIKI}{BASIC}[[site]]\n{WIKI}{BASIC}", r"table 2 \[\[site\]\] repeats https://wiki"),
    ],
)
def test_a_mistake_is_a_sentence_and_repeats_no_secret(table: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(SettingError, match=said) as told:
        sites_of(f"[[site]]\n{table}\n", tmp_path)
    assert str(told.value).startswith("SITE")
    assert SECRET not in str(told.value)
    assert told.value.__cause__ is None


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("\n[site]\nurl = 'x'\n", r"line 2: write \[\[site\]\] in two brackets: there may be several"),
        ("site = 3\n", r"there is no setting 'site'; did you mean SITE"),
        ("[[sites]]\nurl = 'x'\n", r"line 1: there is no setting 'sites'"),
    ],
)
def test_a_table_that_is_not_written_as_one_says_how(content: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(OwnSettingError, match=said):
        sites_of(content, tmp_path)


def test_a_value_that_is_no_table_says_so() -> None:
    with pytest.raises(SettingError, match=r"^SITE: table 1 \[\[site\]\] is no table: write \[\[site\]\] in"):
        read_sites(CommandSettings(["SITE=https://a.example/"]))


# -- where secrets are kept --------------------------------------------------------------------------------------


def secret_file(folder: Path, content: bytes = b"hunter2\n", mode: int = 0o600) -> Path:
    file = folder / "password"
    file.write_bytes(content)
    file.chmod(mode)
    return file


def test_a_secret_is_read_from_the_environment_or_from_a_file_and_is_never_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WIKI_PASSWORD", "hunter2")
    for secret in (Secret("env", "WIKI_PASSWORD"), Secret("file", str(secret_file(tmp_path)))):
        text = secret.read()
        assert text.text == "hunter2"
        assert "hunter2" not in f"{text!r} {text} {secret!r} {secret}"


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o622, 0o610])
def test_a_file_that_others_can_read_or_change_is_not_used(mode: int, tmp_path: Path) -> None:
    file = secret_file(tmp_path, mode=mode)
    with pytest.raises(SettingError, match=rf"others: run chmod 600 {re.escape(str(file))}$"):
        Secret("file", str(file)).read()
    file.chmod(0o600)
    assert Secret("file", str(file)).read().text == "hunter2"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty"),
        (b"one\ntwo\n", "has a line break or a control character"),
        (b"a\x00b", "has a line break or a control character"),
        (b"\xff\xfe", "is no text in UTF-8"),
        (b"x" * (MAX_SECRET_BYTES + 1), "is longer than 8192 bytes"),
    ],
)
def test_a_file_with_something_else_is_not_used(content: bytes, said: str, tmp_path: Path) -> None:
    with pytest.raises(SettingError, match=said):
        Secret("file", str(secret_file(tmp_path, content))).read()


def test_what_is_no_file_does_not_hold_a_crawl(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe", 0o600)
    tried: list[tuple[Any, str]] = [(tmp_path, "is a directory"), (tmp_path / "pipe", "is no file")]
    for path, said in [*tried, (tmp_path / "none", "No such file")]:
        with pytest.raises(SettingError, match=f"(?i){said}"):
            Secret("file", str(path)).read()


def test_a_variable_that_is_not_set_or_empty_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WIKI_PASSWORD", raising=False)
    with pytest.raises(SettingError, match="no such environment variable: export WIKI_PASSWORD first"):
        Secret("env", "WIKI_PASSWORD").read()
    monkeypatch.setenv("WIKI_PASSWORD", "")
    with pytest.raises(SettingError, match="env:WIKI_PASSWORD is empty"):
        Secret("env", "WIKI_PASSWORD").read()
