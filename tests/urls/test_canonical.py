"""Canonical URLs: the book's aliases, RFC 3986's equivalences, what may not be merged, and no password shown."""

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from urls import canonical
from urls.canonical import (
    UnusableUrl,
    canonical_steps,
    canonicalize,
    has_credentials,
    mask_credentials,
    without_credentials,
)


@pytest.mark.parametrize(
    ("alias", "form"),
    [
        pytest.param("http://www.foo.com:80/bar.html", "http://www.foo.com/bar.html", id="book (a): the default port"),
        pytest.param("http://www.foo.com/%7Efred", "http://www.foo.com/~fred", id="book (b): an escape"),
        pytest.param("http://www.foo.com/x.html#early", "http://www.foo.com/x.html", id="book (c): the fragment"),
        pytest.param("https://a.example:443/", "https://a.example/", id="the default port of https"),
        pytest.param("HTTP://EXAMPLE.com/a", "http://example.com/a", id="6.2.2.1: case of scheme and host"),
        pytest.param("http://a.example/%e3%81%82", "http://a.example/%E3%81%82", id="6.2.2.1: case of hex digits"),
        pytest.param("http://a.example/あ", "http://a.example/%E3%81%82", id="unescaped UTF-8"),
        pytest.param("http://a.example/a/./b/../c", "http://a.example/a/c", id="6.2.2.3: dot segments"),
        pytest.param("http://a.example/%2e%2e/x", "http://a.example/x", id="escaped dots are dots"),
        pytest.param("http://a.example/../../ok", "http://a.example/ok", id="never above the root"),
        pytest.param("http://a.example", "http://a.example/", id="6.2.3: the empty path"),
        pytest.param("http://a.example/?", "http://a.example/", id="the empty query"),
        pytest.param("http://a.example./x", "http://a.example/x", id="the final dot of a host"),
        pytest.param("http://me:secret@a.example/", "http://a.example/", id="credentials are never sent"),
        pytest.param("http://2130706433/", "http://127.0.0.1/", id="an address as one decimal number"),
        pytest.param("http://0177.0.0.1/", "http://127.0.0.1/", id="an address in octal"),
        pytest.param("http://0x7f.1/", "http://127.0.0.1/", id="a short address in hexadecimal"),
        pytest.param("http://0/", "http://0.0.0.0/", id="the zero address"),
        pytest.param("http://[0:0:0:0:0:0:0:1]:8080/", "http://[::1]:8080/", id="an IPv6 address"),
        pytest.param("http://bücher.example/", "http://xn--bcher-kva.example/", id="an internationalised name"),
        pytest.param(" \thttp://a.example/a\nb ", "http://a.example/ab", id="white space around and inside"),
        pytest.param("http:\\\\a.example\\x", "http://a.example/x", id="slashes that lean backward"),
        pytest.param("http://a.example/a b", "http://a.example/a%20b", id="a blank"),
        pytest.param("http://a.example/%zz", "http://a.example/%25zz", id="a percent sign that begins no escape"),
        pytest.param("http://a.example/\ud800", "http://a.example/%EF%BF%BD", id="half a character, as U+FFFD"),
        pytest.param("http://me@b@a.example/", "http://a.example/", id="credentials with a second @"),
        pytest.param("http://%61.example%2e/", "http://a.example/", id="6.2.2.2: escapes in a host"),
        pytest.param(
            "http://b%C3%BCcher.example/", "http://xn--bcher-kva.example/", id="an escaped international name"
        ),
        pytest.param(
            "http://\U0001f4a9.example/", "http://xn--ls8h.example/", id="UTS 46: a sign that IDNA 2008 lacks"
        ),
        pytest.param(
            "http://my_b\u00fc.example/", "http://xn--my_b-3ra.example/", id="UTS 46: an underscore beside it"
        ),
        pytest.param("http://a\u00adb.example/", "http://ab.example/", id="UTS 46: a soft hyphen is nothing"),
        pytest.param("http://127\u30020\u30020\u30021/", "http://127.0.0.1/", id="UTS 46: an address with other dots"),
        pytest.param("http://-a-.b--c.example/", "http://-a-.b--c.example/", id="hyphens where they should not stand"),
        pytest.param("http://[1:0:0:2:0:0:0:3]/", "http://[1:0:0:2::3]/", id="RFC 5952, 4.2: the longest run of zeros"),
        pytest.param("http://[1:0:2:0:0:3:0:0]/", "http://[1:0:2::3:0:0]/", id="RFC 5952, 4.2: the first of two"),
        pytest.param("http://[1:2:3:4:5:6:0:8]/", "http://[1:2:3:4:5:6:0:8]/", id="RFC 5952, 4.2: one zero stays"),
        pytest.param("http://[::FFFF:1.2.3.4]/", "http://[::ffff:102:304]/", id="an IPv4 address in an IPv6 one"),
        pytest.param("http://[::]/", "http://[::]/", id="nothing but zeros"),
    ],
)
def test_an_alias_has_the_canonical_form(alias: str, form: str) -> None:
    assert canonicalize(alias) == form


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("http://a.example/a%2Fb", "http://a.example/a/b", id="an escaped slash is data"),
        pytest.param("http://a.example/a%3Fb", "http://a.example/a?b", id="an escaped question mark is data"),
        pytest.param("http://a.example/a", "http://a.example/A", id="book (d): letter case has no general cure"),
        pytest.param("http://a.example/", "http://a.example/index.html", id="book (e): the index page"),
        pytest.param("http://a.example/", "http://127.0.0.1/", id="book (f): the address"),
        pytest.param("http://a.example/a", "http://a.example/a/", id="a final slash"),
        pytest.param("http://a.example/a;x=1", "http://a.example/a", id="path parameters"),
        pytest.param("http://a.example/?a=1&b=2", "http://a.example/?b=2&a=1", id="the order of a query"),
        pytest.param("http://a.example/", "http://a.example:8080/", id="another port"),
    ],
)
def test_what_may_differ_stays_apart(one: str, other: str) -> None:
    assert canonicalize(one) != canonicalize(other)


