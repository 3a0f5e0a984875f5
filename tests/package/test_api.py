"""Does the Python API do what docs/python.md says, where the wheel is installed and with the mistakes of newcomers?"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from threading import Thread
from typing import TYPE_CHECKING

import breadcrumb
import pytest
from breadcrumb.extras import install_line

from crawldb.database import CrawlDatabase
from crawldb.lock import CrawlLock
from tests.journey.conftest import served_site
from tests.old_folders import unpack

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
PAGES = {
    "/": "<title>Bakery</title><p>We bake rye bread.</p><a href=/rye.html>Rye</a>",
    "/rye.html": f"<title>Rye bread</title><h1>Rye bread</h1><p>{'Rye keeps for a week. ' * 8}</p>"
    f"<h2 id=bake>How to bake it</h2><p>{'The dough wants a night of rest before the oven. ' * 6}</p>"
    f"<h2 id=eat>How to eat it</h2><p>{'With butter and a pickled gherkin from the jar. ' * 6}</p>",
}
USER = """
    import breadcrumb

    def titles(data: str) -> list[str]:
        with breadcrumb.open_index(data) as index:
            return [hit.title for hit in index.search("bread", limit=5)]

    verdict: breadcrumb.Verdict = breadcrumb.robots("", "Breadcrumb").allowed("/")
    count: int = breadcrumb.crawl(["http://a.example/"], data="data", max_pages=100).pages_fetched
    text: str = breadcrumb.open_index("data").why("http://a.example/").text()
    version: str = breadcrumb.__version__
