"""Is an index of another form told by its number? What is on the disk changes only together with FORMAT."""

from __future__ import annotations

import dataclasses
import hashlib
import json

from indexer.segments.generation import FORMAT, Generation
from indexer.segments.schema import COLUMNS, EXACT_FIELDS, INDEX_FIELDS, StoredFields
from indexer.segments.segment import Segment

# Since format 5 a generation names its crawl, too. One without a name is read as well, and gets it at the next commit.
FORMS = {5: "8a60d9d2ffb498e8"}


def test_what_the_index_keeps_changes_only_with_the_number_of_its_format() -> None:
    kept = [
        EXACT_FIELDS,
        INDEX_FIELDS,
        COLUMNS,
        *([field.name for field in dataclasses.fields(one)] for one in (StoredFields, Generation, Segment)),
    ]
    digest = hashlib.sha256(json.dumps(kept).encode()).hexdigest()[:16]
    assert FORMS.get(FORMAT) == digest, "raise FORMAT in indexer/segments/generation.py, and note its form here"
