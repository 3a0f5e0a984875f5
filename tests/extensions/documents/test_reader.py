"""Documents are read in a process that may die; whatever the file is, the caller gets a result in time."""

from __future__ import annotations

import os
import pickle
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extensions.documents.office import MAX_PARTS, MAX_UNPACKED, _Archive
from extensions.documents.reader import DocumentLimits, DocumentProcess, reader_within
from pages import FetchedBody, parse_page
from pages.documents import DocumentReaders, DocumentText, page_of_document
from pages.http_headers import DOCUMENT_TYPE_OF, PDF
from tests.extensions.documents.made import archive, bomb, docx, million_pages, odt, pdf, pptx, swelling_pdf
from urls.records import CanonicalUrl, Link, Page
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

URL = CanonicalUrl("http://site.example/papers/rye")
WORD = DOCUMENT_TYPE_OF["docx"]
CREATED, MODIFIED = 1767323045.0, 1770091506.0  # 2026-01-02 03:04:05 UTC and 2026-02-03 04:05:06 UTC
READER = reader_within(DocumentLimits())
READERS = DocumentReaders((READER,))
ENOUGH = DocumentLimits(pages=50, seconds=60.0, megabytes=512)


@pytest.fixture(scope="module")
def reader() -> Iterator[DocumentProcess]:
    with DocumentProcess(ENOUGH) as made:
        yield made


@pytest.fixture(autouse=True, scope="module")
def _no_worker_is_left() -> Iterator[None]:
    yield
    READER.close()


def page_of(body: bytes, content_type: str, *headers: tuple[str, str]) -> Page:
    return parse_page(FetchedBody(body, URL, [("content-type", content_type), *headers]), documents=READERS)


LINK = "http://site.example/more"


@pytest.mark.parametrize(
    ("ending", "body", "title", "headings", "text"),
    [
        pytest.param("pdf", pdf("Rye bread\nkeeps for a week", "Page two", title="On rye", link=LINK),
                     "On rye", (),
                     "Rye bread\nkeeps for a week\nPage two", id="PDF"),
        pytest.param("docx", docx("Rye bread", "keeps", title="On rye", heading="Loaves", link=LINK), "On rye",
                     ("Loaves",),
                     "Loaves\nRye bread\nkeeps\na link", id="Word"),
        pytest.param("odt", odt("Rye bread", "keeps", title="On rye", heading="Loaves", link=LINK), "On rye",
                     ("Loaves",),
                     "Loaves\nRye bread\nkeeps\na link", id="OpenDocument"),
        pytest.param("pptx", pptx(("Loaves", "Rye bread"), ("Rolls", "Wheat"), title="On rye"), "On rye",
                     ("Loaves", "Rolls"),
                     "Loaves\nRye bread\nRolls\nWheat", id="PowerPoint"),
    ],
)  # fmt: skip
def test_a_document_is_a_page(ending: str, body: bytes, title: str, headings: tuple[str, ...], text: str) -> None:
    page = page_of(body, DOCUMENT_TYPE_OF[ending])
    assert (page.title, page.headings, page.text, page.refusals) == (title, headings, text, ())
    if ending != "pptx":
        assert LINK in [link.url for link in page.links]


def test_half_a_character_in_the_metadata_of_a_pdf_costs_no_page() -> None:
    page = page_of(pdf("Rye bread", title=r"\376\377\000R\000y\000e\330\075"), PDF)  # UTF-16: an emoji that was cut
    assert (page.title, page.text, page.refusals) == ("Rye\ufffd", "Rye bread", ())


def test_a_document_without_a_title_is_called_by_its_first_heading_or_line() -> None:
    assert page_of(docx("First words", heading="Loaves"), WORD).title == "Loaves"
    assert page_of(pdf("First words"), PDF).title == "First words"
    assert page_of(docx("First words", title="\u200b"), WORD).title == "First words"  # it would show nothing


@pytest.mark.parametrize(
    ("ending", "body"),
    [("pdf", pdf("x")), ("docx", docx("x")), ("pptx", pptx(("a", "b")))],
    ids=["pdf", "docx", "pptx"],
)
def test_the_dates_of_the_metadata_are_told(reader: DocumentProcess, ending: str, body: bytes) -> None:
    said = reader.read(body, DOCUMENT_TYPE_OF[ending])
    offset = 3600.0 if ending == "pdf" else 0.0  # its ModDate is of another time zone
    assert (said.published, said.modified) == (CREATED, MODIFIED - offset)
    page = page_of(body, DOCUMENT_TYPE_OF[ending])
    assert (page.published, page.published_by) == (CREATED, "the metadata of its file")


