"""VISITED=bloom: each URL that the bits lose has its row and its reason, and an exact crawl brings it back."""

from collections.abc import Callable

import pytest

from frontier.presence import PRESENCE, PresenceRule
from frontier.session import Session
from reports.numbers import report
from reports.why import dossier
from tests.samples import SEED, a_page, accounting, lease_all

LINKS = tuple(f"{SEED}{name}" for name in range(60, 100))
TINY = PresenceRule(urls=10, errors=0.3)  # so few bits that many of forty links are taken for known


@pytest.fixture
def lossy(open_session: Callable[..., Session]) -> Session:
    session = open_session(presence=TINY)
    lease_all(session)
    session.store.page(a_page(SEED, links=LINKS))
    return session


def test_what_the_bits_lose_is_suppressed_with_its_reason(lossy: Session) -> None:
    lost = report(lossy.database)["suppressed"][PRESENCE]
    urls = accounting(lossy)
    assert (urls["discovered"], urls["suppressed"], urls["queued"]) == (41, lost, 40 - lost)
    assert 0 < lost < 40
    [entry] = lossy.store.journal.latest(rule=PRESENCE)
    assert (entry.count, "takes it for known" in entry.reason) == (lost, True)
    assert "VISITED=exact" in dossier(lossy.database, entry.samples[0]).advice


def test_a_known_url_is_no_error_of_the_bits(lossy: Session) -> None:
    before = report(lossy.database)["urls"]
    lossy.store.page(a_page(lease_all(lossy)[0], links=(SEED, *LINKS)))
    assert report(lossy.database)["urls"]["discovered"] == before["discovered"]


def test_the_report_tells_memory_errors_and_what_the_formula_expects(lossy: Session) -> None:
    lost = report(lossy.database)["suppressed"][PRESENCE]
    lossy.close("finished")
    lossy.database.__init__(lossy.database.path.parent)  # type: ignore[misc]  # opened again in place
    told = report(lossy.database)["presence"]
    assert told is not None
    assert (told["asked"], told["lost"], told["bytes"]) == (40, lost, (told["bits"] + 7) // 8)
    assert told["errors"] == pytest.approx(lost / 40)
    assert 0 < told["expected"] < 1


def test_a_transaction_that_came_to_nothing_leaves_no_bits(lossy: Session) -> None:
    presence = lossy._presence
    assert presence is not None
    before = presence.bits.added
    presence.bits.added += 1000
    lossy.store._ledger.rolled_back()
    assert presence.bits.added == before
    assert all(f"{SEED}{number}" in presence.bits for number in range(60, 100))


def test_an_exact_crawl_brings_back_what_was_lost(lossy: Session, open_session: Callable[..., Session]) -> None:
    lossy.close("pages")
    session = open_session()
    assert accounting(session)["suppressed"] == 0
    assert session.store.journal.latest(rule="given-back")[0].count > 0
