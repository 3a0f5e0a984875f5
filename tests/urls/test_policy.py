"""The policy: what enters the frontier, what is off site, and what is refused with which rule."""

import pytest

from urls.blacklist import Blacklist
from urls.canonical import Breadth, Scope, domain_of, site_of
from urls.policy import Policy, Ruling
from urls.records import CanonicalUrl


def policy(*sites: str, breadth: Breadth = Breadth.HOST, blacklist: Blacklist | None = None) -> Policy:
    return Policy(Scope(frozenset(sites), breadth), blacklist or Blacklist({}, {}))


@pytest.mark.parametrize(
    ("url", "standing"),
    [
        pytest.param("http://a.example/x", Ruling.ACCEPTED, id="a seed's site"),
        pytest.param("https://a.example/x", Ruling.ACCEPTED, id="the other scheme, on its default port"),
        pytest.param("http://a.example:8080/x", Ruling.OFF_SITE, id="another port is another site"),
        pytest.param("http://www.a.example/x", Ruling.OFF_SITE, id="another name is another site"),
        pytest.param("http://b.example:8080/x", Ruling.ACCEPTED, id="a seed's site with its port"),
        pytest.param("http://a.example:25/", Ruling.UNUSABLE, id="a mail server's port"),
        pytest.param("file:///etc/passwd", Ruling.UNUSABLE, id="no scheme of ours"),
        pytest.param("http://a.example/x/x/x/", Ruling.REFUSED, id="a trap"),
    ],
)
def test_a_url_has_one_standing(url: str, standing: Ruling) -> None:
    assert policy("a.example", "b.example:8080").check(url).ruling is standing


def test_a_domain_scope_covers_the_registered_domain_of_the_seeds() -> None:
    judge = policy("news.bbc.co.uk", breadth=Breadth.DOMAIN).check
    assert judge("http://www.bbc.co.uk/").ruling is Ruling.ACCEPTED
    assert judge("http://www.itv.co.uk/").ruling is Ruling.OFF_SITE


def test_a_local_name_or_an_address_is_its_own_domain() -> None:
    assert domain_of("bakery.localhost:8400") == "bakery.localhost"
    assert domain_of("127.0.0.1:8101") == "127.0.0.1"
    assert domain_of("[::1]:80") == "[::1]"


def test_the_default_port_of_either_scheme_makes_no_other_site() -> None:
    assert site_of(CanonicalUrl("http://a.example/")) == site_of(CanonicalUrl("https://a.example/")) == "a.example"


def test_a_blocked_site_folder_and_page_are_refused_with_the_reason_given() -> None:
    blacklist = Blacklist({"b.example": "its owner asked"}, {"http://a.example/y": ""}, {"http://a.example/x/*": ""})
    judge = policy("a.example", "b.example", blacklist=blacklist).check
    refusal = judge("http://b.example/").refusal
    assert refusal is not None
    assert (refusal.rule, "its owner asked" in refusal.reason) == ("blocked", True)
    assert judge("http://a.example/x/deep/page").ruling is Ruling.REFUSED
    assert judge("http://a.example/y").ruling is Ruling.REFUSED
    assert judge("http://a.example/yes").ruling is Ruling.ACCEPTED
