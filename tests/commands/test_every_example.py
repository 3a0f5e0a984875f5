"""An error says "give X, such as Y": is Y accepted in its place? A scan of the sources finds these errors.

`TRIED` tries a wrong value, and the example that the error gives. A new error with an example makes this test fail.
"""

from __future__ import annotations

import ast
import re
import subprocess
import tomllib
from html import unescape
from importlib import import_module
from typing import TYPE_CHECKING

import breadcrumb
import pytest
from scrapy.settings import Settings

from commands.crawling.feeds import feeds_of
from commands.crawling.words import check_numbers, check_options
from commands.frame.data_folder import folder_named
from frontier.submission import proposed_target
from gateway.browser_guard import allowed_hosts_of
from indexer.evaluation import read_judged_pages
from robots import origin_of
from spiders.arguments import SpiderArguments
from spiders.downloader.address_policy import Identity
from spiders.replaced_settings import check_classes
from tests.commands.conftest import ROOT, Breadcrumb
from tests.commands.test_every_advice import NOT_PRINTED, texts_in
from tests.gateway.conftest import gateway
from urls.blacklist import folder_target
from urls.site_options import chosen_option

if TYPE_CHECKING:
    from collections.abc import Callable

    Attempt = Callable[[Breadcrumb, str], object]

EXAMPLE = re.compile(r"(?:such as|, as in) ('[^']*'|\S.*?)(?=[,;] |\. |\.?$)", re.MULTILINE)
FOR_AUTHORS = "extension_points/"  # errors for those who write an extension


def command(*words: str) -> Attempt:
    """Run a command with a value in the place of {}, as one word or, where {} stands alone, as several."""

    def attempt(crawl: Breadcrumb, value: str) -> str:
        typed = [part for word in words for part in (value.split() if word == "{}" else [word.format(value)])]
        return crawl.run(*typed).err

    return attempt


def page(address: str = "{}") -> Attempt:
    """Get the error of a page of the gateway, or nothing."""

    def attempt(crawl: Breadcrumb, value: str) -> str:
        answer = gateway(crawl.data).get(address.format(value))
        if answer.status_code != 400:
            return ""
        return str(answer.json["error"]) if answer.is_json and answer.json else unescape(answer.text)

    return attempt


def imported(crawl: Breadcrumb, value: str) -> str:
    """Import files by their names, or by a pattern, which a shell expands."""
    return crawl.run("import", *(str(path.relative_to(crawl.folder)) for path in crawl.folder.glob(value))).err


def of(function: Callable[[str], object]) -> Attempt:
    return lambda _crawl, value: function(value)


def of_extension(module: str, function: str) -> Attempt:
    """Call a function of an extension with a value; the extension may not be here."""
    return lambda _, value: getattr(import_module(f"extensions.{module}"), function)(value)


def login(key: str, table: str) -> Attempt:
    """Read a table [[site]] with a login in which {} is the value."""

    def attempt(_: Breadcrumb, value: str) -> None:
        site = {"url": "https://wiki.example.org/"} | tomllib.loads(f"{key} = {table.replace('{}', value)}")
        import_module("extensions.logins.sites").read_sites(Settings({"SITE": [site]}))

    return attempt


def visitors(name: str) -> Attempt:
    """Read who is let in, with a value of a setting."""

    def attempt(_: Breadcrumb, value: str) -> None:
        module = import_module("extensions.logins.private.visitors")
        module.read_admission(Settings(ADMISSION | {name: value.rsplit(" or ", maxsplit=1)[-1]}))

    return attempt


