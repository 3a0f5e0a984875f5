"""Can hostile responses do anything to a crawl? They only end: each by its rule, in bounded memory, without a stop.

    bench/guard http://127.0.0.1:8471 [--all] [--json]
    bench/guard --long [NAME …]
    bench/guard soak [--pages 10000]      is the robot polite for so many pages? bench/guarding/soak.py

A server of hostile responses must run there. It crawls every case of tests/conformance/hostile_answers.jsonl in one
run, and prints how each ended and how it should have. It prints the crawl's peak memory and its longest standstill, and
checks them against MOST_MEMORY and MOST_STOP. With --all it also crawls and indexes everything that the server's front
page lists: crawl and index writer together may use MOST_TOGETHER. It also crawls the pages of GOOD_HOSTS next to
SLOW_HOSTS whose bodies drip (http-089). With --long it crawls and indexes long pages beyond Latin, or those named, from
a server of its own (tests/pages/long_pages.py), within the same bounds.

If a check fails, it prints the last lines of the crawl. Exit code 0: all held.

A server may need to make a bomb of 2 GB at its first request, and respond to no other meanwhile. A crawl takes that for
a silent host, and ends after WAIT_SECONDS. So each response that is too large is requested once before the crawl.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections import Counter
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from bench.guarding.heartbeat import REPORT
from bench.harness.program import parser_of, show, tell
from bench.harness.start import ROOT
from crawldb.database import CrawlDatabase
from spiders.settings import EXTENSIONS
from tests.own_commands import our_command
from tests.pages.long_pages import ALPHABETS, RUN, served
from urls.rules import Rule

CASES = ROOT / "tests" / "conformance" / "hostile_answers.jsonl"
MOST_MEMORY = 300 * 1024 * 1024  # bytes of the process that fetches
MOST_TOGETHER = 450 * 1024 * 1024  # … and with that of the index writer
MOST_STOP = 2.0  # seconds in which the crawl stands still
ANSWER_SECONDS = 12  # the robot's timeout for a response
SLOW_HOSTS, GOOD_HOSTS = 500, 20  # names of the one server, each a site of its own
MAKING_SECONDS = 600  # the server's time to make one response, on a machine that does other work
LAST_LINES = 20  # of each stream of a crawl, printed when a check fails
WAITS = "no rule"  # of a URL that the crawl has not finished
MOST_HOPS = 12  # redirects of a URL that are followed


def read_hostile_cases() -> list[dict[str, str]]:
    """Return the cases: a path of the server, and the rule that `ends` its URL, or the last URL of its redirects.

    `told` is a rule that must have a journal row about it. The ids are those of the server's own catalogue.
    """
    return [{"told": ""} | json.loads(line) for line in CASES.read_text("utf-8").splitlines()]


def have_answers_made(server: str, cases: list[dict[str, str]]) -> None:
    """Wait for the first bytes of each response that is too large."""
    for case in cases:
        if case["ends"] == Rule.SIZE.value:
            connection = HTTPConnection(urlsplit(server).netloc, timeout=MAKING_SECONDS)
            try:
                connection.request("GET", case["path"])
                connection.getresponse()
            except (OSError, HTTPException) as error:  # the crawl reports whether the server is there
                tell(f"{case['id']} was requested before the crawl, and got no response: {error!r}")
            finally:
                connection.close()


def crawl_server(seeds: list[str], data: Path, *, index: bool = False) -> dict[str, Any]:
    """Crawl, and return the figures of the heartbeat and of the run. A response rests its host for a second at most."""
    report = data.with_suffix(".json")
    settings = {
        "DATA_DIR": data,
        "DOWNLOAD_TIMEOUT": ANSWER_SECONDS,
        "RETRY_DELAY": 0.2,
        "INDEX_FOLLOW": int(index),
        "EXTENSIONS": json.dumps(EXTENSIONS | {"bench.guarding.heartbeat.Heartbeat": 50}),
    }
    done = subprocess.run(
        our_command("crawl", "site", "-a", f"seeds={','.join(seeds)}", **settings),
        env=os.environ | {REPORT: str(report), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    if not report.exists():
        raise SystemExit(f"bench/guard: the crawl failed:\n{done.stdout}{done.stderr}")
    with CrawlDatabase(data, readonly=True) as database:
        memory, written = database.connection.execute("SELECT max(peak_memory), max(index_memory) FROM run").fetchone()
    beats: dict[str, Any] = json.loads(report.read_text("utf-8"))
    return beats | {"memory": memory, "together": memory + written, "said": last_words(done)}


def last_words(done: subprocess.CompletedProcess[str]) -> str:
    """Return how a crawl ended: its exit code, and the last lines of its output."""
    lines = [*done.stderr.splitlines()[-LAST_LINES:], *done.stdout.splitlines()[-LAST_LINES:]]
    return "\n".join([f"The crawl ended with exit code {done.returncode}, and said last:", *lines])


def file_extension(database: CrawlDatabase, url: str) -> tuple[str, set[str]]:
    """Return the rule that ended a URL or its redirect target, and the rules of all journal rows about them."""
    rule, told = "never met", set()
    identity = database.value("SELECT id FROM url WHERE url = ?", url)
    for _ in range(MOST_HOPS):
        if identity is None:
            break
        row = database.connection.execute("SELECT rule, moved_to FROM url WHERE id = ?", (identity,)).fetchone()
        told |= {rule for (rule,) in database.connection.execute("SELECT rule FROM journal WHERE url = ?", (identity,))}
        rule, identity = row[0] or WAITS, row[1]
        if rule != Rule.MOVED:
            break
    return rule, told


def ended(data: Path, server: str, cases: list[dict[str, str]]) -> list[dict[str, Any]]:
    """Return how each case ended, and how it should have."""
    rows = []
    with CrawlDatabase(data, readonly=True) as database:
        for case in cases:
            rule, told = file_extension(database, server + case["path"])
            # A duplicate of another page was fetched, and that is what counts here.
            ends = Rule.FETCHED if rule == Rule.DUPLICATE else rule
            right = ends == case["ends"] and (not case["told"] or case["told"] in told)
            wanted = f"{case['ends']}{case['told'] and ', told as '}{case['told']}"
            rows.append({"id": case["id"], "case": case["case"], "ended": rule, "should": "" if right else wanted})
    return rows


def bounds_of(found: dict[str, Any], *, standstill: bool = True) -> list[dict[str, Any]]:
    """Return the crawl's memory and standstill, each with its bound."""
    figures = [
        ("memory at its peak, MiB", found["memory"] / 2**20, MOST_MEMORY / 2**20),
        ("with the index writer's, MiB", found["together"] / 2**20, MOST_TOGETHER / 2**20),
        (f"standstill, s of work ({found['longest_stop']:.2f} s by the clock)", found["cpu"], MOST_STOP),
    ]
    return [
        {"bound": name, "found": figure, "at_most": most, "kept": figure <= most}
        for name, figure, most in figures[: None if standstill else 2]
    ]


