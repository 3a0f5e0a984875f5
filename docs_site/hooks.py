"""How does the Markdown of the repository become pages? As on a code host, by CommonMark; MkDocs calls these functions.

A link out of docs/ works too: its file is part of the site, below `source/`. A folder is shown by its README.md, else
by a list of its files. MkDocs itself would read another Markdown, where a list can't hold a block of code.
"""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from posixpath import normpath
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt
from mkdocs.structure.files import File, InclusionLevel

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from markdown_it.token import Token
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parent.parent
DOCS, BEYOND, README = "docs/", "source/", "README.md"
MARKDOWN = MarkdownIt("commonmark").enable("table")
_ELSEWHERE = re.compile(r"[a-z]+:|#|/", re.IGNORECASE)
_DROPPED = re.compile(r"[^\w\- ]")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add every file that a page links to, and those that these link to."""
    waiting = [file for file in files if file.is_documentation_page()]
    while waiting:
        file = waiting.pop()
        for _, _, target in _links(MARKDOWN.parse(file.content_string)):
            uri = _uri(file.src_uri, target)
            if uri.startswith(BEYOND) and files.get_file_from_path(uri) is None:
                files.append(added := _added(uri, config))
                waiting += [added] if added.is_documentation_page() else []
    return files


def on_page_content(_html: str, page: Page, files: Files, **_config: object) -> str:
    """Return a page as HTML: its links lead to pages of the site, and its headings have ids."""
    tokens = MARKDOWN.parse(page.markdown or "")
    for token, name, target in _links(tokens):
        uri = _uri(page.file.src_uri, target)
        if found := files.get_file_from_path(uri):
            token.attrs[name] = found.url_relative_to(page.file) + target.partition("#")[1] + target.partition("#")[2]
    ids: dict[str, int] = {}
    for heading, text in pairwise(tokens):
        if heading.type == "heading_open":
            heading.attrs["id"] = _id(text, ids)
    return str(MARKDOWN.renderer.render(tokens, MARKDOWN.options, {}))


def _links(tokens: Sequence[Token]) -> Iterator[tuple[Token, str, str]]:
    """Yield each link and picture to a file of the repository: its token, attribute and target."""
    for token in tokens:
        yield from _links(token.children or ())
        for name in ("href", "src"):
            target = str(token.attrs.get(name, ""))
            if target and not _ELSEWHERE.match(target):
                yield token, name, target


def _id(text: Token, known: dict[str, int]) -> str:
    """Return the id of a heading, as code hosts make it: small letters, hyphens, and a number for the same again."""
    words = "".join(each.content for each in text.children or () if each.type in {"text", "code_inline"})
    name = _DROPPED.sub("", words.lower()).strip().replace(" ", "-")
    known[name] = known.get(name, -1) + 1
    return f"{name}-{known[name]}" if known[name] else name


def _uri(source: str, target: str) -> str:
    """Return the place in the site of what a page links to; "" if the repository does not have it."""
    path = normpath(_place(source).rpartition("/")[0] + "/" + target.partition("#")[0]).lstrip("/")
    if (ROOT / path).is_dir():
        path += f"/{README}"
    elif not (ROOT / path).is_file():
        return ""
    return path.removeprefix(DOCS) if path.startswith(DOCS) else BEYOND + path


def _place(uri: str) -> str:
    """Return where a file of the site is in the repository."""
    return uri.removeprefix(BEYOND) if uri.startswith(BEYOND) else DOCS + uri


def _added(uri: str, config: MkDocsConfig) -> File:
    path = ROOT / _place(uri)
    if path.exists():
        file = File.generated(config, uri, abs_src_path=str(path))
    else:
        names = sorted(each.name for each in path.parent.iterdir() if not each.name.startswith((".", "__")))
        listing = "\n".join((f"# {path.parent.relative_to(ROOT)}/", "", *(f"- `{name}`" for name in names), ""))
        file = File.generated(config, uri, content=listing)
    file.inclusion = InclusionLevel.NOT_IN_NAV
    return file
