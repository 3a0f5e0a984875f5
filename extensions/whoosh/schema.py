"""Which fields has our index for Whoosh? Those of `segments/schema.py`, and the names that tutorials use.

    field         other names       what it holds
    url           id, path          the URL, in canonical form: the unique field
    title                           words of the title
    body          content, text     words of the main text
    headings, description, anchors, template, url_words      words
    language, site, file_type                                exact values
    dated         a column to sort by: the date of the page, in seconds since the epoch

Two names of one field have the same postings: `content:crawl` and `body:crawl` find the same pages.
"""
# mypy: disable-error-code="no-untyped-call,attr-defined"

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from whoosh.analysis import Analyzer, Token
from whoosh.columns import NumericColumn
from whoosh.fields import COLUMN, ID, TEXT, Schema

from indexer.analysis.tokenizer import MAX_INDEXED_CHARS, analyze_token
from indexer.analysis.words import TOKEN_PATTERN
from indexer.faults import IndexFault
from indexer.segments.schema import FILE_TYPE, LANGUAGE, SITE, URL, IndexField, StoredFields

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indexer.analysis.tokenizer import SubToken

DATED = "dated"
ALIASES = {"id": URL, "path": URL, "content": IndexField.BODY.value, "text": IndexField.BODY.value}
STORED_TEXT = (IndexField.TITLE, IndexField.BODY, IndexField.DESCRIPTION)
UNSTORED_TEXT = (IndexField.HEADINGS, IndexField.ANCHORS, IndexField.TEMPLATE, IndexField.URL)
EXACT = (SITE, LANGUAGE, FILE_TYPE)


class PageAnalyzer(Analyzer):
    """Splits a text into the terms of our index: for queries, highlights, and an index of Whoosh's own.

    A query has only the terms of a phrase: `e-mail` is searched as the phrase "e mail".
    """

    def __call__(
        self,
        value: str,
        *,
        positions: bool = False,
        chars: bool = False,
        start_pos: int = 0,
        start_char: int = 0,
        mode: str = "",
        **options: Any,
    ) -> Iterator[Token]:
        """Yield the terms of a text. Like Whoosh's own analyzers, it yields the same object again and again."""
        token = Token(positions, chars, mode=mode, **options)
        token.boost, token.stopped = 1.0, False
        for found in TOKEN_PATTERN.finditer(value[:MAX_INDEXED_CHARS]):
            analyzed = analyze_token(found[0])
            for part in analyzed.sequence if mode == "query" else analyzed.parts:
                token.original = token.text = _encodable(part)
                token.pos = start_pos + part.offset
                token.startchar, token.endchar = start_char + found.start(), start_char + found.end()
                yield token
            start_pos += analyzed.width


def _encodable(part: SubToken) -> str:
    """Return a word as the dictionary has it: lone surrogates are written as escapes."""
    return part.text if part.text.isascii() else part.text.encode("utf-8", "backslashreplace").decode()


class SortedOnly(COLUMN):
    """A field to sort and group by, without terms. A query for it raises IndexFault."""

    def process_text(self, qstring: str, *_: Any, **__: Any) -> Any:
        """Raise IndexFault."""
        return self.to_bytes(qstring)

    def parse_range(self, fieldname: str, start: Any, end: Any, *_: Any, **__: Any) -> Any:
        """Raise IndexFault."""
        return self.to_bytes(f"{fieldname}:[{start} to {end}]")

    def to_bytes(self, v: Any) -> Any:
        """Raise IndexFault."""
        raise IndexFault(f"{v!r}: pages can be sorted by this field, not searched: {_SORTED}")


_SORTED = f"searcher.search(query, sortedby={DATED!r}, reverse=True)"


def page_schema() -> Schema:
    """Return the fields of our index as a Whoosh schema."""
    schema = Schema()
    for name in (URL, *(other for other, field in ALIASES.items() if field == URL)):
        schema.add(name, ID(stored=True, unique=name == URL, sortable=True))
    words = {name.value: name in STORED_TEXT for name in (*STORED_TEXT, *UNSTORED_TEXT)}
    words |= {name: True for name, field in ALIASES.items() if field != URL}
    for name, is_stored in words.items():
        is_title = name == IndexField.TITLE
        schema.add(name, TEXT(PageAnalyzer(), stored=is_stored, sortable=is_title, multitoken_query="phrase"))
    for name in EXACT:
        schema.add(name, ID(stored=True, sortable=True))
    schema.add(DATED, SortedOnly(NumericColumn("d")))
    return schema


@cache
def segment_field(name: str) -> str:
    """Return the name of a field in our segments."""
    return ALIASES.get(name, name)


def stored_values(record: StoredFields) -> dict[str, Any]:
    """Return the stored fields of a record, under all their names."""
    values = {
        URL: record.url,
        IndexField.TITLE.value: record.title,
        IndexField.BODY.value: record.text,
        IndexField.DESCRIPTION.value: record.description,
        SITE: record.site,
        LANGUAGE: record.language,
        FILE_TYPE: " ".join(record.file_types),
        DATED: record.dated,
    }
    return values | {other: values[name] for other, name in ALIASES.items()}