def report_of(found: dict[str, Any], rows: list[dict[str, Any]], *, held: bool) -> dict[str, Any]:
    """Return the bounds and other rows of a crawl, and its last words if something does not hold."""
    held = held and all(row["kept"] for row in rows)
    return {"held": held, "bounds": rows} | ({} if held else {"said": found["said"].splitlines()})


def hostile(server: str, data: Path) -> dict[str, Any]:
    """Crawl every case, and return how each ended."""
    cases = read_hostile_cases()
    have_answers_made(server, cases)
    found = crawl_server([server + case["path"] for case in cases], data)
    rows = ended(data, server, cases)
    right = sum(not row["should"] for row in rows)
    figures = {"cases": rows, "right": f"{right} of {len(cases)}", "waiting": sum(r["ended"] == WAITS for r in rows)}
    return figures | report_of(found, bounds_of(found), held=right == len(cases))


def beside_slow_hosts(server: str, data: Path) -> dict[str, Any]:
    """Crawl good hosts next to slow ones; return whether all good pages came and all slow ones ended."""
    parts = urlsplit(server)
    slow = [f"http://slow-{number}.localhost:{parts.port}/body/slow-body" for number in range(SLOW_HOSTS)]
    good = [f"http://good-{number}.localhost:{parts.port}/body/empty" for number in range(GOOD_HOSTS)]
    seeds = data.with_suffix(".txt")
    seeds.write_text("\n".join(slow + good), "utf-8")
    found = crawl_server([str(seeds)], data)
    with CrawlDatabase(data, readonly=True) as database:
        rules = Counter(file_extension(database, url)[0] for url in slow)
        came = sum(file_extension(database, url)[0] == Rule.EMPTY for url in good)
        waited = database.connection.execute(
            "SELECT max(at) FILTER (WHERE status = 200) - min(at) FROM fetch"
        ).fetchone()[0]
    figures = {"slow_hosts_ended": str(dict(rules)), "good_pages": f"{came} of {GOOD_HOSTS}", "within_s": waited}
    held = rules == {Rule.TIMEOUT: SLOW_HOSTS} and came == GOOD_HOSTS
    return figures | report_of(found, bounds_of(found), held=held)


def long_pages(folder: Path, names: list[str]) -> dict[str, Any]:
    """Crawl and index long pages beyond Latin; return whether that stays within the bounds."""
    data = folder / names[0]
    with served() as server:
        found = crawl_server([f"{server}/{name}" for name in names], data, index=True)
        with CrawlDatabase(data, readonly=True) as database:
            rules = Counter(file_extension(database, f"{server}/{name}")[0] for name in names)
    figures = report_of(found, bounds_of(found, standstill=False), held=set(rules) == {Rule.FETCHED})
    return {"ended": str(dict(rules))} | figures


def main() -> int:
    """Crawl, and print."""
    parser = parser_of(__doc__)
    parser.add_argument("server", nargs="?", help="where the hostile server is, without a path")
    parser.add_argument("--all", action="store_true", help="crawl all that its front page lists as well")
    parser.add_argument("--long", nargs="*", choices=[*ALPHABETS, RUN], help="crawl long pages beyond Latin instead")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-guard-") as name:
        folder = Path(name)
        if options.long is not None:
            chosen = [options.long] if options.long else [[*ALPHABETS], [RUN]]
            report = {", ".join(names): long_pages(folder, names) for names in chosen}
        elif not options.server:
            parser.error("where is the hostile server? Give its address, or --long")
        else:
            server = options.server.rstrip("/")
            report = {"hostile": hostile(server, folder / "http")}
            if options.all:
                found = crawl_server([server + "/"], folder / "all", index=True)
                report["all"] = report_of(found, bounds_of(found), held=True)
                report["beside slow hosts"] = beside_slow_hosts(server, folder / "slow")
    show(report, options)
    return int(not all(part["held"] for part in report.values()))
