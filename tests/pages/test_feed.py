"""The entries of a feed become links, whatever its form and however broken it is; it loads no other file."""

from __future__ import annotations

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages import FetchedBody, parse_page
from pages.feed import read_feed
from pages.links import MAX_LINKS
from pages.xml_events import MAX_DEPTH, MAX_NAMES
from urls.records import CanonicalUrl, Link, Page
from urls.rules import Rule

URL = CanonicalUrl("http://site.example/news/feed.xml")
RSS = """<?xml version="1.0"?><rss version="2.0"><channel><title>Bakery news</title><link>http://site.example/</link>
<language>de</language><item><title>Rye &lt;b>again&lt;/b></title><link>/rye</link><pubDate>x</pubDate></item>
<item><guid>http://site.example/wheat</guid><title>Wheat</title></item>
<item><guid isPermaLink="false">17</guid><title>Nowhere</title></item></channel></rss>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom" xml:base="http://site.example/blog/" xml:lang="en">
<title>Blog</title><link rel="self" href="feed.atom"/><link href="./"/>
<entry><title>One</title><link rel="enclosure" href="a.mp3"/>
<link href="one.html"/>
<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><title>No</title></div></content>
<source><title>Other</title><link href="http://elsewhere.example/"/></source></entry></feed>"""
RDF = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">
<channel><title>Old</title><link>http://site.example/old</link></channel>
<item><title>First</title><link>http://site.example/first</link></item></rdf:RDF>"""


def read(body: str, content_type: str = "application/rss+xml", *headers: tuple[str, str]) -> Page:
    return parse_page(FetchedBody(body.encode(), URL, [("content-type", content_type), *headers]))


@pytest.mark.parametrize(
    ("body", "title", "language", "links"),
    [
        pytest.param(RSS, "Bakery news", "de", ["/", "/rye", "/wheat"], id="RSS 2.0"),
        pytest.param(ATOM, "Blog", "en", ["/blog/", "/blog/one.html"], id="Atom"),
        pytest.param(RDF, "Old", "", ["/old", "/first"], id="RSS 1.0"),
    ],
)
def test_the_entries_of_a_feed_are_links(body: str, title: str, language: str, links: list[str]) -> None:
    page = read(body)
    assert (page.title, page.language) == (title, language)
    assert [link.url for link in page.links] == [f"http://site.example{path}" for path in links]


def test_an_entrys_title_is_the_text_of_its_link() -> None:
    assert Link("http://site.example/rye", "Rye again") in read(RSS).links


@pytest.mark.parametrize(
    "content_type", ["application/rss+xml", "application/atom+xml", "application/xml", "text/xml; charset=x"]
)
def test_a_feed_is_no_result_and_says_what_it_is(content_type: str) -> None:
    page = read(RSS, content_type)
    assert [refusal.rule for refusal in page.refusals] == [Rule.FEED]
    assert "RSS: a feed of 3 links" in page.refusals[0].reason


def test_another_file_of_xml_is_no_feed() -> None:
    page = read("<svg><title>x</title><a href='/y'/></svg>", "application/xml")
    assert (page.title, page.links, page.refusals) == ("", (), ())


def test_nofollow_by_header_holds_for_a_feed() -> None:
    assert all(link.nofollow for link in read(RSS, "text/xml", ("X-Robots-Tag", "nofollow")).links)


