"""Which data does a judged collection hold, and how good is a ranking? Documents, queries, grades; nDCG and MRR.

A folder has `docs.jsonl.gz` (id, title, text; language, headings, anchors if known), `queries.jsonl` (id, text) and
`qrels.tsv` (query, document, grade). Its documents are indexed into a temporary folder. Or its site was crawled:
FOLDER=DATA_DIR searches the index of that crawl. Only documents in `docs.jsonl.gz` are then ranked, as a manual's own
index pages hold the words of all queries; ids are paths below the site's root.

nDCG@10 counts each judged page by its grade and rank (Järvelin and Kekäläinen, 2002). MRR@10 is one over the rank of
the first right page.
"""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import indexer
from bench.harness.collection import ROOT, read_pages, read_rows
from indexer.evaluation import JudgedQuery
from indexer.retrieval.searcher import MAX_LIMIT

if TYPE_CHECKING:
    from indexer.retrieval.searcher import Searcher

ANSWER, RELATED = 2, 1  # grades of the files of queries
ALL_KINDS = "all"
DEPTH = 10


@dataclass(frozen=True, slots=True)
class Question(JudgedQuery):
    """A query with the grade of each judged page. `half` is "development" or "test"."""

    kind: str = ALL_KINDS
    half: str = ""

    @property
    def answers(self) -> frozenset[str]:
        """The right pages; others that are graded only help."""
        return frozenset(page for page, grade in self.grades.items() if grade >= ANSWER)


@dataclass(frozen=True, slots=True)
class Graded:
    """One collection: its queries, the grade of each judged document, and the place of its pages."""

    folder: Path
    crawled: Path | None  # a data folder

    @classmethod
    def named(cls, argument: str) -> Graded:
        """Read FOLDER or FOLDER=DATA_DIR."""
        folder, _, crawled = argument.partition("=")
        return cls(Path(folder), Path(crawled) if crawled else None)

    @property
    def name(self) -> str:
        """The name in a table."""
        return self.folder.name + "*" * bool(self.crawled)

    def index_into(self, folder: Path) -> Path:
        """Make the index, if there is none yet, and return its data folder."""
        if self.crawled:
            return self.crawled
        with indexer.open_writer(folder) as writer:
            for page in read_pages(self.folder):
                writer.put(page)
        return folder

    def questions(self) -> list[Question]:
        """Return the queries with the grade of each judged document, by its id."""
        grades: dict[str, dict[str, int]] = defaultdict(dict)
        for line in (self.folder / "qrels.tsv").read_text(encoding="utf-8").splitlines():
            query, document, grade = line.split("\t")
            grades[query][document] = int(grade)
        with (self.folder / "queries.jsonl").open(encoding="utf-8") as rows:
            found = map(json.loads, rows)
            return [Question(row["text"], grades[row["id"]], row.get("kind", ALL_KINDS)) for row in found]

    def listed(self) -> frozenset[str]:
        """Return the documents to rank; empty: all."""
        if not self.crawled:
            return frozenset()
        return frozenset(row["id"] for row in read_rows(self.folder))


def found_by(searcher: Searcher, text: str, listed: frozenset[str]) -> list[str]:
    """Return the ids of the first results, of those that are listed."""
    hits = searcher.search(text, MAX_LIMIT if listed else DEPTH).hits
    if not listed:
        return [hit.url.removeprefix(ROOT) for hit in hits]
    ids = [urlsplit(hit.url).path[1:] for hit in hits]
    return [id_ for id_ in ids if id_ in listed][:DEPTH]
