"""From bytes to a page, whatever the bytes."""

import gc
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages import FetchedBody, parse_page
from pages.html_document import MAX_TITLE_CHARS
from pages.links import MAX_LINKS
from urls.canonical import canonicalize
from urls.records import CanonicalUrl, Page

URL = CanonicalUrl("https://site.example/dir/page.html")
CASES = Path(__file__).parents[1] / "conformance" / "page_controls.jsonl"
ROWS = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]
OURS = {"links", "base", "refresh", "canonical", "snippet_text"}


def read(body: bytes, content_type: str = "text/html", *headers: tuple[str, str]) -> Page:
    return parse_page(FetchedBody(body, URL, [("Content-Type", content_type), *headers]))


@pytest.mark.parametrize("row", [row for row in ROWS if OURS & row["expect"].keys()], ids=lambda row: row["id"])
def test_the_page_control_cases_hold_for_a_parsed_page(row: dict[str, Any]) -> None:
    headers = [("Content-Type", row["content_type"]), *map(tuple, row["headers"])]
    page = parse_page(FetchedBody(row["html"].encode(), row["url"], headers), agent=row["agent"])
    shown = page.text if page.snippet_text is None else page.snippet_text
    found = {
        "links": [link.url for link in page.links if not link.nofollow],
        "base": page.base,
        "refresh": list(page.refresh) if page.refresh else None,
        "canonical": page.canonical,
        "snippet_text": shown.replace("\n", ""),
        "index": page.controls.index,
        "follow": page.controls.follow,
    }
    assert {name: found[name] for name in found if name in row["expect"]} == {
        name: row["expect"][name] for name in found if name in row["expect"]
    }


def test_headers_fill_the_record() -> None:
    headers = [
        ("content-type", "Text/HTML; charset=UTF-8"),
        ("ETag", '"e"'),
        ("Last-Modified", "Sat, 21 Nov 2026 12:00:00 GMT"),
    ]
    body = b"<html lang=en><title>T</title><p>x"
    page = parse_page(FetchedBody(body, URL, headers, fetched_at=5.0, seconds=0.25))
    assert (page.content_type, page.encoding, page.etag, page.last_modified) == (
        "text/html",
        "utf-8",
        '"e"',
        "Sat, 21 Nov 2026 12:00:00 GMT",
    )
    assert (page.fetched_at, page.seconds, page.status) == (5.0, 0.25, 200)


@pytest.mark.parametrize(
    ("body", "kind"),
    [("<title>{}</title><p>x", "text/html"), ("{}\nmore", "text/plain"),
     ("<rss><channel><title>{}</title></channel></rss>", "application/rss+xml")],
    ids=["HTML", "text", "a feed"],
)  # fmt: skip
@pytest.mark.parametrize(
    ("written", "title"),
    [
        ("Red \x9b31m bread", "Red 31m bread"),
        ("Bread \u202egnp.exe", "Bread gnp.exe"),
        ("\u2067لحم\u2069 bread", "لحم bread"),
        ("می‌خواهم", "می‌خواهم"),  # its joiner is part of the word
    ],
    ids=["a terminal's control", "an override", "isolates", "a joiner"],
)
def test_a_title_acts_on_nothing_beside_it(body: str, kind: str, written: str, title: str) -> None:
    assert read(body.format(written).encode(), f"{kind}; charset=utf-8").title == title


def test_a_title_without_its_escapes_is_the_rest() -> None:
    assert read(b"<title>Bread \x1b[31m\x07</title><p>x").title == "Bread [31m"


def test_plain_text_is_titled_by_its_first_line_and_its_tags_are_literal() -> None:
    page = read(b"\n \n  The <b>first</b>  line\nsecond\n", "text/plain")
    assert page.title == "The <b>first</b> line"
    assert page.text == "The <b>first</b> line\nsecond"
    assert page.links == ()


def test_an_empty_body_is_a_page_without_text() -> None:
    assert (read(b"").text, read(b" \n" * 1000).text) == ("", "")


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"\x89PNG\r\n\x1a\n" + bytes(999), "the server says text/html, but the bytes are a PNG image"),
        (b"%PDF-1.7\n" + bytes(999), "the server says text/html, but the bytes are a PDF document"),
        (b"MZ" + bytes(range(256)) * 9, "the server says text/html, but the bytes are a Windows program"),
    ],
    ids=["PNG", "PDF", "EXE"],
)
def test_a_disguised_file_is_refused_with_what_it_is(body: bytes, reason: str) -> None:
    page = read(body)
    assert [(refusal.rule, refusal.reason) for refusal in page.refusals] == [("binary", reason)]
    assert page.text == ""


