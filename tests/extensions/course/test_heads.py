"""Which lines of a head are kept, withheld and shown, and how many exchanges stay?"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

import extensions.course.heads
from crawldb.database import CrawlDatabase
from extensions.course.header_notes import OF_ROBOTS_TXT, RECEIVED, SENT
from extensions.course.heads import CUT, MAX_HEAD, HeadNotes, kept_head, latest_exchanges, shown_lines
from extensions.course.tables import KEPT, heads_kept
from spiders.downloader.exchange_heads import ExchangeHeads
from urls.canonical import canonicalize

if TYPE_CHECKING:
    from extensions.course.header_notes import HeaderNote

ROOT = Path(extensions.course.heads.__file__).parents[2]


@pytest.mark.parametrize(
    "line",
    [
        b"Authorization: Basic quokka",
        b"COOKIE: quokka",
        b"set-cookie : a=quokka; Path=/",
        b"Set-Cookie: a=1\r\n\tquokka\r\n quokka",
        b"Proxy-Authenticate: quokka",
        b"Location: http://me:quokka@a.example/",
        b"X-Odd: a\rSet-Cookie: quokka",
        b"Authentication-Info: quokka",
    ],
)
def test_a_secret_is_withheld_and_the_lines_around_it_stay(line: bytes) -> None:
    kept = kept_head(b"HTTP/1.1 200 OK\r\nServer: a\r\n" + line + b"\r\nDate: now\r\n\r\n")
    assert b"quokka" not in kept
    assert kept.startswith(b"HTTP/1.1 200 OK\nServer: a\n")
    assert kept.endswith(b"\nDate: now")


def test_a_long_head_is_cut_and_says_so() -> None:
    kept = kept_head(b"HTTP/1.1 200 OK\r\nX-Long: " + b"a" * 100_000)
    assert kept == (b"HTTP/1.1 200 OK\nX-Long: " + b"a" * 100_000)[:MAX_HEAD] + b"\n" + CUT


@given(st.binary(max_size=300))
def test_whatever_bytes_come_are_shown_as_printable_ascii(head: bytes) -> None:
    lines = shown_lines(kept_head(head))
    assert all(line.isascii() and line.replace("\t", "").isprintable() for line in lines)


@given(st.binary(max_size=100))
def test_an_interim_response_and_the_body_are_no_part_of_the_head(body: bytes) -> None:
    heads = ExchangeHeads("http://a.example/", 0, b"")
    heads.response += b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nA: b\r\n\r\n" + body
    assert heads.final_response() == b"HTTP/1.1 200 OK\r\nA: b"


def test_the_newest_exchanges_stay_and_a_rolled_back_one_is_written_again(tmp_path: Path) -> None:
    url = "http://a.example/"
    with CrawlDatabase(tmp_path) as database:
        notes = HeadNotes(database)

        def note(number: int) -> None:
            notes.note_exchange(
                ExchangeHeads(url, number, f"GET /{number} HTTP/1.1".encode(), bytearray(b"HTTP/1.1 200 OK"))
            )

        for number in range(KEPT):
            note(number)
        with database.transaction():
            notes.write()
        note(KEPT)
        with suppress(InterruptedError), database.transaction():
            notes.write()
            raise InterruptedError
        assert latest_exchanges(database, url, 1)[0].at == KEPT - 1
        notes.rolled_back()
        with database.transaction():
            notes.write()
        assert heads_kept(database) == KEPT
        assert latest_exchanges(database, url, 1)[0].at == KEPT
        notes.not_kept(canonicalize("http://b.example/"))
        assert heads_kept(database) == KEPT
        assert min(each.at for each in latest_exchanges(database, url, KEPT)) == 1
        notes.not_kept(canonicalize(url))
        assert heads_kept(database) == 0


@pytest.mark.parametrize(
    ("name", "note"), [pair for notes in (SENT, RECEIVED, OF_ROBOTS_TXT) for pair in notes.items() if pair[1].file]
)
def test_the_named_file_mentions_the_header(name: str, note: HeaderNote) -> None:
    assert name in (ROOT / note.file).read_text().lower()
