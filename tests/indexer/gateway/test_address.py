"""URLs as a person reads them, and which of them may be linked to."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.gateway.address import MAX_SHOWN, is_link, trail


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        pytest.param("http://a.example/", ("a.example",), id="a site is its host"),
        pytest.param("http://a.example/x/y.html", ("a.example", "x", "y.html"), id="folders follow one another"),
        pytest.param("http://a.example/?q=1", ("a.example", "?q=1"), id="a query of the root"),
        pytest.param("http://a.example/x?q=1", ("a.example", "x?q=1"), id="a query belongs to the last part"),
        pytest.param("http://a.example/br%C3%B6tchen", ("a.example", "brötchen"), id="letters are decoded"),
        pytest.param("http://a.example/%ED%98%B8%EB%B0%80", ("a.example", "호밀"), id="of any script"),
        pytest.param("http://a.example/a%2Fb%20c%25", ("a.example", "a%2Fb%20c%25"), id="ASCII escapes are data"),
        pytest.param("http://a.example/%FF%FE", ("a.example", "%FF%FE"), id="octets that are no text stay"),
        pytest.param("http://a.example/%E2%80%AEgpj", ("a.example", "%E2%80%AEgpj"), id="no turning of the direction"),
        pytest.param("http://a.example/%C2%A0x", ("a.example", "%C2%A0x"), id="no invisible blanks"),
        pytest.param("http://xn--e1awd7f.com/", ("\u0435\u0440\u0456\u0441.com",), id="url-018 a homograph, decoded"),
        pytest.param("http://xn--bcker-gra.example:81/", ("bäcker.example:81",), id="a name in its own letters"),
        pytest.param("http://xn--pypal-4ve.example/", ("xn--pypal-4ve.example",), id="not one that mixes scripts"),
        pytest.param("http://xn--0.example/", ("xn--0.example",), id="nor one that is no punycode"),
        pytest.param("http://[::1]:8080/x", ("[::1]:8080", "x"), id="an IPv6 address"),
        pytest.param("nonsense", ("", "nonsense"), id="what is no URL is shown as it is"),
    ],
)
def test_a_url_reads_as_a_trail(url: str, shown: tuple[str, ...]) -> None:
    assert trail(url) == shown


def test_a_long_trail_loses_what_stands_before_its_end() -> None:
    host, *_, gap, last = trail("http://a.example/" + "folder/" * 50 + "page.html")
    assert (host, gap, last) == ("a.example", "…", "page.html")


@given(
    st.text() | st.text().map(lambda text: f"http://{text}") | st.text().map(lambda text: f"http://a.example/{text}")
)
def test_any_text_has_a_trail_of_bounded_length_that_prints(url: str) -> None:
    parts = trail(url)
    assert sum(map(len, parts)) <= 2 * MAX_SHOWN
    assert is_link(url) is url.lower().startswith(("http://", "https://"))


@pytest.mark.parametrize("url", ["javascript:alert(1)", "data:text/html,x", "//a.example/", " http://a.example/", ""])
def test_only_http_and_https_are_linked_to(url: str) -> None:
    assert not is_link(url)
