"""Options of a site: their order, their shown steps, their effect on a URL, and those that can't be switched on."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawldb.tables.sites import options_of, switch_on
from frontier.session import Session
from urls.canonical import Scope, canonicalize
from urls.policy import Policy, Ruling
from urls.site_options import OptionError, Options, chosen_option, rewritten

ALL = ("session-ids", "tracking", "sort-query", "letter-case", "index-page", "trailing-slash")


def test_each_step_names_the_option_and_the_site() -> None:
    options = Options(
        {"a.example": (chosen_option("index-page"), chosen_option("letter-case"), chosen_option("trailing-slash"))}
    )
    steps = options.steps(canonicalize("http://a.example/Docs/INDEX.html"))
    assert [step.rule for step in steps] == [
        "option letter-case of a.example: the letters of the path are small",
        "option index-page of a.example: the index page is its folder",
        "option trailing-slash of a.example: the final slash goes",
    ]
    assert steps[-1].after == "http://a.example/docs"


def test_the_options_of_the_site_that_one_comes_to_hold_there() -> None:
    options = Options({"www.a.example": (chosen_option("www"),), "a.example": (chosen_option("index-page"),)})
    assert options.canonical(canonicalize("http://www.a.example/x/index.html")) == "http://a.example/x/"


def test_two_sites_that_name_each_other_end() -> None:
    options = Options({"www.a.example": (chosen_option("www"),), "a.example": (chosen_option("www"),)})
    assert options.canonical(canonicalize("http://www.a.example/x")).endswith("a.example/x")


def test_two_sites_can_not_name_each_other(session: Session) -> None:
    with session.database.transaction():
        switch_on(session.database, "www.b.example", [chosen_option("www")])
    with pytest.raises(OptionError, match="known by each other's name"), session.database.transaction():
        switch_on(session.database, "b.example", [chosen_option("www")])
    assert options_of(session.database).sorted_choices() == [("www.b.example", "www", ())]


@pytest.mark.parametrize(
    ("option", "names", "message"),
    [("www", [], "no other name with or without www"), ("address", ["127.0.0.1"], "another name of itself")],
)
def test_an_option_that_would_lead_nowhere_is_not_switched_on(
    session: Session, option: str, names: list[str], message: str
) -> None:
    with pytest.raises(OptionError, match=message), session.database.transaction():
        switch_on(session.database, "127.0.0.1", [chosen_option(option, names)])
    assert options_of(session.database).sorted_choices() == []


def test_an_address_on_the_port_of_https_stays_in_scope() -> None:
    options = Options({"127.0.0.1": (chosen_option("address", ["a.example:443"]),)})
    policy = Policy(Scope(frozenset({"127.0.0.1"})), options=options)
    judgement = policy.check("https://127.0.0.1/x")
    assert (judgement.ruling, judgement.url) == (Ruling.ACCEPTED, "https://a.example/x")


def test_the_site_that_an_option_names_is_in_scope() -> None:
    options = Options({"www.a.example": (chosen_option("www"),)})
    policy = Policy(Scope(frozenset({"www.a.example"})), options=options)
    judgement = policy.check("http://www.a.example/x")
    assert (judgement.ruling, judgement.url) == (Ruling.ACCEPTED, "http://a.example/x")
    assert policy.check("http://a.example/x").ruling is Ruling.ACCEPTED
    assert policy.check("http://b.example/x").ruling is Ruling.OFF_SITE


def test_an_alias_is_refused_with_the_option_and_the_name() -> None:
    options = Options({"a.example": (chosen_option("index-page"),)})
    refusal = options.refusal(canonicalize("http://a.example/index.html"))
    assert refusal is not None
    assert refusal.rule == "alias"
    assert refusal.reason.startswith("option index-page of a.example")
    assert refusal.reason.endswith("known as http://a.example/")
    assert options.refusal(canonicalize("http://a.example/")) is None


@pytest.mark.parametrize(
    ("option", "names", "message"),
    [
        ("lettercase", [], "choose from session-ids, tracking"),
        ("www", ["x"], "takes no names"),
        ("address", [], "address needs the site"),
        ("address", ["two words"], "address needs the site"),
        ("address", ["http://bakery.localhost:8400"], "address needs the site"),
        ("address", ["bakery.localhost/x"], "address needs the site"),
        ("tracking", ["*_id"], "with a star at its end alone"),
        ("session-ids", ["sid="], "no name that could stand in an address"),
        ("index-page", ["index.*"], "index.html is one"),
        ("index-page", ["/index.html"], "index.html is one"),
        ("tracking", [""], "names of 1 to"),
        ("tracking", ["x"] * 101, "at most 100 names"),
    ],
)
def test_a_mistake_in_an_option_is_told(option: str, names: list[str], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        chosen_option(option, names)


SITE = "http://www.foo.com"
COOKIELESS = "x1y2x1y2x1y2x1y2x1y2x1y2"


@pytest.mark.parametrize(
    ("option", "names", "alias", "known"),
    [
        pytest.param("letter-case", [], "/README.HTM", "/readme.htm", id="book (d): letter case"),
        pytest.param("letter-case", [], "/A%C3%84?Q=Ab", "/a%C3%84?Q=Ab", id="escapes and queries keep their letters"),
        pytest.param("index-page", [], "/index.html", "/", id="book (e): the index page"),
        pytest.param("index-page", [], "/a/Default.htm", "/a/", id="an index page of another server"),
        pytest.param("index-page", ["start.html"], "/a/start.html", "/a/", id="an index page of one's own"),
        pytest.param("trailing-slash", [], "/a/?q=1", "/a?q=1", id="the final slash of a path with a query"),
        pytest.param("session-ids", [], "/a;jsessionid=1F/b?sid=2&q=3", "/a/b?q=3", id="session ids in path and query"),
        pytest.param("session-ids", [], f"/(S({COOKIELESS}))/a", "/a", id="a session id that is a part of the path"),
        pytest.param("session-ids", [], f"/x/(X(1)S({COOKIELESS}))/?sid=1", "/x/", id="with what else ASP.NET keeps"),
        pytest.param("session-ids", ["Größe"], "/a?GR%C3%B6%C3%9Fe=9", "/a", id="a name beyond ASCII"),
        pytest.param(
            "index-page", ["Übersicht.html"], "/a/%C3%9Cbersicht.html", "/a/", id="a page's name beyond ASCII"
        ),
        pytest.param("session-ids", ["tok*"], "/a?token=9", "/a", id="a session id by another name"),
        pytest.param("tracking", [], "/a?utm_source=x&q=1&fbclid=7", "/a?q=1", id="tracking parameters"),
        pytest.param("sort-query", [], "/a?b=2&a=1", "/a?a=1&b=2", id="the order of a query"),
        pytest.param("sort-query", [], "/a?b=2&b=1&a", "/a?a&b=2&b=1", id="values of one name keep their order"),
    ],
)
def test_an_option_makes_one_of_two(option: str, names: list[str], alias: str, known: str) -> None:
    options = Options({"www.foo.com": (chosen_option(option, names),)})
    assert options.canonical(canonicalize(SITE + alias)) == SITE + known
    assert options.canonical(canonicalize(SITE + known)) == SITE + known


@pytest.mark.parametrize(
    ("option", "path"),
    [
        pytest.param("index-page", "/index.html?q=1", id="an index page with a query is a program"),
        pytest.param("index-page", "/login?next=/index.html", id="an index page in a query is data"),
        pytest.param("index-page", "/my-index.html", id="a name that only ends so"),
        pytest.param("session-ids", "/f(S(x))/(notes)/", id="brackets that hold no session"),
        pytest.param("trailing-slash", "/a?dir=/x/", id="a slash at the end of a query is data"),
        pytest.param("trailing-slash", "/", id="the root has its slash"),
        pytest.param("session-ids", "/inside?side=1", id="a name that only begins so"),
        pytest.param("tracking", "/utm_source", id="a path is no parameter"),
        pytest.param("letter-case", "/%C3%84", id="an escape"),
    ],
)
def test_an_option_leaves_alone_what_it_does_not_mean(option: str, path: str) -> None:
    options = Options({"www.foo.com": (chosen_option(option),)})
    assert options.canonical(canonicalize(SITE + path)) == SITE + path


_PATHS = st.lists(
    st.sampled_from(
        ["/", "/A", "/index.html", ";sid=1", ";x", "/..", "/%2E%2e", "%c3%84", "?", "&", "sid=2", "Q", "/(S(",
         COOKIELESS, "))"]
    ),
    max_size=10,
).map("".join)  # fmt: skip
_OPTIONS = st.sets(
    st.sampled_from(["letter-case", "index-page", "trailing-slash", "session-ids", "tracking", "sort-query", "www"])
)


@given(_PATHS, _OPTIONS)
def test_the_name_that_options_give_is_its_own_name(path: str, chosen: set[str]) -> None:
    options = Options({"www.foo.com": tuple(map(chosen_option, sorted(chosen)))})
    url = canonicalize(f"{SITE}/{path}")
    known = options.canonical(url)
    assert options.canonical(known) == known == canonicalize(known)
    assert [step.after for step in options.steps(url)][-1:] == ([known] if known != url else [])


@given(_PATHS)
def test_another_site_is_left_alone(path: str) -> None:
    options = Options({"foo.com": (chosen_option("letter-case"),)})
    url = canonicalize(f"{SITE}/{path}")
    assert options.canonical(url) == url


@pytest.mark.parametrize("site", ["127.0.0.1", "127.0.0.1:8080", "[::1]", "[::1]:8080", "a." * 122 + "example"])
def test_what_can_have_no_www_has_none(site: str) -> None:
    url = canonicalize(f"http://{site}/x")
    assert Options({site: (chosen_option("www"),)}).canonical(url) == url


def test_www_and_an_address_lead_to_the_other_site() -> None:
    url = canonicalize("http://www.foo.com:8080/x")
    assert rewritten(url, chosen_option("www")) == "http://foo.com:8080/x"
    assert rewritten(canonicalize("http://foo.com/x"), chosen_option("www")) == "http://www.foo.com/x"
    assert rewritten(canonicalize("http://127.0.0.1/x"), chosen_option("address", ["Foo.com"])) == "http://foo.com/x"
