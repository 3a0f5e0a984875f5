"""Which of some addresses lead here, at once or by way of others."""

from crawldb.tables.links import led_to
from frontier.session import Session
from tests.samples import SEED, an_outcome, lease_all
from urls.records import Fate
from urls.rules import Rule

HOST = "http://a.example"


def test_a_chain_of_redirects_is_followed(session: Session) -> None:
    lease_all(session)
    session.store.outcome(an_outcome(SEED, Fate.MOVED, Rule.MOVED, status=301, target=f"{HOST}/a"))
    lease_all(session)
    session.store.outcome(an_outcome(f"{HOST}/a", Fate.MOVED, Rule.MOVED, status=301, target=f"{HOST}/b"))
    asked = [SEED, f"{HOST}/a", f"{HOST}/b", f"{HOST}/unknown"]
    assert list(led_to(session.database, f"{HOST}/b", asked)) == [SEED, f"{HOST}/a"]
    assert list(led_to(session.database, f"{HOST}/c", asked)) == []


def test_a_circle_ends(session: Session) -> None:
    lease_all(session)
    session.store.outcome(an_outcome(SEED, Fate.MOVED, Rule.MOVED, status=301, target=f"{HOST}/a"))
    lease_all(session)
    session.store.outcome(an_outcome(f"{HOST}/a", Fate.MOVED, Rule.MOVED, status=301, target=SEED))
    assert list(led_to(session.database, f"{HOST}/b", [SEED])) == []
