"""How does a program search? It opens the index of a data folder, and closes it."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from breadcrumb.client import EngineProcess
from breadcrumb.errors import InvalidValue
from breadcrumb.records import Explanation, Hit, Results, Section

if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike
    from typing import Any, Self

    Setting = str | int | float | bool | list[str]


def open_index(
    data: str | PathLike[str], *, create: bool = False, settings: Mapping[str, Setting] | None = None
) -> Index:
    """Open the index of a data folder, given by its path. Raises NoIndex, UnusableFolder.

    With `create`, a folder that is missing or empty is taken, to put pages into. `settings` are those of
    docs/settings.md, such as {"RANKING": ["title=3"]}.
    """
    return Index(data, create=create, settings=settings)


class Index:
    """The index of a data folder, open until `close`. Threads may share it; their calls wait for each other."""

    def __init__(
        self, data: str | PathLike[str], *, create: bool = False, settings: Mapping[str, Setting] | None = None
    ) -> None:
        self.data = data_folder(data)
        self._engine = EngineProcess()
        try:
            self._engine.call("open", data=str(self.data), create=bool(create), settings=assignments(settings))
        except BaseException:
            self._engine.close()
            raise

    def search(
        self, query: str, *, limit: int = 10, page: int = 1, site: str = "", language: str = "", exact: bool = False
    ) -> Results:
        """Return one page of results with up to 50 hits. `exact` corrects no spelling. Raises InvalidValue."""
        _check("query", query, str)
        _check("limit", limit, int)
        _check("page", page, int)
        if not query.strip():
            raise InvalidValue("query is empty: give some words")
        found = self._engine.call(
            "search", query=query, limit=limit, page=page, site=site, language=language, exact=bool(exact)
        )
        first = (page - 1) * min(limit, 50) + 1
        hits = tuple(_hit(rank, hit) for rank, hit in enumerate(found["hits"], first))
        return Results(found["query"], found["total"], hits, found["notice"])

    def why(self, url: str, query: str = "") -> Explanation:
        """Return everything known about a URL, with the parts of its score for `query`. Raises NoIndex."""
        _check("url", url, str)
        _check("query", query, str)
        found = self._engine.call("why", url=url, query=query)
        return Explanation(found["url"], found["known"], found["answer"], found["record"], found["text"])

    def put(self, url: str, *, html: str | bytes = "", text: str = "", title: str = "") -> None:
        """Add a page, or replace the page with this URL: its HTML, or its text and title.

        The next search finds it, and `close` keeps it. Raises InvalidValue, FolderInUse.
        """
        _check("url", url, str)
        if bool(html) == bool(text):
            raise InvalidValue(f"put({url!r}): give html=, or text= with title=")
        if text:
            paragraphs = "".join(f"<p>{escape(line)}</p>" for line in text.splitlines())
            html = f"<title>{escape(title)}</title>{paragraphs}"
        if not isinstance(html, (str, bytes)):
            raise InvalidValue(f"html={html!r:.40}: give str or bytes")
        body = html.encode() if isinstance(html, str) else html
        self._engine.call("put", url=url, body=body.hex(), decoded=isinstance(html, str))

    def close(self) -> None:
        """Keep what was put, and end the process of the engine. A second call does nothing."""
        try:
            if self._engine.is_open:
                self._engine.call("commit")
        finally:
            self._engine.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def data_folder(data: str | PathLike[str]) -> Path:
    """Return the path of a data folder; a relative one counts from the working folder of the program."""
    try:
        path = Path(data).expanduser()
    except TypeError:
        raise InvalidValue(f"data={data!r}: give the path of a data folder") from None
    if not str(data).strip():
        raise InvalidValue("data is empty: give the path of a data folder")
    return path.absolute()


def assignments(settings: Mapping[str, Setting] | None) -> list[str]:
    """Return settings as the words NAME=VALUE of a command."""
    return [f"{name}={_word(value)}" for name, value in (settings or {}).items()]


def _word(value: Setting) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def _check(name: str, value: object, kind: type) -> None:
    if not isinstance(value, kind) or isinstance(value, bool):
        raise InvalidValue(f"{name}={value!r:.60}: give {'text' if kind is str else 'a whole number'}")


def _hit(rank: int, result: Mapping[str, Any]) -> Hit:
    sections = tuple(Section(each["url"], each["title"], each["snippet"]) for each in result.get("sections", ()))
    plain = (result["url"], result["title"], result["snippet"], result["score"], result["lang"], result["fetched_at"])
    return Hit(rank, *plain, sections, result["explain"])
