"""A page that names another one as its canonical address: found, shown once, and never lost."""

from dataclasses import replace
from typing import Any

import pytest

from crawldb.pages.copies import same_content
from crawldb.pages.feed import Feed
from frontier.rounds import add_seeds
from frontier.session import Session
from tests.samples import SEED, a_page, accounting, an_outcome, lease_all
from urls.records import CanonicalUrl, LeaseEnd, Refusal
from urls.rules import Rule

B = f"{SEED}b"
C = f"{SEED}c"


def store(session: Session, url: str, names: str | None = None, text: str = "", **fields: Any) -> None:
    lease_all(session)
    session.store.page(a_page(url, text, canonical=names, **fields))


def shown(session: Session) -> set[str]:
    """The pages that the index holds, as the change feed tells it."""
    return {change.url for change in Feed(session.database).after(0, 1000) if change.page is not None}


def stored(session: Session, url: str) -> list[str]:
    return [entry.rule for entry in session.store.journal.latest() if entry.url == url]


def test_the_canonical_address_enters_the_frontier_at_the_same_depth(session: Session) -> None:
    store(session, SEED, names=B)
    row = session.database.connection.execute("SELECT depth, hops, found_by FROM url WHERE url = ?", (B,)).fetchone()
    assert row == (0, 1, "canonical")
    assert lease_all(session) == [B]


def test_a_page_is_shown_until_the_one_that_it_names_is_there_and_again_when_that_is_gone(session: Session) -> None:
    store(session, SEED, names=B)
    assert shown(session) == {SEED}
    store(session, B)
    assert shown(session) == {B}
    assert session.database.value("SELECT refusals FROM page ORDER BY url LIMIT 1") == (
        f'[["canonical", "it names {B} as its canonical address"]]'
    )
    session.store.outcome(an_outcome(B, LeaseEnd.GONE, Rule.GONE, status=404))
    assert shown(session) == {SEED}
    assert stored(session, SEED) == ["released", "canonical"]
    assert accounting(session)["done"] == 1


def test_a_page_that_comes_after_the_one_that_it_names_is_not_shown(session: Session) -> None:
    store(session, SEED, links=(B,))
    store(session, B, names=SEED)
    assert shown(session) == {SEED}
    assert session.database.value("SELECT rule FROM url WHERE url = ?", B) == "canonical"


def test_the_links_of_a_page_that_stands_aside_are_followed(session: Session) -> None:
    store(session, SEED, links=(B,))
    store(session, B, names=SEED, links=(C,))
    assert lease_all(session) == [C]


@pytest.mark.parametrize("refusal", [Rule.NOINDEX, Rule.EMPTY])
def test_a_page_that_is_not_in_the_index_hides_nobody(session: Session, refusal: Rule) -> None:
    store(session, SEED, names=B)
    store(session, B, refusals=(Refusal(refusal, "it is so"),))
    assert shown(session) == {SEED}


def test_two_pages_that_name_each_other_are_both_shown(session: Session) -> None:
    store(session, SEED, names=B)
    store(session, B, names=SEED)
    assert shown(session) == {SEED, B}


def test_of_a_chain_only_the_last_but_one_stands_aside(session: Session) -> None:
    store(session, SEED, names=B)
    store(session, B, names=C)
    store(session, C)
    assert shown(session) == {SEED, C}


def test_a_page_that_names_itself_is_a_page(session: Session) -> None:
    store(session, SEED, names=f"{SEED}#top")
    assert shown(session) == {SEED}


def test_a_canonical_address_off_site_is_told_and_not_followed(session: Session) -> None:
    store(session, SEED, names="http://b.example/")
    assert shown(session) == {SEED}
    assert stored(session, SEED) == ["warning"]
    assert accounting(session)["discovered"] == 1


@pytest.mark.parametrize(
    ("first", "second", "shown_of_both"),
    [
        pytest.param("/da/docs/", "/en/docs/", "/en/docs/", id="the language of the text"),
        pytest.param("/docs/el-GR/a", "/docs/en-GB/a", "/docs/en-GB/a", id="with countries"),
        pytest.param("/en/docs/", "/da/docs/", "/en/docs/", id="it was there first"),
        pytest.param("/da/docs/", "/el/docs/", "/da/docs/", id="neither is"),
        pytest.param("/da/docs/", "/docs/", "/docs/", id="no folder of another language"),
        pytest.param("/docs/da/", "/docs/", "/docs/", id="no folder of another language, below"),
        pytest.param("/docs/", "/da/docs/", "/docs/", id="no folder of another language, first"),
        pytest.param("/en/docs/", "/docs/", "/en/docs/", id="no folder, and the language of the text"),
        pytest.param("/old/docs/", "/docs/", "/old/docs/", id="no language"),
        pytest.param("/da/docs/", "/en/other/", "/da/docs/", id="another path"),
        pytest.param("/docs/", "/en/docs/", "/docs/", id="a folder more"),
    ],
)
def test_of_copies_in_folders_of_languages_the_one_of_their_text_is_shown(
    session: Session, first: str, second: str, shown_of_both: str
) -> None:
    site, mark = SEED.rstrip("/"), b"the same words"
    for path in (first, second):
        url = CanonicalUrl(site + path)
        page = replace(a_page(url, "the same words"), language="en", fingerprint=mark)
        known = same_content(session.database, page, mark)
        refusals = (Refusal(Rule.DUPLICATE, f"it says the same as {known}"),) if known else ()
        add_seeds(session.database, session.policy, session.run, [url])
        lease_all(session)
        session.store.page(replace(page, duplicate_of=known, refusals=refusals))
    assert shown(session) == {site + shown_of_both}


def test_a_page_is_no_copy_of_one_that_names_it(session: Session) -> None:
    store(session, SEED, names=B, text="the same words")
    mark = b"the same words"
    assert same_content(session.database, a_page(B, "the same words"), mark) is None
    assert same_content(session.database, a_page(C, "the same words"), mark) == SEED


@pytest.mark.parametrize("other", [SEED, C])
def test_of_pages_in_a_circle_that_say_the_same_one_is_shown(session: Session, other: str) -> None:
    store(session, SEED, names=B, text="the same words")
    circle = replace(a_page(B, "the same words"), canonical=other)
    assert same_content(session.database, circle, b"the same words") == SEED
    itself = replace(circle, canonical=f"{B}#top")
    assert same_content(session.database, itself, b"the same words") is None


def test_copies_of_a_page_that_stands_aside_become_copies_of_the_page_that_it_names(session: Session) -> None:
    store(session, SEED, names=B, text="the same words", links=(C,))
    copy = a_page(C, "the same words", refusals=(Refusal(Rule.DUPLICATE, "of /"),))
    lease_all(session)
    session.store.page(replace(copy, duplicate_of=SEED))
    store(session, B, text="the same words")
    assert shown(session) == {B}
    session.store.outcome(an_outcome(B, LeaseEnd.GONE, Rule.GONE, status=404))
    assert C in shown(session)


def test_an_endless_row_of_canonical_addresses_ends(session: Session) -> None:
    url, followed = str(SEED), 0
    while lease_all(session) == [url]:
        following = f"{SEED}{followed}"
        session.store.page(a_page(url, canonical=following))
        url, followed = following, followed + 1
    assert followed == 11
    assert accounting(session)["queued"] == 0
