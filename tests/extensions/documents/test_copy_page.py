"""The copy of a document: its words, marked, and nothing of its file."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from extensions.documents.reader import DocumentProcess
from pages import FetchedBody, parse_page
from pages.documents import DocumentReaders
from pages.http_headers import DOCUMENT_TYPE_OF
from tests.extensions.documents.made import docx
from tests.gateway.conftest import FETCHED_AT, SITE, crawl, gateway, index
from urls.canonical import canonicalize

if TYPE_CHECKING:
    from pathlib import Path

    from flask.testing import FlaskClient


@pytest.fixture
def copies(tmp_path: Path) -> FlaskClient:
    """A gateway over one document."""
    body, headers = docx("A song of bread", heading="Songs &lt;b&gt;"), (("content-type", DOCUMENT_TYPE_OF["docx"]),)
    fetched = FetchedBody(body, canonicalize(f"{SITE}/song.docx"), headers, fetched_at=FETCHED_AT)
    with DocumentProcess() as reader:
        page = parse_page(fetched, documents=DocumentReaders((reader,)))
    crawl(tmp_path, (replace(page, fingerprint=b"song"),), ())
    index(tmp_path)
    return gateway(tmp_path)


@pytest.mark.slow
def test_the_words_of_a_document_are_shown_and_marked(copies: FlaskClient) -> None:
    page = copies.get(f"/cached?url={SITE}/song.docx&q=songs").text
    assert "It has only the text." in page
    assert '<h2 dir="auto"><mark>Songs</mark> &lt;b&gt;</h2>' in page
    assert '<p dir="auto">A <mark>song</mark> of bread</p>' in page