def test_a_date_that_cant_be_true_is_not_believed() -> None:
    answer = FetchedBody(pdf("x"), URL, [("content-type", PDF)], fetched_at=CREATED - 10 * 86400)
    page = parse_page(answer, documents=READERS)
    assert (page.published, page.modified) == (None, None)


def test_the_language_of_a_document_is_known_by_its_words() -> None:
    words = "Roggenbrot hält eine Woche. Die Kruste ist dunkel und die Krume ist dicht und feucht."
    assert page_of(docx(words), WORD).language == "de"


def test_x_robots_tag_holds_for_a_document() -> None:
    page = page_of(pdf("x", link=LINK), PDF, ("X-Robots-Tag", "noindex, nofollow"))
    assert not page.controls.index
    assert all(link.nofollow for link in page.links)


def test_the_words_of_a_link_in_a_document_are_its_text() -> None:
    assert page_of(docx("x", link=LINK), WORD).links == (Link(LINK, "a link"),)


ENCRYPT = f"/Encrypt << /Filter /Standard /V 1 /R 2 /O <{'ab' * 32}> /U <{'cd' * 32}> /P -4 >> /ID [<01> <01>]"
BOMB = "<!DOCTYPE w [<!ENTITY a 'aaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;'>]>"


@pytest.mark.parametrize(
    ("content_type", "body", "fault"),
    [
        pytest.param(PDF, b"<html><p>words", "and the bytes are none", id="HTML that calls itself PDF"),
        pytest.param(WORD, pdf("x"), "and the bytes are none", id="PDF that calls itself Word"),
        pytest.param(PDF, docx("x"), "and the bytes are none", id="Word that calls itself PDF"),
        pytest.param(WORD, archive(a_dot_txt="x"), "neither a text document nor slides", id="a ZIP archive"),
        pytest.param(PDF, pdf("x", trailer=ENCRYPT), "it needs a password", id="encrypted"),
        pytest.param(PDF, b"%PDF-1.4\nbroken off", "it is damaged", id="PDF that breaks off"),
        pytest.param(WORD, docx("x" * 1000)[:300], "it is no ZIP archive, or a broken one", id="Word that breaks off"),
        pytest.param(WORD, bomb(MAX_UNPACKED + 1), "it unpacks to more than", id="zip bomb"),
        pytest.param(WORD, docx("x", prolog=BOMB), "it has a DOCTYPE", id="entities in Word"),
        pytest.param(WORD, docx(document="<w:document><w:body>" + "<w:p>" * 300), "deep within each other", id="depth"),
        pytest.param(
            WORD,
            docx(document="<w:document><w:body><w:p>"),
            "its part word/document.xml: its XML is broken",
            id="XML that breaks off",
        ),
    ],
)
def test_what_cant_be_read_is_refused_with_its_reason_and_kept(content_type: str, body: bytes, fault: str) -> None:
    page = page_of(body, content_type)
    [refusal] = page.refusals
    assert refusal.rule is Rule.DOCUMENT
    assert fault in refusal.reason
    assert (page.text, page.body) == ("", body)


def test_broken_metadata_or_links_cost_no_text(reader: DocumentProcess) -> None:
    broken = dict.fromkeys(("docProps__core_dot_xml", "word___rels__document_dot_xml_dot_rels"), "<a><")
    said = reader.read(archive(word__document_dot_xml="<document><p><t>Rye bread</t></p></document>", **broken), WORD)
    assert (said.lines, said.fault) == (("Rye bread",), "")
    [warning] = said.warnings
    assert warning.startswith("2 parts with metadata or links left out: its part docProps/core.xml: its XML is broken")


def test_the_parts_of_an_archive_are_looked_up_and_not_looked_through() -> None:
    body = archive(**dict.fromkeys((f"ppt__slides__slide{number}_dot_xml" for number in range(MAX_PARTS)), ""))
    begin = time.process_time()
    opened = _Archive(body)
    opening = time.process_time() - begin
    begin = time.process_time()
    assert {opened.part(f"ppt/slides/_rels/slide{number}.xml.rels") for number in range(MAX_PARTS)} == {None}
    assert time.process_time() - begin < opening


def test_pdf_bytes_that_call_themselves_html_are_unmasked() -> None:
    [refusal] = page_of(pdf("x"), "text/html").refusals
    assert (refusal.rule, refusal.reason) == (
        Rule.BINARY,
        "the server says text/html, but the bytes are a PDF document",
    )


