"""RFC 3986, 5.4, and what browsers add to it."""

from urllib.parse import urljoin, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.encoding import CODECS, query_codec
from pages.links import BaseUrl, Unusable, escaped_octets, without_dots

BASE = BaseUrl.of("http://a/b/c/d;p?q")


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        pytest.param("g", "http://a/b/c/g", id="RFC 3986 5.4.1 g"),
        pytest.param("./g", "http://a/b/c/g", id="RFC 3986 5.4.1 ./g"),
        pytest.param("g/", "http://a/b/c/g/", id="RFC 3986 5.4.1 g/"),
        pytest.param("/g", "http://a/g", id="RFC 3986 5.4.1 /g"),
        pytest.param("//g", "http://g/", id="RFC 3986 5.4.1 //g, with the path that browsers add"),
        pytest.param("?y", "http://a/b/c/d;p?y", id="RFC 3986 5.4.1 ?y"),
        pytest.param("#s", "http://a/b/c/d;p?q#s", id="RFC 3986 5.4.1 #s"),
        pytest.param("", "http://a/b/c/d;p?q", id="RFC 3986 5.4.1 empty"),
        pytest.param("..", "http://a/b/", id="RFC 3986 5.4.1 .."),
        pytest.param("../../g", "http://a/g", id="RFC 3986 5.4.1 ../../g"),
        pytest.param("../../../g", "http://a/g", id="RFC 3986 5.4.2 above the root"),
        pytest.param("./../g", "http://a/b/g", id="RFC 3986 5.4.2 ./../g"),
        pytest.param("g?y/../x", "http://a/b/c/g?y/../x", id="RFC 3986 5.4.2 dots in a query stay"),
        pytest.param("http:g", "http://a/b/c/g", id="RFC 3986 5.4.2 http:g for old parsers"),
        pytest.param("HTTPS://g/x", "https://g/x", id="scheme in capitals"),
        pytest.param(" \n/g\t ", "http://a/g", id="WHATWG: blanks around"),
        pytest.param("/lo\nng\t/pa\r\nth", "http://a/long/path", id="WHATWG: line breaks inside vanish"),
        pytest.param("\\\\g\\x", "http://g/x", id="WHATWG: backslash is slash"),
        pytest.param("///g", "http://g/", id="WHATWG: too many slashes"),
        pytest.param("http://[::1]:8080/x", "http://[::1]:8080/x", id="IPv6 with a port"),
        pytest.param("http:/g", "http://a/g", id="WHATWG 4.4: one slash after the scheme of the page"),
        pytest.param("http:\\\\g\\x", "http://g/x", id="WHATWG 4.4: two of the other kind"),
        pytest.param("https:/g", "https://g/", id="WHATWG 4.4: one slash after another scheme"),
        pytest.param("http:?y", "http://a/b/c/d;p?y", id="WHATWG 4.4: a query after the scheme of the page"),
        pytest.param("?", "http://a/b/c/d;p?", id="an empty query is one"),
        pytest.param("http://u@v@g/", "http://u@v@g/", id="WHATWG 4.4: the last @ ends the credentials"),
        pytest.param("http://g:00080/", "http://g:00080/", id="WHATWG 4.4: zeros before a port"),
        pytest.param("/x/y/%2e%2E/../z", "http://a/z", id="WHATWG 4.2: escaped dots are walked in their turn"),
        pytest.param("%2e/g", "http://a/b/c/g", id="WHATWG 4.2: one escaped dot"),
    ],
)
def test_a_reference_leads_where_a_browser_would_go(reference: str, expected: str) -> None:
    assert BASE.resolve(reference) == expected


@pytest.mark.parametrize(
    "reference",
    ["javascript:alert(1)", "JaVaScRiPt:x", " java\nscript:x", "data:text/html,x", "mailto:a@b", "file:///etc/passwd",
     "ftp://127.0.0.1/", "gopher://127.0.0.1:25/_HELO", "view-source:http://a", "about:blank"],
)  # fmt: skip
def test_other_schemes_are_told_apart_from_errors(reference: str) -> None:
    assert BASE.resolve(reference) is Unusable.SCHEME


@pytest.mark.parametrize(
    "reference",
    ["//", "///", "http://", "http://[::1", "http://a b/", "http://exa mple/", "http://%00/", "http://h:0/",
     "http://h:99999/", "http://h:80x/", "http://h:000/", "http://h:100000/", "http://a<b/", "http://@/"],
)  # fmt: skip
def test_a_broken_url_is_a_value_and_not_an_exception(reference: str) -> None:
    assert BASE.resolve(reference) is Unusable.BROKEN


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        pytest.param("?q=\u044f", "http://a/b/c/d;p?q=%FF", id="in the encoding of the page"),
        pytest.param("\u044f?\u044f#\u044f?\u044f", "http://a/b/c/\u044f?%FF#\u044f?\u044f", id="only the query"),
        pytest.param("#?\u044f", "http://a/b/c/d;p?q#?\u044f", id="no query at all"),
        pytest.param("?q=\u3042", "http://a/b/c/d;p?q=%26%2312354%3B", id="what the encoding lacks"),
        pytest.param("//\u044f/?\u044f", "http://\u044f/?%FF", id="a host has none"),
    ],
)
def test_a_query_is_written_in_the_encoding_of_its_page(reference: str, expected: str) -> None:
    assert BaseUrl.of("http://a/b/c/d;p?q", codec="cp1251").resolve(reference) == expected


@given(st.text(), st.sampled_from([*CODECS]))
def test_no_query_is_too_odd_for_any_encoding(query: str, encoding: str) -> None:
    assert isinstance(BaseUrl.of("http://a/", codec=query_codec(encoding)).resolve(f"x?{query}"), str)


def test_octets_of_a_header_stay_what_they_are() -> None:
    assert escaped_octets("/voil\u00c3\u00a0") == "/voil%C3%A0"
    assert escaped_octets("/\u00fc?x") == "/%FC?x"


def test_a_base_that_is_not_http_resolves_absolute_links_only() -> None:
    base = BaseUrl.of("about:blank")
    assert base.resolve("x") is Unusable.BROKEN
    assert base.resolve("http://h/x") == "http://h/x"


@given(st.text())
def test_any_text_gives_an_absolute_http_url_or_a_reason(reference: str) -> None:
    target = BASE.resolve(reference)
    assert isinstance(target, Unusable) or target.startswith(("http://", "https://"))


@given(st.lists(st.sampled_from(["a", "b.html", ".", "..", "c-d", "%7Ee"]), min_size=1).map("/".join))
def test_plain_paths_resolve_as_urljoin_does(path: str) -> None:
    assert BASE.resolve(path) == urljoin(BASE.url, path)


@given(st.lists(st.sampled_from(["", "a", ".", "..", "..."])).map(lambda parts: "/" + "/".join(parts)))
def test_no_dot_segment_is_left(path: str) -> None:
    assert not {".", ".."} & set(urlsplit("http://h" + without_dots(path)).path.split("/"))
