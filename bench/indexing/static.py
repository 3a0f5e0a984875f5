"""What does a search without a server cost? The folder of `export --static` next to Pagefind's.

    bench/search static DATA [--pagefind PROGRAM] [--queries 50] [--repeats 3] [--json]

DATA has a crawl that kept its bodies: their HTML is what Pagefind indexes. The table has CPU seconds, files and MB of
each folder. Then both are searched with everyday queries, in a browser, in turns: every query in a new page without a
cache, until ten results with their excerpts are there. The table has the KB that the query loads, and the milliseconds
of the machine's clock, as a median. The first KB are those before the words of the query.

Our seconds are those of the export, as its index is there already; Pagefind reads the HTML. Pagefind is not among our
packages: `npm install pagefind` brings its program, node_modules/@pagefind/linux-x64/bin/pagefind_extended or another.
"""

from __future__ import annotations

import shutil
import tempfile
from functools import partial
from http.server import SimpleHTTPRequestHandler
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from bench.harness.cost import measure_command
from bench.harness.program import in_turns, parser_of, show, size_of
from bench.judged.places import judged_questions
from crawldb.database import CrawlDatabase
from crawldb.pages.bodies import Bodies
from crawldb.pages.pages import urls_for_export
from tests.own_commands import our_command
from tests.serving import PatientServer, serving

if TYPE_CHECKING:
    from collections.abc import Iterable

    from playwright.sync_api import Browser

OURS, THEIRS = "breadcrumb", "pagefind"
SITES = {name: f"http://{name}/" for name in ("python", "sqlite", "postgresql")}  # of the judged queries
ASK = {  # what a page does with a query; each returns how many results it shows
    OURS: """async ([folder, query]) => (await (await (await import(folder + "search.js"))
        .open(new URL(folder))).search(query)).hits.length""",
    THEIRS: """async ([folder, query]) => { const pagefind = await import(folder + "pagefind.js");
        const found = await pagefind.search(query);
        return (await Promise.all(found.results.slice(0, 10).map((result) => result.data()))).length }""",
}


class Counting(SimpleHTTPRequestHandler):
    """Serves files and counts requests and bytes."""

    counts: dict[str, int] = {}  # noqa: RUF012 - of the one server

    log_message = staticmethod(lambda *_: None)  # type: ignore[assignment]  # a method of any arguments

    def copyfile(self, source: Any, outputfile: Any) -> None:
        """Send a file, and count it."""
        content = source.read()
        self.counts["requests"] = self.counts.get("requests", 0) + 1
        self.counts["bytes"] = self.counts.get("bytes", 0) + len(content)
        outputfile.write(content)


def write_html(data: Path, folder: Path) -> int:
    """Write the bodies of the indexed pages as HTML files; return how many there are."""
    count = 0
    with CrawlDatabase(data, readonly=True) as database:
        bodies = Bodies(database)
        for count, (identity, _) in enumerate(urls_for_export(database), 1):
            (folder / f"{count:05d}.html").write_bytes(bodies.data(identity) or b"")
    return count


def ask(browser: Browser, origin: str, query: str, name: str) -> dict[str, float]:
    """Ask a query in a page without a cache; return bytes, requests and milliseconds."""
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(f"{origin}empty.html")
        Counting.counts.clear()
        timed = f"async (words) => {{ const begin = performance.now(); const shown = await ({ASK[name]})(words);"
        milliseconds = page.evaluate(
            f"{timed} return performance.now() - begin + 0 * shown }}", [f"{origin}{name}/", query]
        )
    return {"ms": milliseconds} | {key: float(value) for key, value in Counting.counts.items()}


def searched(
    browser: Browser, folder: Path, names: Iterable[str], queries: list[str], repeats: int
) -> dict[str, dict[str, float]]:
    """Ask all queries in turns; return the medians of each."""
    (folder / "empty.html").write_text("<!doctype html><title>Empty</title>", "utf-8")
    found: dict[str, list[dict[str, float]]] = {name: [] for name in names}
    handler = partial(Counting, directory=str(folder))
    with serving(PatientServer(("127.0.0.1", 0), handler)) as address:
        origin = f"{address}/"
        first = {name: ask(browser, origin, "zzzzqqqq", name)["bytes"] / 1000 for name in found}
        for query in queries:
            for _, name, told in in_turns(found, repeats, partial(ask, browser, origin, query)):
                found[name].append(told)
    return {
        name: {
            "first KB": first[name],
            "KB a query": median(row["bytes"] for row in rows) / 1000,
            "requests": median(row["requests"] for row in rows),
            "ms": median(row["ms"] for row in rows),
        }
        for name, rows in found.items()
    }


def main() -> int:
    """Measure both; return the exit code."""
    parser = parser_of(__doc__, queries=50, repeats=3)
    parser.add_argument("data", type=Path, metavar="DATA")
    parser.add_argument("--pagefind", metavar="PROGRAM")
    arguments = parser.parse_args()
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - `--help` works without

    queries = [question.text for question in judged_questions(SITES)][: arguments.queries]
    with tempfile.TemporaryDirectory() as name, sync_playwright() as started:
        folder, html = Path(name), Path(name) / "html"
        html.mkdir()
        pages = write_html(arguments.data, html)
        commands = {OURS: our_command("export", "--static", str(folder / OURS), "--data", str(arguments.data))}
        if arguments.pagefind:
            commands[THEIRS] = [arguments.pagefind, "--site", str(html), "--output-path", str(folder / THEIRS)]
        told: dict[str, dict[str, float]] = {}
        for each, command in commands.items():
            cost, _ = measure_command(command, cwd=folder)
            files = sum(path.is_file() for path in (folder / each).rglob("*"))
            told[each] = {"CPU s": cost.cpu, "files": files, "MB": size_of(folder / each) / 1e6}
        browser = started.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for each, numbers in searched(browser, folder, told, queries, arguments.repeats).items():
            told[each] |= numbers
        browser.close()
    show({"pages": pages, "queries": len(queries)} | told, arguments)
    return 0
