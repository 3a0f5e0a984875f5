"""The files of a crawl are private to its owner, whatever the umask of the process that starts it."""

import stat

from tests.durability.agreement import RECORDING
from tests.journey.conftest import Folder, Site, html


def test_database_index_and_log_are_for_their_owner_alone(site: Site, folder: Folder) -> None:
    site.pages["/"] = html("rye")
    folder.path.mkdir(mode=0o755)
    assert folder.run("crawl", "site", "-a", f"seeds={site.url}/", *RECORDING).returncode == 0
    written = [folder.path, *folder.path.rglob("*")]
    assert {"crawl.sqlite3", "crawl.sqlite3.seal", "crawl.lock", "current.json"} <= {p.name for p in written}
    assert [path for path in written if stat.S_IMODE(path.stat().st_mode) & 0o077] == []
