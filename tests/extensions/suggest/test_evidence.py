"""The evidence of the stored pages for an option, and against it."""

from collections.abc import Sequence

import pytest

from crawldb.tables.sites import switch_on
from extensions.suggest.evidence import MIN_SAMPLES, AliasEvidence, find_alias_evidence
from frontier.rounds import add_seeds
from frontier.session import Session
from tests.samples import SEED, a_page, an_outcome, lease_all
from urls.canonical import Scope, site_of
from urls.policy import Policy
from urls.records import CanonicalUrl, FoundBy, LeaseEnd, Refusal
from urls.rules import Rule
from urls.site_options import chosen_option


def store(session: Session, said: dict[str, str], seed: str = SEED) -> None:
    """Store pages by what they say; those that say the same are copies."""
    lease_all(session)
    session.store.page(a_page(seed, said.get(seed, ""), links=tuple(said)))
    lease_all(session)
    for url, text in said.items():
        session.store.page(a_page(url, text))


def evidence(session: Session, option: str) -> AliasEvidence | None:
    return next((each for each in find_alias_evidence(session.database) if each.choice.option.value == option), None)


def twins(count: int, one: str, other: str) -> dict[str, str]:
    """Pairs of addresses whose pages say the same: `{n}` in both is their number."""
    said = {}
    for number in range(count):
        for form in (one, other):
            said[form.replace("{n}", str(number))] = f"what number {number:02} says"
    return said


@pytest.mark.parametrize(
    ("option", "one", "other"),
    [
        ("index-page", "http://a.example/{n}/", "http://a.example/{n}/index.html"),
        ("letter-case", "http://a.example/page-{n}", "http://a.example/Page-{n}"),
        ("trailing-slash", "http://a.example/p{n}", "http://a.example/p{n}/"),
        ("session-ids", "http://a.example/{n}?sid=7", "http://a.example/{n}?sid=8"),
        ("tracking", "http://a.example/{n}", "http://a.example/{n}?utm_source=x"),
        ("sort-query", "http://a.example/{n}?a=1&b=2", "http://a.example/{n}?b=2&a=1"),
    ],
)
def test_an_option_is_proposed_after_enough_cases(session: Session, option: str, one: str, other: str) -> None:
    store(session, twins(MIN_SAMPLES, one, other))
    found = evidence(session, option)
    assert found is not None
    assert (found.site, found.agree, found.differ, found.proposed) == ("a.example", MIN_SAMPLES, 0, True)
    assert f"the same page in {MIN_SAMPLES} of {MIN_SAMPLES} cases" in found.reason


def test_too_few_cases_propose_nothing(session: Session) -> None:
    store(session, twins(MIN_SAMPLES - 1, "http://a.example/{n}/", "http://a.example/{n}/index.html"))
    found = evidence(session, "index-page")
    assert found is not None
    assert not found.proposed


def test_one_counter_example_is_enough_and_is_shown(session: Session) -> None:
    said = twins(MIN_SAMPLES + 3, "http://a.example/{n}/", "http://a.example/{n}/index.html")
    store(session, said | {"http://a.example/3/index.html": "something else"})
    found = evidence(session, "index-page")
    assert found is not None
    assert (found.differ, found.proposed) == (1, False)
    assert found.counter == (("http://a.example/3/", "http://a.example/3/index.html"),)
    assert found.reason.endswith("http://a.example/3/ and http://a.example/3/index.html differ")


def test_many_copies_of_one_page_are_one_case(session: Session) -> None:
    said = {f"http://a.example/p?sid={number}": "always the same" for number in range(20)}
    store(session, said | twins(MIN_SAMPLES, "http://a.example/{n}?a=1&b=1", "http://a.example/{n}?b=1&a=1"))
    found = evidence(session, "session-ids")
    assert found is not None
    assert (found.agree, found.contents, found.proposed) == (1, 1, False)


def test_the_same_words_everywhere_prove_nothing(session: Session) -> None:
    pairs = twins(MIN_SAMPLES, "http://a.example/{n}/", "http://a.example/{n}/index.html")
    store(session, dict.fromkeys(pairs, "one page for every address"))
    found = evidence(session, "index-page")
    assert found is not None
    assert (found.agree, found.contents, found.proposed) == (MIN_SAMPLES, 1, False)


def test_pages_that_say_that_nothing_is_there_prove_nothing(session: Session) -> None:
    lease_all(session)
    said = twins(MIN_SAMPLES, "http://a.example/{n}/", "http://a.example/{n}/index.html")
    session.store.page(a_page(SEED, links=tuple(said)))
    lease_all(session)
    for url, text in said.items():
        session.store.page(a_page(url, text, refusals=(Refusal(Rule.SOFT_404, "nothing is here"),)))
    assert evidence(session, "index-page") is None


