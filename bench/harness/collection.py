"""Which pages does a collection hold? A folder with `docs.jsonl.gz`: id, title, text; more of a page, if known."""

from __future__ import annotations

import gzip
import json
import re
from typing import TYPE_CHECKING, Any

from urls.records import CanonicalUrl, Page

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

ROOT = "http://collection.test/"
DOCUMENTS = "docs.jsonl.gz"
_KANA = re.compile("[\u3041-\u30fa]")


def read_rows(folder: Path) -> Iterator[dict[str, Any]]:
    """Yield the documents of a collection, in its order."""
    with gzip.open(folder / DOCUMENTS, "rt", encoding="utf-8") as rows:
        yield from map(json.loads, rows)


def write_rows(folder: Path, documents: Iterable[dict[str, Any]]) -> None:
    """Write the documents of a collection."""
    with gzip.open(folder / DOCUMENTS, "wt", compresslevel=1, encoding="utf-8") as rows:
        rows.writelines(json.dumps(document, ensure_ascii=False) + "\n" for document in documents)


def read_pages(folder: Path, root: str = ROOT) -> Iterator[Page]:
    """Yield the documents as pages below a root URL; the id is the path. `NAME_ru` names a folder's language."""
    language = found[1] if (found := re.search(r"_(\w\w)$", folder.name)) else ""
    for row in read_rows(folder):
        yield Page(
            CanonicalUrl(root + row["id"]),
            row["title"],
            row["text"],
            headings=tuple(row.get("headings", ())),
            anchors=tuple(row.get("anchors", ())),
            template_text=row.get("template", ""),
            language=row.get("language") or language or ("ja" if _KANA.search(row["text"][:200]) else "en"),
        )
