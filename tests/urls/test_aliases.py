"""Several options, several sites: the order, the steps that are shown, and what can't be switched on."""

import pytest

from crawldb.tables.site_options import options_of, switch_on
from frontier.session import Session
from urls.aliases import Options
from urls.canonical import canonicalize
from urls.policy import Policy, Ruling
from urls.site import Scope
from urls.site_options import OptionError, choice_of

ALL = ("session-ids", "tracking", "sort-query", "letter-case", "index-page", "trailing-slash")


def test_each_step_names_the_option_and_the_site() -> None:
    options = Options({"a.example": (choice_of("index-page"), choice_of("letter-case"), choice_of("trailing-slash"))})
    steps = options.steps(canonicalize("http://a.example/Docs/INDEX.html"))
    assert [step.rule for step in steps] == [
        "option letter-case of a.example: the letters of the path are small",
        "option index-page of a.example: the index page is its folder",
        "option trailing-slash of a.example: the final slash goes",
    ]
    assert steps[-1].after == "http://a.example/docs"


def test_the_options_of_the_site_that_one_comes_to_hold_there() -> None:
    options = Options({"www.a.example": (choice_of("www"),), "a.example": (choice_of("index-page"),)})
    assert options.canonical(canonicalize("http://www.a.example/x/index.html")) == "http://a.example/x/"


def test_two_sites_that_name_each_other_end() -> None:
    options = Options({"www.a.example": (choice_of("www"),), "a.example": (choice_of("www"),)})
    assert options.canonical(canonicalize("http://www.a.example/x")).endswith("a.example/x")


def test_two_sites_can_not_name_each_other(session: Session) -> None:
    with session.database.transaction():
        switch_on(session.database, "www.b.example", [choice_of("www")])
    with pytest.raises(OptionError, match="known by each other's name"), session.database.transaction():
        switch_on(session.database, "b.example", [choice_of("www")])
    assert options_of(session.database).told() == [("www.b.example", "www", ())]


@pytest.mark.parametrize(
    ("option", "names", "message"),
    [("www", [], "no other name with or without www"), ("address", ["127.0.0.1"], "another name of itself")],
)
def test_an_option_that_would_lead_nowhere_is_not_switched_on(
    session: Session, option: str, names: list[str], message: str
) -> None:
    with pytest.raises(OptionError, match=message), session.database.transaction():
        switch_on(session.database, "127.0.0.1", [choice_of(option, names)])
    assert options_of(session.database).told() == []


def test_an_address_on_the_port_of_https_stays_in_scope() -> None:
    options = Options({"127.0.0.1": (choice_of("address", ["a.example:443"]),)})
    policy = Policy(Scope(frozenset({"127.0.0.1"})), options=options)
    judgement = policy.judge("https://127.0.0.1/x")
    assert (judgement.ruling, judgement.url) == (Ruling.ACCEPTED, "https://a.example/x")


def test_the_site_that_an_option_names_is_in_scope() -> None:
    options = Options({"www.a.example": (choice_of("www"),)})
    policy = Policy(Scope(frozenset({"www.a.example"})), options=options)
    judgement = policy.judge("http://www.a.example/x")
    assert (judgement.ruling, judgement.url) == (Ruling.ACCEPTED, "http://a.example/x")
    assert policy.judge("http://a.example/x").ruling is Ruling.ACCEPTED
    assert policy.judge("http://b.example/x").ruling is Ruling.OFF_SITE


def test_an_alias_is_refused_with_the_option_and_the_name() -> None:
    options = Options({"a.example": (choice_of("index-page"),)})
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
        choice_of(option, names)