@pytest.mark.parametrize("content_type", ["image/png", "application/octet-stream", "application/json", "image/svg+xml"])
def test_other_types_are_not_read_and_headers_still_control_them(content_type: str) -> None:
    page = read(b"<title>x</title><p>x", content_type, ("X-Robots-Tag", "noarchive"))
    assert (page.title, page.text, page.content_type) == ("", "", content_type)
    assert page.controls.archive is False


def test_controls_of_header_and_markup_add_up() -> None:
    page = read(b"<meta name=robots content=nofollow><a href=x>x</a>", "text/html", ("X-Robots-Tag", "noindex"))
    assert (page.controls.index, page.controls.follow) == (False, False)
    assert page.links[0].nofollow


@pytest.mark.parametrize("base", ["", '<base href="/dir/">'])
def test_a_link_s_query_is_written_in_the_encoding_of_the_page(base: str) -> None:
    markup = f'<meta charset="windows-1251">{base}<a href="?q=\u043f\u0440\u0438">1</a><a href="/\u044f">2</a>'
    page = read(markup.encode("cp1251"))
    assert page.encoding == "windows-1251"
    assert {canonicalize(link.url).partition(".example")[2] for link in page.links} <= {
        "/dir/page.html?q=%EF%F0%E8", "/dir/?q=%EF%F0%E8", "/%D1%8F",
    }  # fmt: skip
    assert len(page.links) == 2


def test_octets_that_nobody_escaped_in_a_refresh_header_stay_what_they_are() -> None:
    assert read(b"x", "text/html", ("Refresh", "0; url=/voil\u00c3\u00a0")).refresh == (
        0,
        "https://site.example/voil%C3%A0",
    )


def test_two_spellings_of_one_canonical_address_are_one() -> None:
    tag = '<head><link rel=canonical href="HTTPS://Site.example:443/\u00fc#x">'
    page = read(tag.encode(), "text/html; charset=utf-8", ("Link", '</\u00c3\u00bc>; rel="canonical"'))
    assert page.canonical is not None
    assert canonicalize(page.canonical) == "https://site.example/%C3%BC"


def test_a_refresh_header_is_read_like_the_meta_that_stands_for_it() -> None:
    assert read(b"x", "text/html", ("Refresh", "0; url=/next")).refresh == (0, "https://site.example/next")


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"<div>" * 100_000 + b"needle" + b"</div>" * 100_000, id="100,000 nested div"),
        pytest.param(b"<b>" * 300_000 + b"needle", id="300,000 nested b"),
        pytest.param(
            b"<a %s href='/ok'>needle</a>" % b" ".join(b"a%d=1" % n for n in range(100_000)), id="100,000 attributes"
        ),
        pytest.param(b'<a href="/ok" title="%s">needle</a>' % (b"a" * 9_000_000), id="an attribute of 9 MB"),
        pytest.param(b"needle" + b"".join(b'<a href="/ok?n=%d">x</a>' % n for n in range(50_000)), id="50,000 links"),
        pytest.param(b"<p>needle " + b"word " * 3_000_000, id="15 MB of text"),
        pytest.param(b"needle" + b"<table><tr><td><a href='/ok'><p><table>" * 5000, id="5,000 unclosed tables"),
        pytest.param(b"<p>needle" + b"&amp;" * 500_000 + b"&#x110000;&bogus;", id="500,000 entities"),
    ],
)
def test_hostile_markup_ends_with_a_page_that_keeps_its_words(body: bytes) -> None:
    page = read(body)
    assert "needle" in page.text
    assert len({link.url for link in page.links}) <= MAX_LINKS


MARKUP = st.lists(
    st.sampled_from([b"<", b">", b"<title>", b"<a href='", b"<a href=http://", b"'>", b"<base href=", b"<p>", b"<meta ",
                     b"name=robots ", b"content='", b"http-equiv=refresh ", b"0;url=",
                     b"<frameset>", b"<noframes>", b"<table>", b"<td>",
                     b"<div hidden>", b"<span data-nosnippet>", b"</span>", b"<svg>", b"<h1>", b"<noscript>"])
    | st.binary(max_size=8),
    max_size=40,
).map(b"".join)  # fmt: skip