@pytest.mark.parametrize(
    ("url", "rule"),
    [
        ("ftp://a.example/", "scheme"),
        ("javascript:alert(1)", "scheme"),
        ("/just/a/path", "scheme"),
        ("http://", "host"),
        ("http:///x", "host"),
        ("http://a b/", "host"),
        ("http://[::1", "host"),
        ("http://256.256.256.256/", "host"),
        ("http://xn--a/", "host"),
        ("http://%00/", "host"),
        ("http://" + "a" * 64 + ".example/", "host"),
        ("http://" + "a." * 130 + "example/", "host"),
        ("http://" + ".".join(["a" * 60] * 5) + "/", "host"),
        ("http://" + "\u00fc" * 60 + ".example/", "host"),
        ("http://" + "\u00fc" * 100_000 + "/", "host"),
        ("http://a.example../", "host"),
        ("http://a..example/", "host"),
        ("http://b%FCcher.example/", "host"),
        ("http://a%2Fb.example/", "host"),
        ("http://half-a-letter.\ud800.example/", "host"),
        ("http://joined-to-none.\u200db.example/", "host"),
        ("http://xn--bcher-kva\u00fc.example/", "host"),
        ("http://[fe80::1%25eth0]/", "host"),
        ("http://[::1]8080/", "host"),
        ("http://[127.0.0.1]/", "host"),
        ("http://a.example:0/", "host"),
        ("http://a.example:99999/", "host"),
        ("http://a.example:x/", "host"),
    ],
)
def test_what_is_no_address_is_refused_with_its_rule(url: str, rule: str) -> None:
    with pytest.raises(UnusableUrl) as error:
        canonicalize(url)
    assert error.value.refusal.rule == rule
    assert url[:20].strip() in error.value.refusal.reason or rule == "scheme"


