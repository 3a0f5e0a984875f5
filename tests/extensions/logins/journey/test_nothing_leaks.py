"""Where does a secret go? To its own site, and into no file, no output and no other site."""

from __future__ import annotations

import base64
import gzip
import sqlite3
from typing import TYPE_CHECKING
from urllib.parse import quote_plus

import pytest
import zstandard

from tests.extensions.logins.journey.conftest import PASSWORD, SESSION_CHARS, USER, Asked, Manual, cookies, page, served
from tests.extensions.logins.journey.test_logged_in import BASIC, BY_FORM, crawl
from tests.journey.conftest import Answer, Folder, Site, html

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

HEADER = 'header = {{ name = "X-Manual-Key", value = "{password}" }}'
COOKIE = 'cookie = {{ name = "key", value = "{password}" }}'
BEARER = 'bearer = "{password}"'
PAIR = base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()


def by_any(_: Manual, asked: Asked) -> Answer | None:
    """Let in who sends the password in any way."""
    sent = {name: asked.headers.get(name, "") for name in ("Authorization", "X-Manual-Key", "Cookie")}
    right = {"Authorization": f"Bearer {PASSWORD}", "X-Manual-Key": PASSWORD, "Cookie": f"key={PASSWORD}"}
    return None if any(sent[name] == right[name] for name in right) else (401, {}, b"")


@pytest.fixture
def any_manual() -> Iterator[Manual]:
    with served(by_any) as manual:
        yield manual


def bytes_of(folder: Path) -> Iterator[tuple[Path, bytes]]:
    """Yield all that the files of a folder hold, unpacked where they are packed."""
    for path in folder.rglob("*"):
        if not path.is_file():
            continue
        content = path.read_bytes()
        yield path, content
        if path.suffix == ".gz":
            yield path, gzip.decompress(content)
        if content.startswith(b"SQLite format 3"):
            with sqlite3.connect(path) as connection:
                tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
                for table in tables:
                    for row in connection.execute(f'SELECT * FROM "{table}"'):
                        yield path, repr(tuple(map(unpacked, row))).encode()


def unpacked(value: object) -> object:
    if isinstance(value, bytes) and value.startswith(zstandard.FRAME_HEADER):
        try:
            return zstandard.ZstdDecompressor().decompress(value, max_output_size=10_000_000)
        except zstandard.ZstdError:
            return value
    return value


@pytest.mark.slow
@pytest.mark.parametrize("kind", [BASIC, BEARER, HEADER, COOKIE, BY_FORM])
def test_no_file_and_no_output_has_a_secret(
    kind: str,
    form_manual: Manual,
    basic_manual: Manual,
    any_manual: Manual,
    folder: Folder,
    settings: Callable[..., list[str]],
    password: Path,
) -> None:
    manual = {BASIC: basic_manual, BY_FORM: form_manual}.get(kind, any_manual)
    options = [*settings(manual, kind, WARC="yes", LOG_LEVEL="DEBUG"), "--logfile", str(folder.path.parent / "log")]
    told = []
    for secret in (PASSWORD, "wrong-password"):
        password.write_text(secret)
        done = crawl(folder, manual, options)
        told.append(done.stdout + done.stderr)
    url = f"{manual.url}/rye"
    views = (["why", url], ["why", url, "--json"], ["report"], ["report", "--json"], ["search", "rye", "--json"])
    told += [folder.run(*words).stdout for words in views]
    sent = {value for each in manual.log for value in cookies(each).values()}
    keys = {key for key in sent if len(key) == SESSION_CHARS}
    assert bool(keys) is (kind == BY_FORM), "sessions of the form"
    secrets = [
        PASSWORD,
        quote_plus(PASSWORD),
        "wrong-password",
        PAIR,
        base64.b64encode(f"{USER}:wrong-password".encode()).decode(),
        *keys,
    ]
    assert any(secret in repr(manual.log) for secret in secrets), "the site got it"
    password.unlink()
    read = [(path, content) for path, content in bytes_of(folder.path.parent) if path.name != "mine.toml"]
    assert any(path.suffix == ".gz" for path, _ in read)
    assert any(b"Crawled (200)" in content for path, content in read if path.name == "log")
    for secret in secrets:
        assert not any(secret in each for each in told)
        assert [path for path, content in read if secret.encode() in content] == []


@pytest.mark.parametrize("kind", [BASIC, BY_FORM])
def test_no_other_origin_gets_a_secret(
    kind: str,
    form_manual: Manual,
    basic_manual: Manual,
    site: Site,
    folder: Folder,
    settings: Callable[..., list[str]],
) -> None:
    manual = basic_manual if kind == BASIC else form_manual
    other = f"http://127.0.0.1:{site.port}"
    manual.pages |= {
        "/": page("bread", "/rye", "/away"),
        "/away": (302, {"Location": f"{other}/taken"}, b""),
        "/robots.txt": (302, {"Location": f"{other}/robots-elsewhere.txt"}, b""),
    }
    site.pages = {"/": html("other"), "/taken": html("taken", f"http://localhost:{manual.port}/rye")}
    options = [*settings(manual, kind), "-a", f"seeds={manual.url}/,{other}/,http://localhost:{manual.port}/"]
    done = folder.run("crawl", "site", *options)
    assert "/taken" in site.asked(), done.stderr
    assert "/robots-elsewhere.txt" in site.asked()
    assert not any({"Authorization", "Cookie"} & headers.keys() for _, headers in site.log)
    elsewhere = [each for each in manual.log if each.headers["Host"].startswith("localhost")]
    assert elsewhere, "the same machine under another name is another origin"
    assert not any({"Authorization", "Cookie"} & each.headers.keys() for each in elsewhere)
