"""How is a PDF read? pypdfium2, the reader of Chromium, takes text, links and metadata, page by page within a bound.

Scripts and forms in a PDF never run: there is no form environment. A file that needs a password is not read. Reading
ends after enough pages, or enough text. A warning reports the rest.
"""

from __future__ import annotations

import ctypes
import re
from datetime import UTC, datetime, timedelta, timezone

import pypdfium2
import pypdfium2.raw as pdfium

from extensions.documents.office import MAX_LINKS, MAX_TITLE_CHARS, Extract, NotReadable, in_one_line
from urls.wording import counted

_DATE = re.compile(
    r"(?:D:)?([0-9]{4})([0-9]{2})?([0-9]{2})?([0-9]{2})?([0-9]{2})?([0-9]{2})?(?:Z|([+-])([0-9]{2})'?([0-9]{2})?)?"
)
_HYPHEN = re.compile(r"[\u00ad\ufffe]\r?\n?")  # pdfium's sign for a word that was divided at the end of a line
_MAX_URL_BYTES = 4096


def read_pdf(body: bytes, max_pages: int) -> Extract:
    """Read a PDF. Raises NotReadable."""
    try:
        document = pypdfium2.PdfDocument(body)
    except pypdfium2.PdfiumError as error:
        raise NotReadable("it needs a password" if "assword" in str(error) else f"it is damaged ({error})") from error
    extract = Extract(pages=len(document))
    if not extract.pages:
        raise NotReadable("it has no pages")
    extract.title = in_one_line(_metadata(document, b"Title"))[:MAX_TITLE_CHARS]
    extract.published, extract.modified = (
        pdf_moment(_metadata(document, b"CreationDate")),
        pdf_moment(_metadata(document, b"ModDate")),
    )
    damaged = 0
    for number in range(min(extract.pages, max_pages)):
        try:
            is_room = _read_page(document, number, extract)
        except pypdfium2.PdfiumError:
            damaged += 1
            continue
        if not is_room:
            extract.warnings.append(f"its text is longer than is kept: pages after {number + 1} were left out")
            break
    if damaged:
        extract.warnings.append(f"{counted(damaged, 'damaged page')} left out")
    if extract.pages > max_pages:
        extract.warnings.append(f"it has {counted(extract.pages, 'page')}: only the first {max_pages} were read")
    return extract


def _metadata(document: pypdfium2.PdfDocument, key: bytes) -> str:
    """Return a value of the metadata; pypdfium2's own call fails on half a character, such as a cut emoji."""
    size = pdfium.FPDF_GetMetaText(document.raw, key, None, 0)
    buffer = ctypes.create_string_buffer(size)
    pdfium.FPDF_GetMetaText(document.raw, key, buffer, size)
    return buffer.raw[:-2].decode("utf-16-le", "replace")  # without its NUL


def _read_page(document: pypdfium2.PdfDocument, number: int, extract: Extract) -> bool:
    page = document[number]
    try:
        words = page.get_textpage()
        try:
            text = _HYPHEN.sub("", words.get_text_range(errors="ignore"))
            _read_links(document, page, extract)
        finally:
            words.close()
    finally:
        page.close()
    return all(extract.add(line) for line in text.splitlines())


def _read_links(document: pypdfium2.PdfDocument, page: pypdfium2.PdfPage, extract: Extract) -> None:
    """Take the targets of a page's link annotations."""
    place, link = ctypes.c_int(0), pdfium.FPDF_LINK()
    while len(extract.links) < MAX_LINKS and pdfium.FPDFLink_Enumerate(page.raw, place, link):
        action = pdfium.FPDFLink_GetAction(link)
        if not action or pdfium.FPDFAction_GetType(action) != pdfium.PDFACTION_URI:
            continue
        size = pdfium.FPDFAction_GetURIPath(document.raw, action, None, 0)
        if 1 < size <= _MAX_URL_BYTES:
            buffer = ctypes.create_string_buffer(size)
            pdfium.FPDFAction_GetURIPath(document.raw, action, buffer, size)
            extract.links.append((buffer.value.decode("utf-8", "replace"), ""))


def pdf_moment(text: str) -> float | None:
    """Return a date of PDF (ISO 32000-1, 7.9.4) in seconds since the epoch; None if it is invalid."""
    match = _DATE.match(text.strip())
    if match is None:
        return None
    year, month, day, hour, minute, second, sign, hours, minutes = match.groups()
    offset = timedelta(hours=int(hours or 0), minutes=int(minutes or 0)) * (-1 if sign == "-" else 1)
    try:
        zone = timezone(offset) if sign else UTC
        read = datetime(
            int(year), int(month or 1), int(day or 1), int(hour or 0), int(minute or 0), int(second or 0), tzinfo=zone
        )
        return read.timestamp()
    except (ValueError, OverflowError):
        return None
