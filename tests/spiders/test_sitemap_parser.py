"""Sitemap files as they are, and as somebody with bad intentions would have them."""

import gzip
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages import FetchedBody
from spiders.sitemap_parser import (
    MAX_ENTRIES,
    MAX_SITEMAP_BYTES,
    MAX_TAG_BYTES,
    MAX_URL_CHARS,
    MAX_XML_DEPTH,
    MAX_XML_NAMES,
    read_sitemap,
)
from urls.canonical import canonicalize
from urls.records import Sitemap

URL = canonicalize("http://a.example/sitemap.xml")
NOW = 1_800_000_000.0  # 15 January 2027, 08:00 UTC
XML = b'<?xml version="1.0" encoding="UTF-8"?>'
NS = b'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def read(body: bytes) -> Sitemap:
    return read_sitemap(FetchedBody(body, URL, fetched_at=NOW))


def urls(body: bytes) -> list[str]:
    found = read(body)
    return [entry.url for entry in (*found.entries, *found.children)]


def urlset(*locs: str) -> bytes:
    inner = "".join(f"<url><loc>{loc}</loc></url>" for loc in locs)
    return XML + b"<urlset " + NS + b">" + inner.encode() + b"</urlset>"


@pytest.mark.parametrize(
    ("body", "form"),
    [
        pytest.param(urlset("http://a.example/x"), "urlset", id="a list of pages"),
        pytest.param(b"\xef\xbb\xbf" + urlset("http://a.example/x"), "urlset", id="a byte order mark"),
        pytest.param(b"\r\n\n " + urlset("http://a.example/x"), "urlset", id="blank lines before the declaration"),
        pytest.param(gzip.compress(urlset("http://a.example/x")), "urlset", id="a gzip file"),
        pytest.param(
            gzip.compress(urlset("http://a.example/x")[:90]) + gzip.compress(urlset("http://a.example/x")[90:]),
            "urlset",
            id="two gzip files joined",
        ),
        pytest.param(
            urlset("http://a.example/x").decode().replace("UTF-8", "UTF-16").encode("utf-16"), "urlset", id="UTF-16"
        ),
        pytest.param(b"<urlset><url><loc> http://a.example/x\n</loc></url></urlset>", "urlset", id="no namespace"),
        pytest.param(
            b"<s:urlset xmlns:s='x'><s:url><s:loc>http://a.example/x</s:loc></s:url></s:urlset>",
            "urlset",
            id="a prefix of its own",
        ),
        pytest.param(
            b"<urlset><url><loc>http://a.example/x</loc><image:image><image:loc>http://a.example/i.png</image:loc>"
            b"</image:image></url></urlset>",
            "urlset",
            id="a picture with a prefix that nobody declared",
        ),
        pytest.param(
            b"<urlset><url><loc><![CDATA[http://a.example/x]]></loc></url></urlset>", "urlset", id="character data"
        ),
        pytest.param(
            b"<sitemapindex><sitemap><loc>http://a.example/x</loc></sitemap></sitemapindex>", "index", id="an index"
        ),
        pytest.param(b"http://a.example/x\r\n\r\nhttp://a.example/x\n", "text", id="an address a line"),
        pytest.param(b"\xef\xbb\xbfhttp://a.example/x", "text", id="a text with a byte order mark"),
        pytest.param(
            b"<rss version='2.0'><channel><link>http://a.example/</link><item><link>http://a.example/x</link></item>"
            b"</channel></rss>",
            "rss",
            id="RSS 2.0",
        ),
        pytest.param(
            b"<feed><link href='http://a.example/'/><entry><link rel='edit' href='http://a.example/e'/>"
            b"<link href='http://a.example/x'/></entry></feed>",
            "atom",
            id="Atom",
        ),
    ],
)
def test_a_sitemap_is_read_in_each_of_its_forms(body: bytes, form: str) -> None:
    assert (read(body).form, urls(body), read(body).warnings) == (form, ["http://a.example/x"], ())


