"""Does the installed package give the verdicts of the specifications? 420 cases, with the standard library alone.

    python tests/test_conformance.py

`rules.jsonl` and `sources.jsonl` have a robots.txt, a robot and a URL each, with the verdict and its line in every
reading: RFC 9309, Google's parser, the text of 1996 and "HTTP: The Definitive Guide". `page_controls.jsonl` has a page
with its header lines, and what it allows.
"""

from __future__ import annotations

import json
import unittest
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from breadcrumb_robots import Dialect, page_controls, parse

if TYPE_CHECKING:
    from collections.abc import Iterator

COLUMN = {Dialect.RFC9309: "rfc", Dialect.GOOGLE: "", Dialect.TEXT_1996: "draft", Dialect.BOOK: "book"}
CONTROLS = ("index", "follow", "archive", "snippet", "image_preview", "video_preview", "indexifembedded")


def rows(name: str) -> Iterator[dict[str, Any]]:
    """Yield the cases of a file."""
    with Path(__file__).with_name(name).open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


class Conformance(unittest.TestCase):
    """Each case is a subtest, named by its number."""

    def test_robots_txt(self) -> None:
        """Hold each verdict and its line beside those of the text."""
        for row in (*rows("rules.jsonl"), *rows("sources.jsonl")):
            body = bytes.fromhex(row["robots_hex"]) if "robots_hex" in row else row["robots"].encode()
            for dialect, column in COLUMN.items():
                word = row.get(f"{column}_verdict", row["verdict"])
                line = row.get(f"{column}_line", row["line"])
                if word != "unspecified":
                    verdict = parse(body, dialect).decide(row["agent"], row["url"])
                    with self.subTest(case=row["id"], dialect=dialect.value):
                        self.assertEqual(("allow" if verdict.allowed else "disallow", verdict.line), (word, line))

    def test_page_controls(self) -> None:
        """Hold what a page allows beside the expectation."""
        for row in rows("page_controls.jsonl"):
            lines = [("Content-Type", row["content_type"]), *map(tuple, row["headers"])]
            controls = page_controls(lines, row["html"].encode(), agent=row["agent"], url=row["url"])
            expected = row["expect"]
            with self.subTest(case=row["id"]):
                self.assertEqual(
                    {name: getattr(controls, name) for name in CONTROLS}, {name: expected[name] for name in CONTROLS}
                )
                self.assertEqual(controls.expires, expected["expires"] and datetime.fromisoformat(expected["expires"]))


if __name__ == "__main__":
    unittest.main()
