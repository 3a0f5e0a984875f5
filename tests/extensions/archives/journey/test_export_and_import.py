"""A crawl is the same after an export and an import; and the limits of the archive of a crawl."""

from pathlib import Path

import pytest

from crawldb.database import CrawlDatabase
from crawldb.pages.pages import Pages
from extension_points import built_in
from tests.journey.conftest import Folder, Site, html
from tests.journey.test_demo import Crawled, crawled  # noqa: F401 - a fixture


@pytest.mark.slow
def test_what_was_exported_and_imported_again_is_the_same_crawl(crawled: Crawled, tmp_path: Path) -> None:  # noqa: F811 - as above
    """But for what the export can't hold: copies that owners do not want, and what made-up addresses have taught."""
    place, port, _, _ = crawled
    out, back = tmp_path / "out", tmp_path / "back"
    folder = place / f"demo-{port}"
    assert Folder(folder).run("export", "--warc", str(out)).returncode == 0
    done = Folder(back).run("import", *map(str, sorted(out.iterdir())))
    assert done.returncode == 0, done.stderr
    assert "damaged" not in done.stdout
    (was, was_linked), (now, now_linked) = judged(folder), judged(back)
    with CrawlDatabase(folder, readonly=True) as database:
        pages = Pages(database)
        held = {url for url in was if pages.answer(url) is not None}
        kept_back = {url for url, refusals in was.items() if refusals == "[]"} - held
        assert {page.controls.archive for page in map(pages.get, kept_back) if page} == {False}
    learnt = {url for url in held if "a URL that Breadcrumb generated" in was[url]}
    assert 0 < len(learnt) < 5
    assert set(now) == held
    assert {url: now[url] for url in held - learnt} == {url: was[url] for url in held - learnt}
    leases = held - learnt  # where a trap ends hangs on the way on which it was met
    among = [{link for link in links if leases.issuperset(link[:2])} for links in (was_linked, now_linked)]
    assert among[0] == among[1]
    assert len(among[0]) > len(leases)


def judged(folder: Path) -> tuple[dict[str, str], set[tuple[str, str, str]]]:
    """Why each page of a folder is refused ("[]": it is not), and who links to whom with which words."""
    with CrawlDatabase(folder, readonly=True) as database:
        rows = database.connection.execute(
            "SELECT url.url, refusals FROM page JOIN url ON url.id = page.url"
        ).fetchall()
        links = database.connection.execute(
            "SELECT source.url, target.url, anchor.text FROM link JOIN url AS source ON source.id = source "
            "JOIN url AS target ON target.id = target JOIN anchor ON anchor.id = anchor"
        ).fetchall()
    return dict(rows), set(links)


@pytest.mark.skipif("census" not in built_in(), reason="that extension is not here")
def test_a_census_writes_no_archive(folder: Folder) -> None:
    done = folder.run("crawl", "census", "-a", "seeds=http://127.0.0.1/", "-s", "WARC=yes")
    assert done.returncode == 2
    assert "WARC=yes writes pages, but a census stores none: leave it out" in done.stderr


def test_the_archive_is_for_its_owner_alone(site: Site, folder: Folder) -> None:
    site.pages["/"] = html("rye")
    folder.path.mkdir(mode=0o755)
    assert folder.crawl(f"{site.url}/", WARC="yes").returncode == 0
    written = [folder.path / "archive", *(folder.path / "archive").iterdir()]
    assert len(written) == 2
    assert [path for path in written if path.stat().st_mode & 0o077] == []