@pytest.mark.parametrize(
    ("forms", "page", "known", "ended"),
    [
        pytest.param(("trailing-slash", "p{n}", "p{n}/"), "docs/", "docs",
                     (LeaseEnd.MOVED, Rule.MOVED, 301), id="a folder"),
        pytest.param(("index-page", "{n}/", "{n}/index.html"), "x/index.html", "x/",
                     (LeaseEnd.FAILED, Rule.FORBIDDEN, 403), id="a folder that shows no list"),
        pytest.param(("session-ids", "{n}?sid=7", "{n}?sid=8"), "q?sid=7", "q", (LeaseEnd.GONE, Rule.GONE, 404),
                     id="a program that wants its session"),
    ],
)  # fmt: skip
def test_a_page_whose_one_name_brings_none_is_a_counter_example(
    session: Session, forms: tuple[str, str, str], page: str, known: str, ended: tuple[LeaseEnd, Rule, int]
) -> None:
    option, one, other = forms
    said = twins(MIN_SAMPLES, SEED + one, SEED + other) | {SEED + page: "a page that would be lost", SEED + known: ""}
    lease_all(session)
    session.store.page(a_page(SEED, "", links=tuple(said)))
    lease_all(session)
    for url, text in said.items():
        if text:
            session.store.page(a_page(url, text))
        else:
            session.store.outcome(an_outcome(url, *ended[:2], status=ended[2], target=SEED + page))
    found = evidence(session, option)
    assert found is not None
    assert (found.agree, found.differ, found.proposed) == (MIN_SAMPLES, 1, False)
    assert found.counter == ((SEED + page, SEED + known),)


def test_a_server_that_was_not_there_is_no_counter_example(session: Session) -> None:
    said = twins(MIN_SAMPLES, "http://a.example/p{n}", "http://a.example/p{n}/")
    late = "http://a.example/late"
    lease_all(session)
    session.store.page(a_page(SEED, "", links=(*said, late, f"{late}/")))
    lease_all(session)
    for url, text in (said | {f"{late}/": "a page"}).items():
        session.store.page(a_page(url, text))
    session.store.outcome(an_outcome(late, LeaseEnd.FAILED, Rule.TIMEOUT))
    found = evidence(session, "trailing-slash")
    assert found is not None
    assert found.proposed


def test_where_nothing_speaks_for_an_option_nothing_is_held_against_it(session: Session) -> None:
    store(session, {"http://a.example/docs/": "a page"})
    assert evidence(session, "trailing-slash") is None


def test_what_is_on_is_not_proposed_again(session: Session) -> None:
    store(session, twins(MIN_SAMPLES, "http://a.example/{n}/", "http://a.example/{n}/index.html"))
    with session.database.transaction():
        switch_on(session.database, "a.example", [chosen_option("index-page")])
    assert evidence(session, "index-page") is None


@pytest.mark.parametrize(
    ("option", "one", "other"),
    [
        ("www", "http://a.example/{n}", "http://www.a.example/{n}"),
        ("address", "http://a.example/{n}", "http://127.0.0.1/{n}"),
    ],
)
def test_two_sites_that_say_the_same_are_one(session: Session, option: str, one: str, other: str) -> None:
    crawl_beside(session, twins(MIN_SAMPLES, one, other))
    found = evidence(session, option)
    assert found is not None
    assert found.proposed
    assert found.site in {"www.a.example", "127.0.0.1"}


def test_an_address_whose_answer_changes_with_the_host_is_no_name(session: Session) -> None:
    said = twins(MIN_SAMPLES, "http://a.example/{n}", "http://127.0.0.1/{n}")
    crawl_beside(session, said | {"http://127.0.0.1/2": "another host's page"})
    found = evidence(session, "address")
    assert found is not None
    assert not found.proposed
    assert found.counter


def test_a_page_that_only_the_address_has_is_a_counter_example(session: Session) -> None:
    said = twins(MIN_SAMPLES, "http://a.example/{n}", "http://127.0.0.1/{n}")
    crawl_beside(session, said | {"http://127.0.0.1/status": "of the machine"}, gone=["http://a.example/status"])
    found = evidence(session, "address")
    assert found is not None
    assert not found.proposed
    assert found.counter == (("http://127.0.0.1/status", "http://a.example/status"),)


def test_an_address_that_answers_like_two_names_is_neither_s(session: Session) -> None:
    said = twins(MIN_SAMPLES, "http://a.example/{n}", "http://127.0.0.1/{n}")
    crawl_beside(session, said | twins(MIN_SAMPLES, "http://b.example/{n}", "http://127.0.0.1/{n}"))
    assert evidence(session, "address") is None


def crawl_beside(session: Session, said: dict[str, str], gone: Sequence[str] = ()) -> None:
    """Store pages of several sites, each in the root set, and those that answer 404."""
    sites = frozenset(site_of(CanonicalUrl(url)) for url in said)
    add_seeds(session.database, Policy(Scope(sites)), None, sorted([*said, *gone]), by=FoundBy.SUBMIT)
    lease_all(session)
    for url in gone:
        session.store.outcome(an_outcome(url, LeaseEnd.GONE, Rule.GONE, status=404))
    for url, text in said.items():
        session.store.page(a_page(url, text))
