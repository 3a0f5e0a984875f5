"""Which situations are there? The 40 rows of tests/conformance/http.jsonl, and some of a catalogue of hostile sites.

`SITUATIONS` plays the rows of the first, in their order; `HOSTILE` those of the second that it does not cover already.
The situations themselves are in `rows/`, a file for each part of the standard, so little is left here.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from tests.situations.rows.access_results import REDIRECTED, UNAVAILABLE
from tests.situations.rows.caching import CACHED
from tests.situations.rows.contents import READ, READ_FROM_AN_ATTACKER
from tests.situations.rows.scope import OTHER_RECORDS, SCOPE

if TYPE_CHECKING:
    from tests.situations.situation import Situation

HTTP_JSONL = Path(__file__).resolve().parents[1] / "conformance" / "http.jsonl"
HOSTILE: tuple[Situation, ...] = READ_FROM_AN_ATTACKER
SITUATIONS: tuple[Situation, ...] = tuple(
    sorted(
        (*READ, *REDIRECTED, *UNAVAILABLE, *CACHED, *SCOPE, *OTHER_RECORDS),
        key=lambda situation: situation.id,
    )
)


def catalogue_rows() -> dict[str, dict[str, str]]:
    """Return the rows of http.jsonl by their ids: `situation`, `rfc9309`, `advice` and more."""
    rows = [json.loads(line) for line in HTTP_JSONL.read_text("utf-8").splitlines()]
    return {row["id"]: row for row in rows}
