"""Odd and hostile URLs, from the reference on a page to what the policy says: none ends a page, none is lost."""

import ipaddress

import pytest

from pages.links import BaseUrl, Unusable
from spiders.downloader.address_policy import is_public
from urls.canonical import Scope
from urls.policy import Policy, PolicyDecision, Ruling

PAGE = BaseUrl.of("http://a.example/dir/page")
SITES = frozenset({"a.example", "h", "127.0.0.1", "0.0.0.0", "xn--e1awd7f.com", "example.com"})
POLICY = Policy(Scope(SITES))


def judged(reference: str) -> PolicyDecision | Unusable:
    """What becomes of a reference: unusable as the page's own parser sees it, or judged."""
    url = PAGE.resolve(reference)
    return url if isinstance(url, Unusable) else POLICY.check(url)


@pytest.mark.parametrize(
    ("reference", "known"),
    [
        pytest.param("//h/x", "http://h/x", id="url-007 scheme-relative"),
        pytest.param("http://xn--e1awd7f.com/", "http://xn--e1awd7f.com/", id="url-018 IDN homograph, as punycode"),
        pytest.param("http://2130706433/", "http://127.0.0.1/", id="url-020 decimal IP"),
        pytest.param("http://0177.0.0.1/", "http://127.0.0.1/", id="url-021 octal IP"),
        pytest.param("http://0/", "http://0.0.0.0/", id="url-023 the zero address"),
        pytest.param("HTTP://EXAMPLE.com:80/a", "http://example.com/a", id="url-024 capitals and default port"),
        pytest.param("/a/./b/../c", "http://a.example/a/c", id="url-025 dot segments"),
        pytest.param("/%7euser", "http://a.example/~user", id="url-026 percent case and unreserved"),
        pytest.param("/a%2fb", "http://a.example/a%2Fb", id="url-027 reserved percent stays apart"),
        pytest.param("/?b=2&a=1", "http://a.example/?b=2&a=1", id="url-028 query order, unless an option sorts it"),
        pytest.param("http://h./", "http://h/", id="url-036 trailing dot of a host"),
        pytest.param("/ok;x=1", "http://a.example/ok;x=1", id="url-037 path parameters"),
    ],
)
def test_a_reference_is_known_by_its_canonical_form(reference: str, known: str) -> None:
    judgement = judged(reference)
    assert isinstance(judgement, PolicyDecision)
    assert (judgement.ruling, judgement.url) == (Ruling.ACCEPTED, known)


@pytest.mark.parametrize(
    ("reference", "why"),
    [
        pytest.param("data:text/html,x", Unusable.SCHEME, id="url-003 data: URI"),
        pytest.param("file:///etc/passwd", Unusable.SCHEME, id="url-004 file: link"),
        pytest.param("mailto:a@b", Unusable.SCHEME, id="url-006 mailto"),
        pytest.param("tel:+4930", Unusable.SCHEME, id="url-006 tel"),
        pytest.param("//", Unusable.BROKEN, id="url-008 bare //"),
        pytest.param("http://[::1", Unusable.BROKEN, id="url-012 unclosed IPv6"),
        pytest.param("http://h:0/", Unusable.BROKEN, id="url-013 port 0"),
        pytest.param("http://h:99999/", Unusable.BROKEN, id="url-013 port 99999"),
        pytest.param("http://a b/", Unusable.BROKEN, id="url-015 space in host"),
        pytest.param("http://127.0.0.1:25/", "port", id="url-014 the port of mail"),
        pytest.param("http://127.0.0.1:6379/", "port", id="url-014 the port of a database"),
        pytest.param("http://xn--a/", "host", id="url-019 bad punycode"),
        pytest.param("/" + "a" * 2084, "url-length", id="url-029 2084 characters"),
        pytest.param("/" + "a" * 8192, "url-length", id="url-029 8192 characters"),
        pytest.param("/" + "a" * 70_000, "url-length", id="url-030 70 kB"),
    ],
)
def test_a_reference_is_dropped_for_its_reason(reference: str, why: str | Unusable) -> None:
    judgement = judged(reference)
    if isinstance(judgement, Unusable):
        assert judgement is why
        return
    assert judgement.refusal is not None
    assert judgement.refusal.rule == why
    assert len(judgement.refusal.reason) < 300  # no long URL is copied into the journal


@pytest.mark.parametrize("spelling", ["2130706433", "0177.0.0.1", "0x7f.1", "127.1"])
def test_an_address_is_judged_as_an_address_however_it_is_spelt(spelling: str) -> None:
    judgement = Policy(Scope(frozenset({"127.0.0.1"}))).check(f"http://{spelling}/")
    assert judgement.url == "http://127.0.0.1/"
    assert not is_public(ipaddress.ip_address("127.0.0.1"))
