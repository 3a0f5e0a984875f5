"""URLs submitted by the operator of the crawl, and by visitors of the search page."""

import pytest

from crawldb.databases import Parts
from crawldb.tables.journal import Journal
from crawldb.tables.seeds import seed_urls
from frontier.session import Session
from frontier.submission import Submission, TooManySubmissionsError, did_you_mean, submit, submit_as_visitor
from frontier.takedown import block
from tests.samples import SEED
from urls.policy import Policy
from urls.rules import Rule


def hand_in(session: Session, url: str, an_hour: int, policy: Policy | None = None) -> Submission:
    """Hand in a URL as a visitor of the search page does."""
    with Parts.in_folder(session.database.path.parent) as parts:
        return submit_as_visitor(parts, lambda _: policy or session.policy, url, an_hour)


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("www.example.org/x", "http://www.example.org/x"),
        ("localhost:8080", "http://localhost:8080"),
        ("ftp://example.org/", ""),
        ("bread", ""),
        ("/a/path.html", ""),
        ("two words.example", ""),
    ],
)
def test_an_address_without_its_scheme_is_understood(given: str, meant: str) -> None:
    assert did_you_mean(given) == meant


def test_a_missing_scheme_is_told_with_what_was_meant(session: Session) -> None:
    [submission] = submit(session.database, session.policy, ["a.example/x"])
    assert not submission.accepted
    assert submission.reason.endswith("did you mean http://a.example/x?")


def test_what_a_visitor_hands_in_is_in_the_root_set_and_the_journal(session: Session) -> None:
    submission = hand_in(session, "http://A.example/x#y", 5)
    assert (submission.accepted, submission.state, submission.url) == (True, "queued", "http://a.example/x")
    assert seed_urls(session.database) == [SEED, "http://a.example/x"]
    [entry] = Journal(session.database).latest(rule="submitted")
    assert entry.samples == ("http://a.example/x",)


@pytest.mark.parametrize(
    "url", ["http://b.example/", "http://a.example:8080/", "http://127.0.0.1/", "http://10.0.0.1/"]
)
def test_a_visitor_can_not_send_the_robot_elsewhere(session: Session, url: str) -> None:
    submission = hand_in(session, url, 5)
    assert (submission.accepted, submission.rule) == (False, "off-site")
    assert seed_urls(session.database) == [SEED]
    assert "who runs the crawl can add it" in submission.reason


def test_visitors_hand_in_so_many_an_hour_and_no_more(session: Session) -> None:
    for number in range(3):
        hand_in(session, f"http://a.example/{number}", 3)
    with pytest.raises(TooManySubmissionsError, match="3 addresses were handed in within the last hour, and 3 may be"):
        hand_in(session, "http://a.example/4", 3)
    with session.database.transaction() as connection:
        connection.execute("UPDATE journal SET at = at - 3601")
    assert hand_in(session, "http://a.example/4", 3).accepted


def test_a_visitor_can_not_undo_a_block(session: Session) -> None:
    block(session.database, "http://a.example/x/*", "its owner asked")
    session.store.note(Rule.WARNING, "a write")
    policy = session.store.writer.discovery.policy
    submission = hand_in(session, "http://a.example/x/1", 5, policy)
    assert (submission.accepted, submission.rule) == (False, "blocked")