def test_a_pdf_of_a_million_pages_is_read_as_far_as_the_limit(reader: DocumentProcess) -> None:
    said = reader.read(million_pages(), PDF)
    assert said.lines == ("A page among a million",) * ENOUGH.pages
    assert said.warnings == (f"it has 1,000,000 pages: only the first {ENOUGH.pages} were read",)


def test_a_script_in_a_pdf_is_not_run(reader: DocumentProcess) -> None:
    script = "/OpenAction << /S /JavaScript /JS (app.alert(1); this.title = 'owned') >>"
    said = reader.read(pdf("Words", title="Fine", catalog=script), PDF)
    assert (said.title, said.lines, said.fault) == ("Fine", ("Words",), "")


def test_a_worker_that_dies_costs_one_file_and_the_next_one_gets_another() -> None:
    with DocumentProcess(ENOUGH) as reader:
        assert reader.read(docx("one"), WORD).lines == ("one",)
        first = reader._process
        assert first is not None
        os.kill(first.pid, signal.SIGKILL)
        first.wait()
        assert reader.read(docx("two"), WORD).lines == ("two",)
        second = reader._process
        assert second is not None
        assert second.pid != first.pid
        os.kill(second.pid, signal.SIGSTOP)  # and one that dies while it reads
        reader.limits = DocumentLimits(seconds=0.2)
        said = reader.read(docx("three"), WORD)
        assert said.fault == "it was not read within 0.2 s (DOCUMENT_SECONDS): its reader was ended"
        reader.limits = ENOUGH
        assert reader.read(docx("four"), WORD).lines == ("four",)
    assert reader._process is None


@pytest.mark.slow
def test_a_file_that_needs_too_much_memory_costs_itself_alone() -> None:
    with DocumentProcess(DocumentLimits(seconds=60.0, megabytes=256)) as reader:
        said = reader.read(swelling_pdf(300_000_000), PDF)
        assert said.fault or said.lines == (), "it is refused, or read without the swelling"
        assert reader.read(docx("and the next one"), WORD).lines == ("and the next one",)


def test_a_worker_ends_with_its_parent_and_inherits_nothing_of_it() -> None:
    reader = DocumentProcess(ENOUGH)
    reader.read(docx("x"), WORD)
    process = reader._process
    assert process is not None
    assert process.stdin is not None
    assert process.stdout is not None
    environment = Path(f"/proc/{process.pid}/environ")
    assert not environment.exists() or b"HOME" not in environment.read_bytes()
    process.stdin.close()
    assert process.wait(60) == 0
    process.stdout.close()


def test_a_fork_does_not_speak_to_the_worker_of_its_parent() -> None:
    with DocumentProcess(ENOUGH) as reader:
        reader.read(docx("x"), WORD)
        parents = reader._process
        reader._owner = 0  # as a fork sees it
        assert reader.read(docx("fork"), WORD).lines == ("fork",)
        assert reader._process is not parents
        assert parents is not None
        parents.kill()


def test_without_pages_no_document_is_read() -> None:
    reader = DocumentProcess(DocumentLimits(pages=0))
    [refusal] = page_of_document(
        Page(URL, "", "", content_type=PDF, body=pdf("x")), DocumentReaders((reader,))
    ).refusals
    assert (refusal.rule, reader._process) == (Rule.TYPE, None)
    assert "DOCUMENT_PAGES is 0" in refusal.reason


GOOD = [pdf("Words", title="T", link=LINK), docx("Words", heading="H", link=LINK), odt("Words"), pptx(("a", "b"))]


@pytest.mark.slow
@settings(max_examples=60)
@given(st.sampled_from(GOOD), st.integers(0, 2000), st.integers(0, 60), st.binary(max_size=40))
def test_a_damaged_document_is_read_or_refused(
    reader: DocumentProcess, body: bytes, at: int, lost: int, put: bytes
) -> None:
    damaged = body[:at] + put + body[at + lost :]
    said = reader.read(damaged, PDF if body is GOOD[0] else WORD)
    assert isinstance(said, DocumentText)


def test_a_stored_document_is_read_again_as_it_was() -> None:
    body = pdf("Words", title="T")
    first = page_of(body, PDF)
    stored = FetchedBody(body, URL, (("content-type", PDF),), 200, 0.0)
    again = parse_page(stored, agent="Breadcrumb", documents=READERS)
    assert (again.title, again.text, again.refusals) == (first.title, first.text, ()) == ("T", "Words", ())


def test_a_process_that_is_given_the_reader_has_one_of_its_own() -> None:
    given = pickle.loads(pickle.dumps(reader_within(ENOUGH)))
    assert given is reader_within(ENOUGH) is not READER
    assert str(ENOUGH) in repr(given)
