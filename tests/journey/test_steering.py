"""Texts of a site do not control the terminal: each has control characters, and every command prints some."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

import pytest

from commands import COMMANDS
from tests.durability.agreement import RECORDING
from tests.journey.conftest import Folder, Site, html

if TYPE_CHECKING:
    from pathlib import Path

STEERING = "\x1b]0;x\x07\x1b[2J\x9b31m\u202ex\u2066"  # a title, a wiped screen, a C1 control, two turns of direction
IN_HEADER = "\x1b[2J\x9b31mx"  # a header is latin-1
PRINT_NOTHING_OF_A_SITE = {
    "cluster": "prints what `farm` prints",
    "demo": "crawls the practice web alone",
    "mcp": "speaks JSON to a program, as /api/search does",
    "lab": "opens a shell over the practice web",
    "serve": "answers in the browser; test_request_log.py has its log",
}


def plant(site: Site) -> None:
    """Make a site that has it wherever it can."""
    odd = dict.fromkeys(("Server", "ETag", "X-Robots-Tag", "Content-Language", "Last-Modified", "Date"), IN_HEADER)
    robots = f"User-agent: x{STEERING}\nDisallow: /\nUser-agent: *\nDisallow: /shut*{STEERING}\nDisallow: /shut\n"
    robots += f"Nonsense{STEERING}: {STEERING}\nCrawl-delay: {STEERING}\nSitemap: {site.url}/list.xml\n"
    site.pages["/robots.txt"] = (200, odd | {"Content-Type": "text/plain"}, robots.encode())
    metas = (f'<meta name="{name}" content="{STEERING} rye">' for name in ("robots", "description", "author", "date"))
    head = f'{"".join(metas)}<link rel="canonical" href="/{STEERING}"><h1>{STEERING} rye</h1>'
    links = ("/copy", f"/{STEERING}", "/shut", f"http://{STEERING}/", "/moved", "/gone", "/odd", f"/?a={STEERING}")
    status, headers, body = html(f"{STEERING} rye", *links, text=f"Fresh rye {STEERING} in the lane.", head=head)
    site.pages["/"] = site.pages["/copy"] = (status, headers | odd, body)
    site.pages["/moved"] = (301, odd | {"Location": f"/to{IN_HEADER}"}, b"")
    site.pages["/gone"] = (410, odd | {"Content-Type": f"text/{IN_HEADER}"}, b"")
    site.pages["/odd"] = (200, odd | {"Content-Type": f"{IN_HEADER}/x", "Content-Encoding": IN_HEADER}, b"\x1b[2J")
    listed = f"<urlset><url><loc>{site.url}/listed{STEERING[-4:]}</loc><lastmod>&#x202e;</lastmod></url></urlset>"
    site.pages["/list.xml"] = (200, odd | {"Content-Type": "application/xml"}, listed.encode())


def typed(site: Site, beside: Path) -> dict[str, list[list[str]]]:
    """Return what a person types of each command, in an order in which they work."""
    page, robots, log = f"{site.url}/", beside / f"{STEERING[-1]}robots.txt", beside / "access.log"
    robots.write_bytes(f"User-agent: *\nDisallow: /x{STEERING}\nNonsense{STEERING}: 1\n".encode())
    entry = '127.0.0.1 - - [10/Oct/2026:13:55:36 +0000] "GET /{} HTTP/1.1" 200 1 "-" "Breadcrumb{}"\n'
    judged = beside / f"{STEERING[-1]}judged.tsv"
    judged.write_text(f"{STEERING}\t{page}{STEERING}\n", "utf-8")
    log.write_text(entry.format(STEERING, STEERING), "utf-8")
    return {
        "crawl": [["site", "-a", f"seeds={page},{page}copy", "-L", "DEBUG", *RECORDING, "-s", "RETRY_DELAY=0"]],
        "index": [[], ["--rebuild"]],
        "search": [["rye"], ["--explain", "rye"], ["--json", "rye"], [STEERING], ["--in", "robots", "disallow:/"]],
        "why": [[page + path] for path in ("", "copy", "shut", "moved", "gone", "odd", STEERING, "robots.txt")],
        "robots": [[page, f"/shut{STEERING}"], [str(robots), f"/x{STEERING}"], [str(robots), "--lint"]],
        "plan": [[page]],
        "report": [[], ["--json"], ["traps"], ["links"], ["robots"]],
        "suggest": [[], ["--json"]],
        "check": [[]],
        "doctor": [[], ["--data", f"./{STEERING}"]],
        "audit": [[str(log), "--agent", f"Breadcrumb{STEERING}"], [str(log)]],
        "compare": [[page]],
        "export": [
            ["--warc", str(beside / f"warc{STEERING}")],
            ["--jsonl", str(beside / f"pages{STEERING}.jsonl")],
            ["--markdown", str(beside / f"pages{STEERING}")],
            ["--static", str(beside / f"static{STEERING}")],
            ["--table", "pages", "--to", str(beside / f"pages{STEERING}.csv")],
        ],
        "slides": [["--to", str(beside / f"slides{STEERING}")]],
        "reparse": [["--diff"], []],
        "release": [[STEERING]],
        "submit": [[page + STEERING], [f"http://{STEERING}/"]],
        "block": [[f"{page}copy", "--yes", "--reason", STEERING], ["--list"]],
        "forget": [[page, "--yes"], [f"{page}{STEERING}", "--yes"]],
        "import": [[str(beside / f"none{STEERING}.warc")], [str(robots)]],
        "tune": [["--queries", str(judged)]],
        "farm": [["-n", "2", f"http://{STEERING}/"]],
    }


@pytest.mark.slow
def test_no_command_prints_what_could_steer_a_terminal(folder: Folder, site: Site, tmp_path: Path) -> None:
    plant(site)
    lines = {name: words for name, words in typed(site, tmp_path).items() if name in COMMANDS}
    assert lines.keys() == set(COMMANDS) - PRINT_NOTHING_OF_A_SITE.keys()
    steering = []
    for name, each in lines.items():
        for words in each:
            done = folder.run(name, *words)
            assert "Traceback" not in done.stderr, (name, words, done.stderr)
            marks = [f"U+{ord(letter):04X}" for letter in done.stdout + done.stderr if _steers(letter)]
            steering += [(name, words, marks)] if marks else []
    assert not steering


def _steers(letter: str) -> bool:
    return letter not in "\n\t" and unicodedata.category(letter) in {"Cc", "Cf"}
