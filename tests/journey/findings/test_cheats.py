"""Thirty cheats on hosts of their own, on a real crawl: which of them stand before the honest article on their word."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bench.museum.cheats import CHEATS
from bench.museum.served import Outcome, outcomes, seeds, serving_museum
from tests.journey.conftest import Folder

if TYPE_CHECKING:
    from collections.abc import Iterator

WINNING = {
    "twenty diaries praise a shop",  # a star: its target may be innocent
    "every heading says it",  # as a glossary does
    "comments link to a shop",  # from a forum that nobody else links to
    "a bought domain sells",  # with a link that was earned before
}


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Outcome]]:
    folder = Folder(tmp_path_factory.mktemp("cheats"))
    with serving_museum() as port:
        assert folder.crawl(*seeds(port)).returncode == 0
        yield {one.cheat.name: one for one in outcomes(folder.path, port)}


def test_no_cheat_stands_before_the_honest_article_but_those_that_are_known_to(shown: dict[str, Outcome]) -> None:
    assert len(shown) == len(CHEATS) == 30
    assert {name for name, one in shown.items() if one.wins} == WINNING


def test_no_cheat_that_the_rules_were_fitted_to_wins(shown: dict[str, Outcome]) -> None:
    assert not [name for name, one in shown.items() if one.wins and not one.cheat.is_kept_for_testing]
