"""The engine's side of client.py: reads a call a line from standard input, and writes an answer a line.

It runs as a program, whose argument is the folder of the engine. What the engine prints goes to standard error.
"""

from __future__ import annotations

import json
import os
import sys
import time
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path
from typing import Any


def rules() -> dict[str, Any]:
    """Return the functions that need no data folder."""
    from robots import parse, product_token
    from urls.canonical import canonicalize

    def decide(body: str, agent: str, url: str) -> dict[str, object]:
        verdict = parse(bytes.fromhex(body)).decide(product_token(agent), url)
        return {"allowed": verdict.allowed, "line": verdict.line, "rule": verdict.rule, "reason": verdict.reason}

    return {"robots": decide, "canonicalize": lambda url: str(canonicalize(url))}


class OpenFolder:
    """A data folder that is open. Pages that were put are committed before the next search, and at the end."""

    def __init__(self, data: str, *, create: bool, settings: list[str]) -> None:
        from commands.frame.command_settings import CommandSettings
        from commands.frame.data_folder import folder_option, formula_under
        from commands.frame.terminal import set_folder_option
        from crawldb.folders import holds_a_crawl, make_private
        from extension_points import call_extensions
        from indexer.remote import use_index_setting

        self.settings = CommandSettings([*settings, f"DATA_DIR={data}"])
        self.data = Path(data)
        set_folder_option(folder_option(self.data))
        make_private(self.data)
        use_index_setting(str(self.settings["INDEX"]))
        call_extensions("settings_chosen", settings=self.settings)
        self.formula = formula_under(self.settings)
        self.holds_a_crawl = holds_a_crawl(self.data)
        self.writing = ExitStack()  # the writer, while pages were put that are not committed
        self.writer: Any = None
        self._searcher: Any = None
        if not create:
            self.searcher()

    def searcher(self) -> Any:
        """Return the searcher. Raises NoIndex and the faults of a folder."""
        from commands.frame.data_folder import open_searcher

        if self._searcher is None:
            link_only = self.settings.getbool("LINK_ONLY_RESULTS")
            self._searcher = open_searcher(self.data, self.formula, link_only=link_only)
        return self._searcher

    def search(self, query: str, *, limit: int, page: int, site: str, language: str, exact: bool) -> dict[str, Any]:
        """Return results in the form of /api/search, with their notice."""
        from commands.frame.terminal import pasteable
        from gateway.search_request import read_search_request, timed_search
        from indexer.query.deadline import Deadline
        from indexer.retrieval.results import results_as_dict

        self.commit()
        words = {"q": query, "n": str(limit), "page": str(page), "site": site, "lang": language}
        asked = read_search_request(words | ({"exact": "1"} if exact else {}))
        deadline = Deadline(self.settings.getfloat("SEARCH_TIMEOUT"))
        results, seconds = timed_search(self.searcher(), asked, deadline)
        return results_as_dict(results, seconds, pasteable) | {"notice": results.notice}

    def why(self, url: str, query: str) -> dict[str, Any]:
        """Return everything known about a URL."""
        from commands.frame.data_folder import policy_for
        from commands.why import printed_lines
        from crawldb.databases import Parts
        from gateway.search_request import read_search_request
        from reports.why import url_facts

        self.commit()
        asked = read_search_request({"q": query}).query
        with Parts.in_folder(self.data) as parts:
            facts = url_facts(
                parts,
                url,
                self.searcher,
                lambda database: policy_for(database, self.settings),
                product=self.settings["PRODUCT"],
                stale_after=self.settings.getint("STALE_AFTER"),
                query=asked,
            )
            text = "\n".join(printed_lines(facts, asked=bool(asked)))
        found = {"url": facts.found.url, "known": bool(facts.found.discovered), "answer": facts.answer.sentence}
        return found | {"record": facts.as_dict(), "text": text}

    def put(self, url: str, body: str, *, decoded: bool) -> None:
        """Put a page into the index; `body` is in hexadecimal digits, UTF-8 if the program had `decoded` it."""
        from commands.frame.exits import CommandError
        from indexer import open_writer
        from pages import FetchedBody, parse_page
        from urls.canonical import canonicalize

        if self.holds_a_crawl:
            raise CommandError(f"{self.data} holds a crawl: put pages into a folder of their own")
        headers = (("content-type", f"text/html{'; charset=utf-8' if decoded else ''}"),)
        page = parse_page(FetchedBody(bytes.fromhex(body), canonicalize(url), headers, fetched_at=time.time()))
        if self.writer is None:
            self.writer = self.writing.enter_context(open_writer(self.data))
        self.writer.put(page)

    def commit(self) -> None:
        """Make what was put durable and visible, and let others write."""
        self.writer = None
        self.writing.close()


def fault_of(error: Exception) -> dict[str, str]:
    """Return an error as its kind in breadcrumb.errors and a sentence. A module that is missing is raised again."""
    if isinstance(error, ModuleNotFoundError):
        raise error
    import sqlite3

    from commands.frame.exits import error_message
    from commands.frame.terminal import pasteable
    from crawldb.database import DatabaseError, NoCrawlError
    from crawldb.lock import FolderInUse
    from gateway.search_request import InvalidParameter
    from indexer.faults import IndexFault, IndexLocked, NoIndex

    if isinstance(error, (FolderInUse, InvalidParameter)):
        message: str | None = str(error)
    else:
        message = error_message(error)
    if message is None:
        return {"kind": "Error", "error": f"an error of Breadcrumb itself, {type(error).__name__}: {error}"}
    kinds = [
        ((NoIndex, NoCrawlError), "NoIndex"),
        ((FolderInUse, IndexLocked), "FolderInUse"),
        ((DatabaseError, IndexFault, OSError, sqlite3.Error), "UnusableFolder"),
    ]
    kind = next((name for types, name in kinds if isinstance(error, types)), "InvalidValue")
    return {"kind": kind, "error": pasteable(message)}


def told_of(error: Exception) -> dict[str, str | None]:
    """Return an error as the caller gets it: that of `fault_of`, or the module that is not installed."""
    try:
        return {**fault_of(error)}
    except ModuleNotFoundError as missing:
        return {"missing": missing.name}


def main(engine: str) -> None:
    """Answer calls until the input ends, or the program that started this one."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever prints, prints elsewhere
    sys.path[:] = [engine, *(path for path in sys.path if path != engine)]
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    import_module("commands.__main__").hold_environment()
    functions: dict[str, Any] = {}
    response: dict[str, Any]
    folder: OpenFolder | None = None
    try:
        for line in sys.stdin:
            name, arguments = json.loads(line)
            try:
                functions = functions or rules()
                if name == "open":
                    folder, result = OpenFolder(**arguments), None
                else:
                    result = (functions.get(name) or getattr(folder, name))(**arguments)
                response = {"result": result}
            except Exception as error:  # noqa: BLE001 - the caller gets each
                response = told_of(error)
            print(json.dumps(response), file=answers, flush=True)
    except (KeyboardInterrupt, BrokenPipeError):
        pass  # it reaches the program as well, which ends this one
    finally:
        if folder is not None:
            folder.commit()


if __name__ == "__main__":
    main(sys.argv[1])
