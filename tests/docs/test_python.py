"""Does every example of docs/python.md on Whoosh's classes give what the page says? tests/package has the others."""

from __future__ import annotations

import doctest
from typing import TYPE_CHECKING

import indexer
from tests.docs.lab import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

PAGES = {  # those that the part before has put
    "pears": "Pears keep for weeks in a cool cellar.",
    "plums": "Plums and pears ripen in September.",
    "jam": "Cook the plums. Running a cellar is optional.",
}


def test_every_example_on_the_classes_of_whoosh_gives_what_the_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with indexer.open_whoosh(tmp_path / "notebook").writer() as writer:
        for name, text in PAGES.items():
            writer.add_document(url=f"https://example.org/{name}", title=name.title(), content=text)
    page = (ROOT / "docs" / "python.md").read_text().partition("\n# Whoosh's classes")[2]
    (tmp_path / "page.md").write_text(page)
    options = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL
    failed, tried = doctest.testfile(
        str(tmp_path / "page.md"), module_relative=False, optionflags=options, encoding="utf-8"
    )
    assert tried > 18
    assert failed == 0
