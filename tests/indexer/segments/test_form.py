"""Is an index of another format recognised by its number? The bytes on the disk change only together with FORMAT."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from typing import TYPE_CHECKING

import zstandard

from indexer.segments.directory import Directory
from indexer.segments.generation import FORMAT, Generation, contents_name
from indexer.segments.schema import COLUMNS, EXACT_FIELDS, INDEX_FIELDS, StoredFields
from indexer.segments.segment import Segment, write_contents
from indexer.writing.segment_writer import PARTS

if TYPE_CHECKING:
    from pathlib import Path

# Where no extension adds a field, an index is written as if there were no such fields.
# The same holds for the area of a segment, where nothing is kept apart.
FORMS = {7: "5699241f772d518c"}


def test_what_the_index_keeps_changes_only_with_the_number_of_its_format() -> None:
    kept = [
        PARTS,
        EXACT_FIELDS,
        INDEX_FIELDS,
        COLUMNS,
        *([field.name for field in dataclasses.fields(one)] for one in (StoredFields, Generation, Segment)),
    ]
    digest = hashlib.sha256(json.dumps(kept).encode()).hexdigest()[:16]
    assert FORMS.get(FORMAT) == digest, "raise FORMAT in indexer/segments/generation.py, and note its form here"


def test_without_extensions_all_is_written_as_before() -> None:
    page = StoredFields("http://a.test/", "a.test", "A", "text", "", "en", 1.0, 0.0, archive=True, snippet=None)
    assert b"added_fields" not in Generation().dump()
    assert b"added_fields" not in zstandard.decompress(page.pack())
    assert StoredFields.unpack(page.pack()) == page


def test_without_areas_apart_a_segment_is_listed_as_before(tmp_path: Path) -> None:
    write_contents(Directory(tmp_path), [Segment("a", 1), Segment("b", 1, area="http://a.test/")], 1)
    first, second = json.loads((tmp_path / contents_name(1)).read_bytes())["segments"]
    assert [*first] == ["name", "count", "deleted", "born", "merged_from"]
    assert second["area"] == "http://a.test/"
