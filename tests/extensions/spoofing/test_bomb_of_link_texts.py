"""A bomb of links whose text is the query wins nothing: few sites count little, and the signal lowers what they add."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from crawldb.tables.journal import Journal
from extensions.spoofing.groups import find_spoofing
from indexer import open_index
from indexer.following import catch_up
from indexer.segments.schema import IndexField
from tests.samples import a_page, lease_all
from urls.records import Link

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from frontier.session import Session
    from indexer.ranking.score import AddedPart, DescribedPart, Score

SITE = "http://a.example"
OTHERS = ("http://b.example", "http://c.example")


def explained(data_dir: Path, url: str) -> Score:
    return next(hit for hit in open_index(data_dir).search("sextant shop", 50).hits if hit.url == url).explain()


def is_of_link_text(part: DescribedPart | AddedPart) -> bool:
    return (part.term, part.field) == ("link text", IndexField.ANCHORS)


def test_many_links_of_few_sites_win_nothing(open_session: Callable[..., Session], data_dir: Path) -> None:
    """40 pages of two sites call a page what it does not say; five pages of its site call another so."""
    bomb, honest = f"{SITE}/bomb", f"{SITE}/honest"
    session = open_session(f"{SITE}/", *(f"{other}/" for other in OTHERS))
    lease_all(session)
    outside = {f"{other}/{n}": (Link(bomb, "sextant shop"),) for other in OTHERS for n in range(20)}
    inside = {f"{SITE}/{n}": (Link(honest, "sextant shop"),) for n in range(5)}
    for host in (SITE, *OTHERS):
        led = [url for url in (*outside, *inside, bomb, honest) if url.startswith(host)]
        session.store.page(a_page(f"{host}/", f"the front of {host}", tuple(led)))
    for url in lease_all(session):
        text = "all about geese" if url == bomb else "our sextant shop" if url == honest else f"{url} and other things"
        session.store.page(replace(a_page(url, text), links=(outside | inside).get(url, ())))
    catch_up(data_dir)
    parts = {
        url: next(part for part in explained(data_dir, url).others if is_of_link_text(part)) for url in (bomb, honest)
    }
    assert [" by 2 (" in parts[bomb].told, " by 5 (" in parts[honest].told] == [True, True]
    assert parts[bomb].value < parts[honest].value
    find_spoofing(session.database, Journal(session.database))
    catch_up(data_dir)
    score = explained(data_dir, bomb)
    [demotion] = score.demotions
    linked = [part.value for part in score.parts if part.field == IndexField.ANCHORS]
    assert demotion.term == "anchor-bomb"
    assert demotion.base == pytest.approx(sum(linked), abs=3e-4)
    assert any(map(is_of_link_text, score.others))
