"""An `import` killed between two commits is shown, and the same command finishes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.extensions.archives.made_archives import http, packed, page, response
from tests.journey.faults.test_open_work import ALIKE, kill_between_commits

if TYPE_CHECKING:
    from pathlib import Path

    from tests.forks import ForkServer


@pytest.mark.slow
def test_an_import_that_is_killed_between_two_commits_is_shown_and_finished_by_the_next(
    tmp_path: Path, recorded_forks: ForkServer
) -> None:
    pages = {"": page("home", *(f"/{number}" for number in range(1, 5)))}
    pages |= {f"{number}": page(f"page {number}") for number in (1, 2)}
    pages |= {f"{number}": page(f"bread {number}", text=f"{ALIKE} So says baker {number}.") for number in (3, 4)}
    archive = tmp_path / "site.warc.gz"
    archive.write_bytes(packed(response(f"http://a.example/{path}", http(text)) for path, text in pages.items()))
    line = ["import", str(archive)]
    kill_between_commits(tmp_path, recorded_forks, None, line, line)