@pytest.mark.parametrize(
    ("was", "put", "link"),
    [
        pytest.param(
            "/rye<",
            "/rye?a=1&b=2&copy=3<",
            Link("http://site.example/rye?a=1&b=2&copy=3", "Rye again"),
            id="bare ampersands",
        ),
        pytest.param(
            "/rye<", "<![CDATA[/rye?a=1&b=2]]><", Link("http://site.example/rye?a=1&b=2", "Rye again"), id="CDATA"
        ),
        pytest.param(
            "Wheat", "Wheat&nbsp;br&ouml;t", Link("http://site.example/wheat", "Wheat bröt"), id="undeclared entities"
        ),
        pytest.param("Wheat", "Wh\x01eat", Link("http://site.example/wheat", "Wheat"), id="control character"),
        pytest.param(
            "<?xml", "\r\n <?xml", Link("http://site.example/wheat", "Wheat"), id="blanks before the declaration"
        ),
        pytest.param(
            "<title>Wheat",
            "<media:x>1</media:x><title>Wheat",
            Link("http://site.example/wheat", "Wheat"),
            id="undeclared prefix",
        ),
    ],
)
def test_the_usual_faults_are_put_right(was: str, put: str, link: Link) -> None:
    page = read(RSS.replace(was, put, 1))
    assert link in page.links
    assert len(page.links) == 3
    assert page.warnings == ()


@pytest.mark.parametrize("place", ["</guid><title>Wheat", "wheat</guid>", "<item><guid>http"])
def test_no_address_is_made_up_where_a_feed_breaks_off(place: str) -> None:
    page = read(RSS[: RSS.index(place) + 3])
    assert [link.url for link in page.links] == ["http://site.example/", "http://site.example/rye"]
    assert "what stands before that is taken" in page.warnings[0]


OF_OURS = "<!DOCTYPE rss [<!ENTITY x SYSTEM 'file:///etc/passwd'>]>"
BOMB = "<!DOCTYPE rss [<!ENTITY a 'aaaaaaaaaa'>" + "".join(
    f"<!ENTITY {name} '{f'&{before};' * 10}'>" for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        pytest.param(f"{BOMB}]><rss><channel><title>&i;</title></channel></rss>", "DOCTYPE", id="billion laughs"),
        pytest.param("<!DOCTYPE rss SYSTEM 'http://127.0.0.1:1/x.dtd'><rss/>", "DOCTYPE", id="a DTD elsewhere"),
        pytest.param(f"{OF_OURS}<rss><channel><title>&x;</title></channel></rss>", "DOCTYPE", id="a file of ours"),
        pytest.param("<rss>" + "<a>" * (MAX_DEPTH + 1), "deep", id="depth"),
        pytest.param("<rss>" + "".join(f"<n{number}/>" for number in range(MAX_NAMES + 1)), "names", id="names"),
        pytest.param("<rss><channel x='" + "y" * 3_000_000, "a tag or a comment", id="a tag without an end"),
    ],
)  # fmt: skip
def test_an_attack_is_refused_and_told(body: str, words: str) -> None:
    feed = read_feed(body.encode())
    assert words in " ".join(feed.warnings)
    assert "aaaa" not in feed.title
    assert "root:" not in feed.title


def test_more_entries_than_a_page_may_have_links_are_counted() -> None:
    entries = "".join(f"<item><link>/{number}</link></item>" for number in range(MAX_LINKS + 10))
    page = read(f"<rss><channel>{entries}</channel></rss>")
    assert (len(page.links), page.links_cut) == (MAX_LINKS, 10)


def test_a_title_of_many_references_is_read_once() -> None:
    start = process_time()
    assert read_feed(("<rss><channel><title>" + "&lt;" * 120_000).encode()).title == ""  # it has no end
    assert process_time() - start < 2  # seconds; 7 if each looks at all before it


PIECES = st.sampled_from(
    ["<rss>", "<channel>", "<item>", "<link>", "</link>", "</item>", "<title>", "</title>", "&amp;", "&", "&x;", "/a",
     "<feed>", "<entry>", "<link href='/b'/>", "<![CDATA[", "]]>", "<!--", "-->", "<?x ?>",
     "<!DOCTYPE x>", "</rss>", "\x00"]
)  # fmt: skip


@given(st.lists(PIECES | st.text(max_size=5), max_size=25).map("".join) | st.binary(max_size=60))
def test_any_bytes_are_a_feed_or_none(body: str | bytes) -> None:
    read_feed(body.encode() if isinstance(body, str) else body)
