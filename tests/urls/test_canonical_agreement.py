"""Do others call the same URLs one? RFC 3986 by its own words, w3lib, and the URL standard, as far as they agree.

The cases are written after the rules of the URL standard (URL parser, host parser, percent-encode sets). Where it keeps
apart what RFC 3986 calls equivalent, as an escaped unreserved character, RFC 3986 decides, and there is no case.
"""

import re
from urllib.parse import unquote_to_bytes, urlsplit

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from w3lib.url import canonicalize_url, safe_url_string

from urls.canonical import UnusableUrl, canonicalize

# Both the URL standard and RFC 3986 have these results.
STANDARD = [
    ("http://example.com/././foo", "http://example.com/foo"),
    ("http://example.com/foo/bar/..", "http://example.com/foo/"),
    ("http://example.com/foo/bar/../ton", "http://example.com/foo/ton"),
    ("http://example.com/foo/../../../ton", "http://example.com/ton"),
    ("http://example.com/foo/%2e%2e/%2e%2e/bar", "http://example.com/bar"),
    ("http://example.com////../..", "http://example.com//"),
    ("http://example.com/foo%", "http://example.com/foo%25"),
    ("http://example.com/(%28:%3A%29)", "http://example.com/(%28:%3A%29)"),
    ("http://example.com/foo\tbar", "http://example.com/foobar"),
    ("http://example.com\\\\foo\\bar", "http://example.com//foo/bar"),
    ("  http://example.com/ \t", "http://example.com/"),
    ("http:\\\\x:443\\c:/foo", "http://x:443/c:/foo"),
    ("HtTp://ExAmPlE.com", "http://example.com/"),
    ("http://f:00000000000000080/c", "http://f/c"),
    ("http://f:/c", "http://f/c"),
    ("https://f:443/c", "https://f/c"),
    ("https://f:80/c", "https://f:80/c"),
    ("http://1.2.3.4/", "http://1.2.3.4/"),
    ("http://192.168.257", "http://192.168.1.1/"),
    ("http://192.0x00A80001", "http://192.168.0.1/"),
    ("http://017700000001", "http://127.0.0.1/"),
    ("http://4294967295", "http://255.255.255.255/"),
    ("http://[2001::1]", "http://[2001::1]/"),
    ("http://[::127.0.0.1]", "http://[::7f00:1]/"),
    ("http://[1:0:0:0:0:0:0:0]", "http://[1::]/"),
    ("http://faß.example/", "http://xn--fa-hia.example/"),
    ("http://GOO\u3002google.com", "http://goo.google.com/"),
    ("http://a.example/?q=\u00e9 x", "http://a.example/?q=%C3%A9%20x"),
    ("http://a.example/\u00e9", "http://a.example/%C3%A9"),
]
# Both refuse these.
REFUSED = [
    "http://", "http:///", "http://?q", "http://a b", "http://a<b", "http://a>b", "http://a^b", "http://a|b",
    "http://[", "http://[1::2]:3:4", "http://[:::]", "http://f:b/c", "http://f: 21/b", "http://f:999999/c",
    "http://1.2.3.08", "http://4294967296", "http://256.1.1.1", "http://0x100000000", "http://1.2.3.4.5",
    "http://xn--/", "http://%00.com", "http://\ufdd0.example", "http://x:65536/",
]  # fmt: skip


@pytest.mark.parametrize(("url", "form"), STANDARD)
def test_the_form_is_that_of_the_url_standard(url: str, form: str) -> None:
    assert canonicalize(url) == form


@pytest.mark.parametrize("url", REFUSED)
def test_what_the_url_standard_refuses_is_refused(url: str) -> None:
    with pytest.raises(UnusableUrl):
        canonicalize(url)


_PATH = st.text("abAB019-._~!$'()*+,;=:@/%é ", max_size=12)
_URLS = st.builds("http://{}/{}{}".format, st.sampled_from(["a.example", "A.EXAMPLE", "b.example:8080"]), _PATH,
                  _PATH.map(lambda text: f"?{text}" if text else ""))  # fmt: skip


@given(_URLS)
def test_w3lib_sees_the_same_page_in_a_canonical_form(url: str) -> None:
    """w3lib sorts queries, escapes some delimiters and walks no dots: compared is what both look at."""
    safe, form = safe_url_string(url), canonicalize(url)
    if "/." not in url.replace("%2e", ".").replace("%2E", "."):
        assert unescaped(canonicalize_url(form)) == unescaped(canonicalize_url(safe))


def unescaped(url: str) -> tuple[bytes, bytes]:
    """Path and query as octets: how they are escaped is not compared."""
    parts = urlsplit(url)
    return unquote_to_bytes(parts.path), unquote_to_bytes(parts.query.replace("+", "%20"))


@given(_URLS, _URLS)
@example("http://a.example/ ", "http://a.example/")
def test_what_rfc_3986_tells_apart_is_not_merged(one: str, other: str) -> None:
    if meaning(one) != meaning(other):
        assert canonicalize(one) != canonicalize(other)


def meaning(url: str) -> tuple[str, tuple[bytes, ...], tuple[bytes, ...]]:
    """What RFC 3986 says that a URL means: its authority, and path and query as data parted by their delimiters.

    A blank at its end is none of it (appendix C: white space delimits a URL in text).
    """
    authority, _, rest = url.strip(" ").removeprefix("http://").partition("/")
    path, _, query = rest.partition("?")
    return authority.lower(), data(dotless(path)), data(query)


def dotless(path: str) -> str:
    """Walk `.` and `..` (RFC 3986, 5.2.4), with the escaped dots that its 6.2.2.2 makes dots first."""
    kept: list[str] = []
    parts = path.split("/")
    for place, part in enumerate(parts):
        plain = part.replace("%2e", ".").replace("%2E", ".")
        if plain == "..":
            del kept[-1:]
        elif plain != ".":
            kept.append(part)
            continue
        if place == len(parts) - 1:
            kept.append("")
    return "/".join(kept)


def data(text: str) -> tuple[bytes, ...]:
    """Part a component at each delimiter that stands there unescaped, and open the escapes of what lies between."""
    return tuple(
        piece.encode() if len(piece) == 1 and piece in "!$'()*+,;=:@/" else unquote_to_bytes(piece)
        for piece in re.split(r"([!$'()*+,;=:@/])", text)
    )
