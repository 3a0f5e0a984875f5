"""A site whose pages stand on another one under the same paths is its mirror, and a site with a few of them is none."""

from collections.abc import Callable
from typing import Any

import pytest

from crawldb.tables.sites import switch_on
from extensions.suggest.evidence import AliasEvidence, find_alias_evidence
from frontier.aliases import merge_aliases
from frontier.session import Session
from pages.content.similarity import ORDERS
from tests.samples import a_page, accounting, lease_all
from urls.canonical import Scope
from urls.policy import Policy
from urls.records import CanonicalUrl, Refusal
from urls.rules import Rule

ONE, OTHER = "http://one.example", "http://other.example"


def crawl(open_session: Callable[..., Session], same: int, near: int, own: int) -> Session:
    """Two sites: so many pages of the other one are exact copies, near copies, and pages that only it has."""
    session = open_session(f"{ONE}/", f"{OTHER}/")
    for site in (ONE, OTHER):
        lease_all(session)
        paths = tuple(f"{site}/{number}" for number in range(same + near + own))
        session.store.page(a_page(f"{site}/", f"The entrance of {site}", paths, fingerprint=site.encode()))
    lease_all(session)
    for site in (ONE, OTHER):
        for number in range(same + near + own):
            said, signature = f"what {number} says", bytes([number]) * ORDERS
            fields: dict[str, Any] = {"signature": signature}
            if number >= same:
                said = f"{said} on {site}"
            if number >= same + near:
                fields = {"signature": bytes([number + 100 * (site == OTHER)]) * ORDERS}
            if site == OTHER and number < same:
                refusals = (Refusal(Rule.DUPLICATE, "it says the same"),)
                fields = {"refusals": refusals, "duplicate_of": CanonicalUrl(f"{ONE}/{number}")}
            fields["fingerprint"] = f"{said:_>40}".encode()
            session.store.page(a_page(f"{site}/{number}", said, **fields))
    return session


def mirror(session: Session) -> AliasEvidence | None:
    return next((each for each in find_alias_evidence(session.database) if each.choice.option == "mirror"), None)


@pytest.mark.parametrize(
    ("same", "near", "own", "proposed"),
    [(20, 0, 0, True), (0, 20, 0, True), (12, 8, 1, True), (10, 2, 12, False), (5, 0, 30, False)],
)
def test_a_mirror_is_proposed_by_the_share_of_its_pages(
    open_session: Callable[..., Session], same: int, near: int, own: int, proposed: bool
) -> None:
    found = mirror(crawl(open_session, same, near, own))
    assert found is not None
    assert (found.site, found.choice.names) == ("other.example", ("one.example",))
    assert (found.agree, found.differ, found.proposed) == (same + near, own + 1, proposed)
    assert found.exceptions == "at most 10% exceptions"
    pages = same + near + own + 1
    assert f"of {pages} pages {same + near} have the same content under the same path on one.example" in found.reason


def test_sites_that_share_a_page_or_two_are_no_mirrors(open_session: Callable[..., Session]) -> None:
    assert mirror(crawl(open_session, 2, 1, 10)) is None


def test_an_accepted_mirror_is_not_asked_any_more(open_session: Callable[..., Session]) -> None:
    session = crawl(open_session, 12, 8, 0)
    found = mirror(session)
    assert found is not None
    policy = Policy(scope=Scope(frozenset({"one.example", "other.example"})))
    with session.database.transaction():
        switch_on(session.database, found.site, [found.choice])
        merge_aliases(session.database, renewed(session, policy))
    assert accounting(session)["suppressed"] == 21
    assert mirror(session) is None


def renewed(session: Session, policy: Policy) -> Policy:
    from frontier.policy_in_force import renewed_policy  # noqa: PLC0415 - only here

    return renewed_policy(policy, session.database)
