"""The search for link farms takes eight times as long for eight times as many sites, and not sixty-four times."""

from __future__ import annotations

from time import process_time
from typing import TYPE_CHECKING

import pytest

from extensions.spoofing.groups import USUAL, link_farms
from tests.cpu import least

if TYPE_CHECKING:
    from collections.abc import Callable

    from frontier.session import Session

FEW, MANY = 6_000, 48_000  # sites
Link = tuple[int, int, str]  # site, other site, words


def star(first: int, sites: int) -> tuple[list[str], list[Link]]:
    """A page and very many others that link to it, and to which it links."""
    text = f"x{first}"
    return ["a"] * sites, [link for site in range(1, sites) for link in ((0, site, text), (site, 0, text))]


def namesakes(first: int, sites: int) -> tuple[list[str], list[Link]]:
    """Very many groups of three sites with a word in common."""
    titles = [f"casino {first + site // 3}x" for site in range(sites)]
    return titles, [(site, site // 3 * 3 + (site + 1) % 3, title) for site, title in enumerate(titles)]


def store(session: Session, first: int, titles: list[str], links: list[Link]) -> None:
    """Store a page for each site, whose number begins with `first`."""
    execute, ids = session.database.connection.executemany, range(first, first + len(titles))
    with session.database.transaction():
        execute("INSERT INTO site (id, name) VALUES (?, ?)", ((each, f"{each}.example") for each in ids))
        execute(
            "INSERT INTO url (id, url, site, state, depth, found_by, found_at) VALUES (?1, ?2, ?1, 2, 0, '', 0)",
            ((each, f"http://{each}.example/") for each in ids),
        )
        execute(
            "INSERT INTO page (url, fetched_at, status, content_type, encoding, etag, last_modified, size, title, "
            "description, language, content, fingerprint, refusals, warnings, off_site, links) "
            "VALUES (?, 0, 200, '', '', '', '', 0, ?, '', 'en', '', '', '[]', '', 0, 0)",
            zip(ids, titles, strict=True),
        )
        execute("INSERT INTO trait (url, residue, lead, words) VALUES (?, 0, '', 9)", ((each,) for each in ids))
        execute("INSERT OR IGNORE INTO anchor (text) VALUES (?)", ((text,) for _, _, text in links))
        anchors = dict(session.database.connection.execute("SELECT text, id FROM anchor"))
        execute("INSERT INTO link VALUES (?, ?, ?)", ((first + a, first + b, anchors[text]) for a, b, text in links))


def seconds_of_search(session: Session) -> float:
    start = process_time()
    assert [*link_farms(session.database, USUAL.farm_pages)]
    return process_time() - start


@pytest.mark.slow
@pytest.mark.parametrize("shape", [star, namesakes])
def test_the_work_does_not_multiply_with_the_sites(
    open_session: Callable[..., Session], shape: Callable[[int, int], tuple[list[str], list[Link]]]
) -> None:
    session = open_session("http://a.example/")
    seconds = []
    for first, sites in ((1_000, FEW), (100_000, MANY - FEW)):
        store(session, first, *shape(first, sites))
        seconds.append(least(seconds_of_search, session))
    assert seconds[1] < 15 * seconds[0]