"""


@pytest.fixture
def index(tmp_path: Path) -> Iterator[breadcrumb.Index]:
    """An index with one page."""
    with breadcrumb.open_index(tmp_path / "notes", create=True) as opened:
        opened.put("https://example.org/pears", title="Pears & plums", text="Pears keep for <weeks>.")
        yield opened


def examples(page: str) -> str:
    """Return the part of the page on the package, without the one that needs a clone."""
    return page.partition("\n# Whoosh's classes")[0]


@pytest.mark.slow
def test_the_examples_of_the_page_work_where_the_wheel_is_installed(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text(examples((ROOT / "docs" / "python.md").read_text()))
    program = (
        "import doctest, sys\nfrom pathlib import Path\n"
        "options = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL\n"
        "failed, tried = doctest.testfile(str(Path('page.md').absolute()), module_relative=False, optionflags=options, "
        "encoding='utf-8', globs={'site': sys.argv[1]})\n"
        "assert 'engine-' in str(__import__('breadcrumb.engine').engine.find_engine())\n"
        "assert not {'urls', 'pages', 'robots', 'commands'} & set(sys.modules)\n"
        "print(tried)\nsys.exit(failed)\n"
    )
    (tmp_path / "urls.py").write_text("raise SystemExit('a module of the program')")  # its names hinder nobody
    with served_site() as site:
        site.pages = {path: (200, {"Content-Type": "text/html"}, text.encode()) for path, text in PAGES.items()}
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        done = subprocess.run(
            [installed / "bin" / "python", "-c", program, f"{site.url}/"],
            cwd=tmp_path, env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(done.stdout.split()[-1]) >= 15


@pytest.mark.slow
def test_a_program_that_uses_the_package_is_checked_with_its_types(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "user.py").write_text(dedent(USER))
    wrong = "import breadcrumb\n\nresult: int = breadcrumb.open_index('data').search('bread', limit='5')\n"
    (tmp_path / "wrong.py").write_text(wrong)
    checked = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--python-executable",
        str(installed / "bin" / "python"),
        "--cache-dir",
        str(tmp_path / "cache"),
    ]
    right, mistaken = (
        subprocess.run([*checked, name], cwd=tmp_path, capture_output=True, text=True, check=False)
        for name in ("user.py", "wrong.py")
    )
    assert (right.returncode, right.stdout) == (0, "Success: no issues found in 1 source file\n")
    assert 'has incompatible type "str"; expected "int"' in mistaken.stdout
    assert 'has type "Results"' in mistaken.stdout


@pytest.mark.slow
def test_what_was_put_is_found_at_once_and_kept(index: breadcrumb.Index) -> None:
    assert [hit.title for hit in index.search("weeks")] == ["Pears & plums"]
    assert index.search("weeks")[0].snippet == "Pears keep for <weeks>."
    index.put("https://example.org/pears", html=b"<meta charset=latin-1><title>K\xe4se</title><p>Cheese for years.</p>")
    assert len(index.search("weeks")) == 0
    index.close()
    index.close()
    with breadcrumb.open_index(index.data) as again:
        assert again.search("years")[0].title == "Käse"


@pytest.mark.slow
def test_threads_may_share_an_index(index: breadcrumb.Index) -> None:
    found: list[str] = []

    def ask(word: str) -> None:
        found.extend(f"{word} {len(index.search(word))}" for _ in range(20))

    threads = [Thread(target=ask, args=(word,)) for word in ("pears", "nothing")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == ["nothing 0"] * 20 + ["pears 1"] * 20


@pytest.mark.slow
def test_a_mistake_is_a_named_error_with_a_sentence(index: breadcrumb.Index, tmp_path: Path) -> None:
    with pytest.raises(breadcrumb.InvalidValue, match="query=3: give text"):
        index.search(3)  # type: ignore[arg-type]
    with pytest.raises(breadcrumb.InvalidValue, match="limit='5': give a whole number"):
        index.search("pears", limit="5")  # type: ignore[arg-type]
    with pytest.raises(breadcrumb.InvalidValue, match="not a number from 1 to 50"):
        index.search("pears", limit=0)
    with pytest.raises(breadcrumb.InvalidValue, match="query is empty"):
        index.search(" ")
    with pytest.raises(breadcrumb.InvalidValue, match="has no scheme"):
        index.put("pears", text="Pears")
    with pytest.raises(breadcrumb.InvalidValue, match=r"give html=, or text="):
        index.put("https://example.org/")
    with pytest.raises(breadcrumb.NoIndex, match="holds no crawl yet"):
        index.why("https://example.org/pears")
    assert len(index.search("pears")) == 1, "the index is still open"
    with pytest.raises(breadcrumb.NoIndex, match="there is no index here yet"):
        breadcrumb.open_index(tmp_path / "nowhere")
    (tmp_path / "file").touch()
    with pytest.raises(breadcrumb.UnusableFolder, match="Not a directory"):
        breadcrumb.open_index(tmp_path / "file")
    with pytest.raises(breadcrumb.InvalidValue, match="did you mean"):
        breadcrumb.open_index(tmp_path, settings={"RANKINGS": "title=3"})
    with pytest.raises(breadcrumb.InvalidValue, match="give the path of a data folder"):
        breadcrumb.open_index(3)  # type: ignore[arg-type]
    index.close()
    with pytest.raises(breadcrumb.EngineStopped, match="it was closed"):
        index.search("pears")


@pytest.mark.slow
def test_a_folder_of_another_version_or_in_use_is_a_named_error(tmp_path: Path) -> None:
    unpack("32-a1c87d8e", tmp_path / "old")
    with pytest.raises(breadcrumb.NoIndex, match="there is no index here yet"):
        breadcrumb.open_index(tmp_path / "old")  # the database is brought up to date
    with CrawlDatabase(tmp_path / "old", readonly=True) as database:
        assert database.count("SELECT count(*) FROM page") == 5
    lock = CrawlLock(tmp_path / "old")
    with pytest.raises(breadcrumb.FolderInUse, match=f"in use by a crawl .process {os.getpid()}"):
        breadcrumb.crawl(["http://127.0.0.1:9/"], data=tmp_path / "old")
    lock.release()
    with CrawlDatabase(tmp_path / "old") as database:
        database.connection.execute("PRAGMA user_version = 99")
    with pytest.raises(breadcrumb.UnusableFolder, match="a newer one made it"):
        breadcrumb.open_index(tmp_path / "old")
    with pytest.raises(breadcrumb.UnusableFolder, match="a newer one made it"):
        breadcrumb.crawl(["http://127.0.0.1:9/"], data=tmp_path / "old")


@pytest.mark.slow
def test_a_package_that_is_missing_is_named_with_the_line_that_mends_it(installed: Path, tmp_path: Path) -> None:
    environment = tmp_path / "environment"
    shutil.copytree(installed, environment, symlinks=True)
    [shared] = environment.glob("lib/python3*/site-packages/dependencies.pth")
    shared.unlink()  # it leads to all that the wheel needs
    program = """
        import breadcrumb
        for call in (lambda: breadcrumb.open_index("d"), lambda: breadcrumb.crawl("http://a.example/", data="d")):
            try:
                call()
            except breadcrumb.EngineStopped as error:
                print(error)
    """
    done = subprocess.run(
        [environment / "bin" / "python", "-c", dedent(program)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    told = done.stdout.splitlines()
    assert (done.returncode, done.stderr, len(told)) == (0, "", 2), done
    for line in told:
        assert line.startswith("the package of the module '")
        assert line.endswith("is not complete: python3 -m pip install --force-reinstall breadcrumb-search")


@pytest.mark.slow
def test_a_process_that_is_killed_is_told(index: breadcrumb.Index) -> None:
    index._engine._process.kill()
    with pytest.raises(breadcrumb.EngineStopped, match="ended with -9: open it again"):
        index.search("pears")
    with pytest.raises(breadcrumb.EngineStopped):
        index.search("pears")
    assert json.dumps(breadcrumb.robots("User-agent: *\nDisallow: /x", "Breadcrumb").allowed("/x").line) == "2"


def test_pipx_adds_an_extra_to_the_environment_that_it_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`pipx install` would look in the package index for what was installed from a file."""
    (tmp_path / "pipx_metadata.json").touch()
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    assert install_line("breadcrumb-search[mcp]") == f"pipx inject {tmp_path.name} 'breadcrumb-search[mcp]'"