ADMISSION = {"READER": [], "READER_PROXIES": [], "READER_GROUPS_HEADER": "X-Groups", "BOT_URL": "", "ADMIN_TOKEN": ""}
# By file: what tries a value, and a wrong value for it.
TRIED: dict[str, list[tuple[Attempt, str]]] = {
    "extensions/audit/audit.py": [
        (command("audit", "--delay={0}"), "x"),
        (command("audit", "--ceiling={0}"), "x"),
        (command("audit", "--agent={0}"), "a b"),
    ],
    "extensions/compare/compare.py": [(command("compare", "--agent={0}", "http://127.0.0.1:9/"), "\n")],
    "commands/crawling/feeds.py": [(of(lambda value: feeds_of(Settings(), [value], [])), "pages.odd")],
    "commands/crawling/words.py": [
        (of(lambda value: check_options(value.split())), "-t jsonl"),
        (of(lambda value: check_numbers([f"ITEM_PIPELINES={value}"])), "x"),
    ],
    "commands/frame/command_settings.py": [(command("report", "{}"), "-s DATA_DIR")],
    "commands/frame/data_folder.py": [(of(lambda value: folder_named(value.split()[0])), ".")],
    "commands/robots.py": [(command("robots", "robots.txt", "{}"), "")],
    "commands/search.py": [(command("search", "{0}"), " ")],
    "extensions/suggest/suggest.py": [(command("suggest", "--off", "{}"), "")],
    "extensions/assistants/mcp.py": [(of_extension("assistants.mcp", "search_page_address"), "search.example")],
    "extensions/assistants/tools.py": [(of_extension("assistants.tools", "page_address"), "rye")],
    "extensions/archives/import.py": [(imported, "archives")],
    "extensions/embed/static/export.py": [(of_extension("embed.static.export", "_place"), "search.example")],
    "extensions/logins/private/visitors.py": [
        (visitors("READER_GROUPS_HEADER"), "two words"),
        (visitors("READER_PROXIES"), "proxy"),
    ],
    "extensions/logins/sites.py": [
        (login("header", '{ name = "{}", value = "env:KEY" }'), "two words"),
        (login("cookie", '{ name = "{}", value = "env:KEY" }'), "two words"),
        (login("form", '{ page = "{}", user = "a", password = "env:KEY" }'), "https://login.example.org/"),
    ],
    "extensions/machines/runner.py": [
        (command("cluster", "--master=processes[2]", "--store=x", "--conf={0}"), "memory=2g")
    ],
    "extensions/rendering/gate.py": [
        (lambda _, value: import_module("extensions.rendering.gate").read_render_sites([value]), "/")
    ],
    "extensions/robots_files/search_page.py": [(page(), "/api/robots")],
    "frontier/submission.py": [(of(proposed_target), "http://[/")],
    "gateway/api.py": [(page(), "/search.atom")],
    "gateway/browser_guard.py": [(of(lambda value: allowed_hosts_of("", (value,))), "http://mill/")],
    "gateway/copy_page.py": [(page(), "/cached?format=json")],
    "gateway/search_request.py": [
        (page("/api/search?q=rye&site={}"), "a b"),
        (page("/api/search?q=rye&similar={}"), "rye"),
        (page("/api/search?q=rye&lang={}"), "english"),
        (page("/api/search?q=rye&type={}"), "a/b"),
        (page("/api/search?q=rye&year={}"), "last"),
    ],
    "gateway/why_page.py": [(page(), "/why?format=json")],
    "indexer/evaluation.py": [(of(lambda value: read_judged_pages(f"rye\t{value}\n".encode())), "rye")],
    "package/breadcrumb/rules.py": [(of(lambda value: breadcrumb.robots("", value).agent), " ")],
    "robots/origin.py": [(of(origin_of), "example.com")],
    "spiders/arguments.py": [(of(lambda value: SpiderArguments.of({"seeds": value}).root_set()), ",")],
    "spiders/downloader/address_policy.py": [(of(Identity), "two words")],
    "spiders/replaced_settings.py": [
        (of(lambda value: check_classes(Settings({"STATS_CLASS": value}), {"STATS_CLASS": "-s"})), "no.Class")
    ],
    "urls/blacklist.py": [(of(folder_target), "http://example.org/?q=*")],
    "urls/site_options.py": [(of(lambda value: chosen_option("mirror", value.split('"')[1:2])), "")],
}
CASES = [(path, attempt, wrong) for path, attempts in TRIED.items() for attempt, wrong in attempts]


def told(attempt: Attempt, crawl: Breadcrumb, value: str) -> str:
    """Return what an attempt says, or the error that it raises."""
    try:
        return str(attempt(crawl, value))
    except Exception as error:  # noqa: BLE001 - of many kinds
        return str(getattr(error, "refusal", error))


@pytest.mark.parametrize(("path", "attempt", "wrong"), CASES, ids=[f"{path} {wrong!r}" for path, _, wrong in CASES])
def test_the_example_of_an_error_is_accepted(bakery: Breadcrumb, path: str, attempt: Attempt, wrong: str) -> None:
    if not (ROOT / path).exists():
        pytest.skip("its extension is not here")
    (bakery.folder / "robots.txt").write_text("User-agent: *\n")
    (bakery.folder / "archives").mkdir()
    (bakery.folder / "archives" / "a.warc.gz").touch()
    error = told(attempt, bakery, wrong)
    example = EXAMPLE.search(error)
    assert example is not None, error
    said = told(attempt, bakery, example[1].strip("'"))
    assert example[0] not in said


def test_every_error_with_an_example_is_tried() -> None:
    listed = subprocess.run(["git", "ls-files", "*.py"], cwd=ROOT, capture_output=True, text=True, check=True)
    found: dict[str, set[str]] = {}
    for path in listed.stdout.split():
        read = not path.startswith((*NOT_PRINTED, FOR_AUTHORS))
        source = (ROOT / path).read_text("utf-8") if read else ""
        for node in ast.walk(ast.parse(source)) if EXAMPLE.search(source) else ():
            for text in texts_in(node) if isinstance(node, ast.Raise) else ():
                found.setdefault(path, set()).update(EXAMPLE.findall(text))
    counts = {path: len(examples) for path, examples in found.items() if examples}
    assert counts == {path: len(tried) for path, tried in TRIED.items() if (ROOT / path).exists()}
