"""Harm: the three harms of a cycle in numbers, and what the rules have caught."""

from dataclasses import asdict

from crawldb.figures.traps import harms
from frontier.session import Session
from reports.numbers import report
from reports.traps import catches, harms_in_words
from tests.samples import SEED, a_page, lease_all
from urls.records import CanonicalUrl, Refusal
from urls.rules import Rule


def test_the_three_harms_of_a_cycle_are_counted(session: Session) -> None:
    lease_all(session)
    links = tuple(f"http://a.example/again/{number}" for number in range(3))
    session.store.page(a_page(SEED, "said once", links))
    lease_all(session)
    for link in links:
        refusals = (Refusal(Rule.DUPLICATE, "because"),)
        session.store.page(a_page(link, "said once", refusals=refusals, duplicate_of=CanonicalUrl(SEED), seconds=0.5))
    harm = harms(session.database)
    assert (harm.wasted, harm.bytes, harm.seconds, harm.copies) == (3, 3 * len("said once"), 1.5, 3)
    assert report(session.database)["harms"] == {"wasted": 3, "bytes": 27, "seconds": 1.5, "copies": 3}


def test_a_soft_404_is_called_no_copy(session: Session) -> None:
    lease_all(session)
    session.store.page(a_page(SEED, "said once", refusals=(Refusal(Rule.SOFT_404, "because"),)))
    assert harms_in_words(asdict(harms(session.database))).endswith("; 1 copy or soft 404 kept out of the results")


def test_a_catch_of_a_single_url_is_released_by_its_name_and_a_long_one_by_its_beginning(session: Session) -> None:
    lease_all(session)
    long = f"http://a.example/{'x' * 2000}"
    session.store.page(a_page(SEED, links=("http://a.example/x/x/x/", long)))
    by_rule = {catch.rule: catch for catch in catches(session.database)}
    assert by_rule["repeated-path"].release == "./breadcrumb release http://a.example/x/x/x/"
    assert by_rule["url-length"].release == f"./breadcrumb release '{long[:100]}*'"
    assert by_rule["url-length"].reason.endswith("the limit is 1024")
