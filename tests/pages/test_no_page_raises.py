"""No input makes the reader raise: pages made of odd tags in odd places, and good pages that somebody damaged."""

from hypothesis import given
from hypothesis import strategies as st

from pages import FetchedBody, parse_page
from pages.text.visible_text import BLOCKS, CELLS, UNSEEN
from urls.records import CanonicalUrl, Page

URL = CanonicalUrl("https://site.example/dir/page.html")
OTHERS = (
    "html head body title meta base link noframes a area frame frameset svg math foreignObject table tbody textarea"
)
TAGS = sorted(BLOCKS | CELLS | UNSEEN | frozenset(OTHERS.split()))
ATTRIBUTES = [
    "hidden", "hidden=until-found", "data-nosnippet", "lang=en", "href=x", "rel=canonical", "name=robots",
    "content='1; url=x'", "http-equiv=refresh", "shadowrootmode=open", "encoding=text/html", "charset=utf-16",
]  # fmt: skip
START = st.builds(
    lambda tag, attributes: f"<{' '.join([tag, *attributes])}>",
    st.sampled_from(TAGS),
    st.lists(st.sampled_from(ATTRIBUTES), max_size=3),
)
END = st.builds("</{}>".format, st.sampled_from(TAGS))
ODD = st.sampled_from(["<!DOCTYPE html>", "<!--", "-->", "<![CDATA[", "]]>", "<?x", "</", "<", "\0", "&#0;", "words "])
GOOD = (
    b"<!DOCTYPE html><html lang=en><head><title>T</title><meta name=robots content=noarchive><base href=/>"
    b"<meta http-equiv=refresh content='9; url=/x'><link rel=canonical href=/y></head><body><h1>Head</h1><p hidden>No"
    b"<table><tr><td>1<td>2</table><a href=z>link</a><span data-nosnippet>not here</span></body></html>"
)
HEADERS = st.lists(
    st.tuples(
        st.sampled_from(
            ["content-type", "x-robots-tag", "link", "refresh", "etag", "last-modified", "content-language"]
        ),
        st.binary(max_size=60).map(lambda value: value.decode("latin-1")),
    ),
    max_size=4,
)


def read(body: bytes, headers: list[tuple[str, str]]) -> Page:
    return parse_page(FetchedBody(body, URL, [*headers, ("content-type", "text/html")]))


@given(st.lists(START | END | ODD, max_size=30), HEADERS)
def test_odd_tags_in_odd_places_are_a_page(pieces: list[str], headers: list[tuple[str, str]]) -> None:
    assert read("".join(pieces).encode(), headers).url == URL


@given(st.integers(0, len(GOOD)), st.integers(0, 40), START.map(str.encode) | st.binary(max_size=20), HEADERS)
def test_a_damaged_page_is_a_page(at: int, lost: int, put: bytes, headers: list[tuple[str, str]]) -> None:
    assert read(GOOD[:at] + put + GOOD[at + lost :], headers).url == URL


def test_what_hides_a_whole_page_hides_no_word_of_it() -> None:
    for root in ("<html hidden>", "<html><body hidden>", "<html hidden><body hidden>", "<p>early<html hidden>"):
        page = read(f"{root}<p>Words<p hidden>unseen<a href=/x>link</a>".encode(), [])
        assert ("Words" in page.text, "unseen" in page.text, len(page.links)) == (True, False, 1)
