"""Which fields has the index? Seven of words, and three exact ones by which pages are filtered and found again.

    anchors body description headings keywords title url_words     words, with their positions
    language site url                                              one exact value a page

Beside them each page has columns: its packed record, the length of each word field, and when it ends.
"""
# mypy: disable-error-code="no-untyped-call,misc,import-untyped,no-any-return"

from __future__ import annotations

from array import array
from functools import lru_cache
from typing import Any

from whoosh.fields import FieldType, Schema
from whoosh.formats import Existence, Format

from indexer.segments.document import FIELDS

LANGUAGE = "language"
SITE = "site"
URL = "url"


class PackedPositions(Format):
    """Positions as 32-bit numbers, as many as the posting's frequency says.

    Whoosh joins values of a fixed size into one string of bytes a block; of others it pickles every single one, which
    takes three times the time and the room. So a block is given as one position a posting and read as what it is.
    """

    posting_size = array("I").itemsize

    def supports(self, name: str) -> bool:
        """Whoosh's own queries are not used on these fields."""
        return name == "frequency"


class _Words(FieldType):
    def __init__(self) -> None:
        self.format = PackedPositions()
        self.scorable = True
        self.stored = False
        self.unique = False
        self.vector = None
        self.column_type = None


class _Exact(_Words):
    def __init__(self) -> None:
        super().__init__()
        self.format = Existence()
        self.scorable = False


@lru_cache(maxsize=1)
def schema() -> Any:
    """Return the schema. It is made here and never read from disk, where Whoosh keeps it as a pickle."""
    return Schema(
        **{field.value: _Words() for field in FIELDS},
        **{name: _Exact() for name in (LANGUAGE, SITE, URL)},
    )