@given(st.binary() | MARKUP, st.sampled_from(["text/html", "text/plain", "", "text/html; charset=utf-16", "image/png"]))
def test_no_bytes_raise_and_every_promise_of_the_record_holds(body: bytes, content_type: str) -> None:
    page = read(body, content_type)
    assert len(page.title) <= MAX_TITLE_CHARS
    assert all(link.url.startswith(("http://", "https://")) for link in page.links)
    assert "\0" not in page.text + page.title
    assert all(line == " ".join(line.split()) != "" for line in page.text.split("\n") if page.text)
    page.text.encode()
    if page.refresh:
        assert page.refresh[1].startswith(("http://", "https://"))


EQUIV = "<meta http-equiv={} content='{}'>"


@pytest.mark.parametrize(
    ("said", "index", "follow"),
    [("noindex", False, True), ("otherbot: none", True, True), ("Breadcrumb: nofollow", True, False)],
)
def test_108_an_x_robots_tag_in_the_page_is_obeyed_as_the_header_is(said: str, index: bool, follow: bool) -> None:
    controls = read(EQUIV.format("X-Robots-Tag", said).encode()).controls
    assert (controls.index, controls.follow) == (index, follow)
    if not index:
        assert controls.asked_by("noindex") == '<meta http-equiv="X-Robots-Tag">'


@pytest.mark.parametrize(
    ("markup", "header", "language"),
    [
        pytest.param(EQUIV.format("content-language", "pt-BR"), "", "pt", id="the page says it in place of the header"),
        pytest.param(EQUIV.format("content-language", "pt, es"), "", "", id="of several languages none is believed"),
        pytest.param("", "pt", "pt", id="the header"),
        pytest.param(EQUIV.format("content-language", "pt"), "es", "pt", id="108: the page goes before the header"),
        pytest.param(f"<html lang=es>{EQUIV.format('content-language', 'pt')}", "", "es", id="lang goes before both"),
    ],
)
def test_108_the_language_is_declared_by_page_or_header(markup: str, header: str, language: str) -> None:
    page = read(f"{markup}<p>Sim".encode(), "text/html", *([("Content-Language", header)] if header else []))
    assert page.language == language


@pytest.mark.parametrize(
    ("said", "at"),
    [
        ("Sun, 22 Nov 2026 12:00:00 GMT", 1795348800.0),
        ("0", None),
        ("-1", None),
        ("Tue, 01 Jan 1980 1:00:00 GMT", None),
    ],
)
def test_108_expires_says_until_when_a_page_stays_and_a_date_that_is_over_only_forbids_a_cache(
    said: str, at: float | None
) -> None:
    fetched = FetchedBody(EQUIV.format("expires", said).encode(), URL, fetched_at=1.7e9)
    assert parse_page(fetched).outdated_at == at


@pytest.mark.parametrize("name", ["Set-Cookie", "Link", "Last-Modified", "ETag", "Location", "Content-Encoding"])
def test_108_other_equivalents_mean_nothing(name: str) -> None:
    plain, page = read(b"<title>T</title><p>x"), read(f"{EQUIV.format(name, '/y')}<title>T</title><p>x".encode())
    assert replace(page, body=plain.body) == plain


@pytest.mark.parametrize("element", ["<script src=/app.js />", "<title/>", "<iframe src=/frame />"])
def test_a_page_in_which_the_fast_reader_finds_no_word_goes_to_the_tolerant_one(element: str) -> None:
    head = "<html xmlns='http://www.w3.org/1999/xhtml'><head><meta name='robots' content='noarchive' />"
    page = read(f"{head}{element}</head><body><p>Words of the page</p><a href='/x'>link</a></body>".encode())
    assert page.text == "Words of the page\nlink"
    assert [link.url for link in page.links] == ["https://site.example/x"]
    assert not page.controls.archive
    assert "the fast reader found no word in it, BeautifulSoup over lxml 5 words: its reading counts" in page.warnings


@pytest.mark.parametrize(
    "body", [b"", b"<script>let words</script>", b"<noscript>Switch scripts on</noscript><div id=app>"]
)
def test_a_page_without_a_word_stays_one_without_a_word(body: bytes) -> None:
    page = read(body)
    assert "BeautifulSoup" not in " ".join(page.warnings)


def test_a_page_without_a_word_that_is_too_much_for_the_tolerant_reader_does_not_go_there() -> None:
    page = read(b"<title/>" + b"<a href=x>" * 50_000 + b"words")
    assert "BeautifulSoup" not in " ".join(page.warnings)


@pytest.mark.parametrize("is_on", [True, False])
def test_pythons_collector_is_on_or_off_afterwards_as_it_was(is_on: bool) -> None:
    was_on = gc.isenabled()
    try:
        (gc.enable if is_on else gc.disable)()
        read(b"<p>words")
        assert gc.isenabled() is is_on
    finally:
        (gc.enable if was_on else gc.disable)()
