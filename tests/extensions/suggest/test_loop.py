"""A redirect that an option makes a loop: `why` names the command that switches the option off."""

from collections.abc import Callable

import pytest

from crawldb.tables.sites import options_of, switch_off
from frontier.session import Session
from reports.why import url_record, why_rows
from tests.advice import commands_in
from tests.samples import SEED, a_page, an_outcome, lease_all
from urls.records import LeaseEnd
from urls.rules import Rule
from urls.site_options import SiteOption, chosen_option

FOLDER = "http://a.example/x/"


def advice(session: Session, url: str) -> list[list[str]]:
    rows = why_rows(url_record(session.database, url))
    return [command for row in rows if row.label == "option" for command in commands_in(row.text)]


@pytest.fixture
def looped(open_session: Callable[..., Session]) -> Session:
    """A crawl in which a folder redirects to its index page, which an option makes the folder."""
    session = open_session(SEED, options={"a.example": (chosen_option("index-page"),)})
    lease_all(session)
    session.store.page(a_page(SEED, links=(FOLDER,)))
    lease_all(session)
    target = f"{FOLDER}index.html"
    session.store.outcome(an_outcome(FOLDER, LeaseEnd.MOVED, Rule.MOVED, target=target, status=301))
    return session


def test_why_names_the_command_that_switches_the_option_off(looped: Session) -> None:
    assert advice(looped, FOLDER) == [["suggest", "--off", "a.example", "index-page"]]
    assert advice(looped, SEED) == advice(looped, "http://a.example/unknown") == []


def test_what_is_off_is_no_advice(looped: Session) -> None:
    with looped.database.transaction():
        switch_off(looped.database, "a.example", SiteOption.INDEX_PAGE)
    assert options_of(looped.database).by_site == {}
    assert advice(looped, FOLDER) == []


def test_a_loop_without_a_journal_row_is_no_advice(looped: Session) -> None:
    """As in a folder whose journal was cut."""
    with looped.database.transaction() as connection:
        connection.execute("DELETE FROM journal WHERE rule = 'redirect-loop'")
    assert advice(looped, FOLDER) == []
