"""A visitor's proposal on the policy page is stored, journaled and shown, and has no effect until a person decides."""

from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crawldb.databases import Parts
from crawldb.tables.blocks import BlockProposal, entries, open_proposals
from crawldb.tables.journal import Journal
from frontier.session import Session
from frontier.submission import (
    MAX_CONTACT,
    MAX_REASON,
    ProposalRefused,
    TooManyProposals,
    decline_proposal,
    propose_block,
    proposed_target,
)
from frontier.takedown import block, unblock
from reports.numbers import report
from tests.samples import SEED, a_page, lease_all


def ask(
    session: Session,
    text: str = "a.example",
    reason: str = "it is mine",
    contact: str = "me@a.example",
    an_hour: int = 20,
) -> BlockProposal:
    with Parts.in_folder(session.database.path.parent) as parts:
        return propose_block(parts, text, reason, contact, an_hour)


@pytest.fixture
def crawled(session: Session) -> Session:
    lease_all(session)
    session.store.page(a_page(SEED, links=("http://a.example/x/1",)))
    return session


def test_a_complaint_is_kept_and_noted_and_blocks_nothing(crawled: Session) -> None:
    ask(crawled)
    [proposal] = open_proposals(crawled.database)
    assert (str(proposal.target), proposal.reason, proposal.contact) == (
        "the site a.example",
        "it is mine",
        "me@a.example",
    )
    [entry] = Journal(crawled.database).latest(rule="proposed")
    assert entry.reason == "a visitor asks to block the site a.example: it is mine (contact: me@a.example)"
    assert entries(crawled.database) == {}
    assert report(crawled.database)["pages"]["stored"] == 1


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("http://a.example", "the site a.example"),
        ("https://A.example/", "the site a.example"),
        ("a.example", "the site a.example"),
        ("http://a.example/x/1", "http://a.example/x/1"),
        ("http://a.example/x/", "http://a.example/x/"),
    ],
)
def test_the_address_of_a_home_page_is_the_whole_site(given: str, meant: str) -> None:
    assert str(proposed_target(given)) == meant


@pytest.mark.parametrize(
    ("text", "reason", "told"),
    [
        ("", "mine", "is no address"),
        ("http://*.example/x/*", "mine", r"without a \*"),
        ("b.example", "mine", "has never met the site b.example"),
        ("a.example", " \n\0", "the reason is missing"),
        ("a.example", "x" * (MAX_REASON + 1), "the reason has 1,001 characters; 1,000 are read"),
    ],
)
def test_what_can_not_be_taken_is_told_and_not_kept(crawled: Session, text: str, reason: str, told: str) -> None:
    with pytest.raises(ProposalRefused, match=told):
        ask(crawled, text, reason)
    assert open_proposals(crawled.database) == []
    assert Journal(crawled.database).latest(rule="proposed") == []


def test_asked_twice_it_is_one_proposal_with_the_newer_words_and_two_rows_of_the_journal(crawled: Session) -> None:
    ask(crawled)
    ask(crawled, reason="please")
    [proposal] = open_proposals(crawled.database)
    assert (proposal.reason, proposal.times) == ("please", 2)
    assert len(Journal(crawled.database).latest(rule="proposed")) == 2


def test_visitors_ask_so_often_an_hour_and_no_more(crawled: Session) -> None:
    for _ in range(3):
        ask(crawled, an_hour=3)
    with pytest.raises(TooManyProposals, match="3 proposals came within the last hour"):
        ask(crawled, an_hour=3)
    decline_proposal(crawled.database, "a.example")
    with crawled.database.transaction() as connection:
        connection.execute("UPDATE journal SET at = at - 3601")
    ask(crawled, an_hour=3)


def test_a_block_of_it_or_of_its_site_decides_and_a_lift_opens_it_again(crawled: Session) -> None:
    ask(crawled, "http://a.example/x/1")
    ask(crawled)
    block(crawled.database, "a.example", "its owner asked")
    assert open_proposals(crawled.database) == []
    unblock(crawled.database, "a.example")
    assert len(open_proposals(crawled.database)) == 2


def test_a_person_declines_once_and_who_asks_again_opens_it_anew(crawled: Session) -> None:
    ask(crawled)
    decline_proposal(crawled.database, "a.example")
    assert open_proposals(crawled.database) == []
    with pytest.raises(LookupError, match=r"no open proposal asks to block the site a.example"):
        decline_proposal(crawled.database, "a.example")
    ask(crawled)
    assert len(open_proposals(crawled.database)) == 1


@given(st.one_of(st.text(max_size=60), st.text(alphabet="htp:/@.*[]#? a\r\n\0", max_size=20)))
def test_whatever_is_given_as_an_address_is_a_target_or_refused(text: str) -> None:
    with suppress(ProposalRefused):
        assert proposed_target(text).name.isprintable()


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(reason=st.text(max_size=40), contact=st.text(max_size=MAX_CONTACT + 5))
def test_whatever_is_written_is_kept_as_one_line_that_can_be_printed(
    crawled: Session, reason: str, contact: str
) -> None:
    try:
        proposal = ask(crawled, reason=reason, contact=contact, an_hour=10_000)
    except ProposalRefused:
        return
    assert proposal.reason.isprintable()
    assert proposal.contact.isprintable()
    assert proposal.reason.strip() == proposal.reason != ""
