"""Does every example of docs/python.md give what the page says?"""

from __future__ import annotations

import doctest
from typing import TYPE_CHECKING

from tests.docs.lab import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_every_example_of_the_page_on_python_gives_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    page = str(ROOT / "docs" / "python.md")
    options = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL
    failed, tried = doctest.testfile(page, module_relative=False, optionflags=options, encoding="utf-8")
    assert tried > 20
    assert failed == 0
