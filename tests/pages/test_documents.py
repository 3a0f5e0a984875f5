"""Extensions read files that are no markup; without one, only their header lines are requested."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from pages import FetchedBody, parse_page
from pages.documents import DocumentReaders, DocumentText
from pages.http_headers import DOCUMENT_TYPE_OF, PDF
from urls.records import CanonicalUrl, Link
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Mapping

FILE = FetchedBody(b"%PDF-1.4", CanonicalUrl("http://site.example/rye.pdf"), [("content-type", PDF)])


@dataclass
class PdfReader:
    """A reader as an extension has one."""

    off: str = ""
    types: Mapping[str, str] = field(default_factory=lambda: {"pdf": PDF})
    closed: bool = False

    def read(self, body: bytes, content_type: str) -> DocumentText:
        return DocumentText("Rye", (body.decode(), content_type), links=(("/more", "a link"),))

    def close(self) -> None:
        self.closed = True


def test_a_document_says_what_its_reader_finds() -> None:
    page = parse_page(FILE, documents=DocumentReaders((PdfReader(),)))
    assert (page.title, page.text, page.refusals) == ("Rye", f"%PDF-1.4\n{PDF}", ())
    assert page.links == (Link("http://site.example/more", "a link"),)


@pytest.mark.parametrize(
    ("readers", "reason"),
    [
        (DocumentReaders(), "no reader of documents was given"),
        (DocumentReaders((PdfReader(types={}),)), "no reader of documents was given"),
        (DocumentReaders((PdfReader(off="PDF_PAGES is 0"),)), "PDF_PAGES is 0"),
    ],
    ids=["none", "of other types", "switched off"],
)
def test_without_a_reader_a_document_is_refused_by_its_type(readers: DocumentReaders, reason: str) -> None:
    [refusal] = parse_page(FILE, documents=readers).refusals
    assert (refusal.rule, refusal.reason) == (Rule.TYPE, f"{PDF}: {reason}")


def test_the_endings_that_nobody_reads_are_known() -> None:
    every = frozenset(DOCUMENT_TYPE_OF)
    assert DocumentReaders().unread_extensions == DocumentReaders((PdfReader(off="x"),)).unread_extensions == every
    assert DocumentReaders((PdfReader(),)).unread_extensions == every - {"pdf"}


def test_all_readers_are_closed() -> None:
    readers = PdfReader(), PdfReader()
    DocumentReaders(readers).close()
    assert all(reader.closed for reader in readers)