@pytest.mark.parametrize(
    ("body", "left", "warning"),
    [
        pytest.param(
            b'<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/hostname">]>' + urlset("http://a.example/?&x;")[38:],
            [],
            "DOCTYPE",
            id="sitemap-001 an external entity",
        ),
        pytest.param(
            b'<!DOCTYPE r SYSTEM "http://127.0.0.1/secret">' + urlset("http://a.example/x")[38:],
            [],
            "DOCTYPE",
            id="sitemap-001 an external DTD",
        ),
        pytest.param(
            b'<!DOCTYPE l [<!ENTITY a "' + b"A" * 100_000 + b'">]>' + urlset("http://a/" + "&a;" * 20_000)[38:],
            [],
            "DOCTYPE",
            id="sitemap-005 quadratic blow-up",
        ),
        pytest.param(
            urlset("http://a.example/x")[:-9] + b"<url><lo",
            ["http://a.example/x"],
            "broken",
            id="sitemap-011 it breaks off",
        ),
        pytest.param(
            gzip.compress(urlset("http://a.example/x"))[:-9], ["http://a.example/x"], "too early", id="a gzip cut off"
        ),
        pytest.param(
            urlset("http://a.example/x", "http://a.example/\xff")[:-9].decode().encode("latin-1"),
            ["http://a.example/x"],
            "broken",
            id="octets that are not UTF-8",
        ),
        pytest.param(b"<!doctype HTML><title>404</title>", [], "HTML", id="sitemap-012 HTML instead"),
        pytest.param(b"<!-- a --><html><body>http://a.example/x", [], "HTML", id="HTML after a comment"),
        pytest.param(b"", [], "empty", id="sitemap-013 no bytes"),
        pytest.param(b"\n \n", [], "empty", id="blanks"),
        pytest.param(b"Sorry, nothing here", [], "neither", id="words"),
        pytest.param(b"<plist><url><loc>http://a.example/x</loc></url></plist>", [], "<plist>", id="another XML"),
        pytest.param(
            b"http://a.example/x\nnot a url\n", ["http://a.example/x"], "1 line is no address", id="a text with more"
        ),
        pytest.param(urlset("http://a.example/x", ""), ["http://a.example/x"], "1 entry has no", id="no address"),
        pytest.param(urlset("http://a.example/" + "x" * MAX_URL_CHARS), [], "1 entry has no", id="a long address"),
        pytest.param(b'<?xml version="1.0" encoding="zlib"?><urlset/>', [], "encoding", id="an encoding that is none"),
        pytest.param(b"<urlset>" + b"<a>" * (MAX_XML_DEPTH + 1), [], "deep", id="too deep"),
        pytest.param(
            b"<urlset>" + b"".join(b"<a%d/>" % n for n in range(MAX_XML_NAMES + 1)), [], "names", id="too many names"
        ),
        pytest.param(b"<urlset a='" + b"x" * (3 * MAX_TAG_BYTES), [], "bytes", id="a tag without an end"),
    ],
)
def test_what_is_wrong_is_told_and_what_stands_before_is_kept(body: bytes, left: list[str], warning: str) -> None:
    assert urls(body) == left
    assert any(warning in sentence for sentence in read(body).warnings)


@pytest.mark.parametrize(
    "body", [b"<!doctype HTML><title>404</title>", b"", b"Sorry", b"<plist/>", b"\x1f\x8b", b"\x1f\x8b\x08 broken"]
)
def test_what_is_no_sitemap_has_no_form(body: bytes) -> None:
    assert read(body).form == ""


def test_sitemap_008_fifty_thousand_are_taken_and_the_rest_is_counted() -> None:
    found = read(urlset(*(f"http://a.example/{number}" for number in range(60_000))))
    assert (len(found.entries), found.beyond) == (MAX_ENTRIES, 10_000)
    assert found.warnings == ("more than 50000 entries: 10,000 were counted and not kept",)


def test_sitemap_014_a_bad_date_is_left_out_and_its_address_is_not() -> None:
    page = b"<url><loc>http://a.example/x</loc><lastmod>9999-99-99</lastmod><priority>NaN</priority></url>"
    body = b"<urlset>" + page + b"</urlset>"
    (entry,) = read(body).entries
    assert (entry.url, entry.lastmod) == ("http://a.example/x", None)
    assert read(body).warnings == ()


def test_an_address_that_stands_twice_counts_once_with_its_last_date() -> None:
    body = (
        b"<urlset><url><loc>http://a.example/x</loc></url>"
        b"<url><lastmod>1970-01-01T00:00:07Z</lastmod><loc>http://a.example/x</loc></url></urlset>"
    )
    (entry,) = read(body).entries
    assert entry.lastmod == 7.0


def test_a_bomb_is_read_to_50_mib_in_little_memory() -> None:
    bomb = gzip.compress(
        b"<urlset>" + b"<url><loc>http://a.example/x</loc></url>\n" * 100 + b" " * (2 * MAX_SITEMAP_BYTES)
    )
    assert len(bomb) < 1024 * 1024
    tracemalloc.start()
    found = read(bomb)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [entry.url for entry in found.entries] == ["http://a.example/x"]
    assert any("52428800 bytes" in sentence for sentence in found.warnings)
    assert most < 8 * 1024 * 1024


def test_what_the_server_said_beside_the_file_is_kept() -> None:
    headers = [("etag", '"1"'), ("last-modified", "Sat, 21 Nov 2026 12:00:00 GMT"), ("etag", '"2"')]
    found = read_sitemap(FetchedBody(b"http://a.example/", URL, headers, fetched_at=NOW, seconds=0.5))
    assert (found.etag, found.last_modified, found.fetched_at) == ('"1"', "Sat, 21 Nov 2026 12:00:00 GMT", NOW)
    assert (found.size, found.seconds, found.status) == (17, 0.5, 200)


BITS = st.sampled_from(
    [b"<urlset>", b"<url>", b"<loc>", b"http://a.example/", b"</loc>", b"</url>", b"</urlset>", b"<sitemapindex>",
     b"<sitemap>", b"<!DOCTYPE a>", b"<![CDATA[", b"]]>", b"<!--", b"-->", b"&#0;", b"&x;", b"<rss><channel><item>",
     b"<link>", b"<link href='", b"'/>", b"<lastmod>2026", b"\n", b"\xff\xfe", b"\x1f\x8b\x08", b"<?xml encoding='x'?>"]
)  # fmt: skip


@given(st.lists(BITS | st.binary(max_size=8), max_size=40).map(b"".join), st.booleans())
def test_any_bytes_are_read(body: bytes, packed: bool) -> None:
    found = read(gzip.compress(body) if packed else body)
    assert not (found.entries and found.children)
    assert all(len(entry.url) <= MAX_URL_CHARS for entry in (*found.entries, *found.children))
    assert found.form or (found.warnings and not found.entries)