@pytest.mark.parametrize(
    "url",
    [
        "http://me:secret@a b/",
        "http:\\\\me:secret@a b/",
        "http:/me:secret@a.example/",
        "http://me:it's <a> secret@a b/",
        "http://me:secret" + "!" * 300 + "@a b/",
        "http://me:secret@a.example:0/",
        "ht\ttp:/\n/me:secret@a.example:0/",
        "ftp://me:secret@a.example/",
    ],
)
def test_a_refusal_quotes_no_password(url: str) -> None:
    with pytest.raises(UnusableUrl) as error:
        canonicalize(url)
    assert "secret" not in error.value.refusal.reason


def test_the_steps_lead_from_the_url_to_its_canonical_form() -> None:
    steps = canonical_steps("HTTP://Foo.com:80/%7Efred/./x#early")
    assert steps[0].before == "HTTP://Foo.com:80/%7Efred/./x#early"
    assert steps[-1].after == "http://foo.com/~fred/x"
    assert all(one.after == other.before for one, other in pairwise(steps))
    assert canonical_steps("http://foo.com/") == []


_PIECES = st.sampled_from(
    [
        *["http://", "https://", "HTTP:", "a.example", "127.0.0.1", "[::1]", ":80", ":8080", "xn--a", "%41", "%2e"],
        *["\u00ad", "\u200d", "\u3002", "e\u0301", "\ud800", "1", "0x", "[", "]", "xn--4ca"],
        *["/", "..", ".", "//", "b", "%7e", "%2F", "%", "?", "#", "&a=1"],
        *"é\\@;- \x00",
    ]
)


@given(st.one_of(st.text(), st.lists(_PIECES, max_size=12).map("".join)))
@example("http://a.example/%%37e")
@example("http://a.example/%2e./x")
def test_the_canonical_form_is_its_own_canonical_form(url: str) -> None:
    try:
        form = canonicalize(url)
    except UnusableUrl:
        return
    assert canonicalize(form) == form
    assert form.isascii()
    assert "#" not in form


@given(st.lists(_PIECES, max_size=12).map("".join))
def test_the_short_way_for_canonical_urls_changes_nothing(url: str) -> None:
    if canonical._ALREADY_CANONICAL.match(url) and "xn--" not in url:
        *_, (_, long_way) = canonical._walk(url)
        assert long_way == url


@pytest.mark.parametrize(
    ("url", "has"),
    [
        ("http://user:pw@a.example/", True),
        ("http://user@a.example", True),
        ("http:\\\\user:pw@a.example/", True),
        ("https://a.example/@user", False),
        ("https://a.example/?mail=me@a.example", False),
        ("mailto:me@a.example", False),
        ("http:/user:pw@a.example/", True),
        (" \x01ht\ttps:/\n/user:pw@a.example/", True),
    ],
)
def test_a_name_before_the_host_is_seen(url: str, has: bool) -> None:
    assert has_credentials(url) is has


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://user:p w'@x\"<@a.example/@me", "http://…@a.example/@me"),
        ("http:\\\\user:pw@a.example", "http:\\\\…@a.example"),
        ("http://a.example/?mail=me@a.example", "http://a.example/?mail=me@a.example"),
    ],
)
def test_an_address_shows_no_password_whatever_stands_in_it(url: str, shown: str) -> None:
    assert mask_credentials(url) == shown


def test_a_sentence_shows_no_password() -> None:
    said = "302 leads to http://user:p@s's@a.example/x, and it is at https://a.example/@me"
    assert without_credentials(said) == "302 leads to http://…@a.example/x, and it is at https://a.example/@me"


@given(st.text(alphabet="ab:", min_size=1), st.text(alphabet="abc/@?", max_size=10))
def test_no_password_is_ever_shown(password: str, rest: str) -> None:
    assert without_credentials(f"see http://{password}@host.example/{rest}").startswith("see http://…@host.example/")
