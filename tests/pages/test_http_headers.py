"""Does the declared type decide, do the bytes only contradict it, and does a warning name the ignored header lines?"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.http_headers import MAX_HEADER_LINES, DocumentKind, binary_format, document_kind, header_warnings


@pytest.mark.parametrize(
    ("body", "declared", "kind"),
    [
        pytest.param(b"<p>x", "text/html", DocumentKind.HTML, id="HTML"),
        pytest.param(b"<p>x", "application/xhtml+xml", DocumentKind.HTML, id="XHTML"),
        pytest.param(b"<p>x", "text/plain", DocumentKind.TEXT, id="HTML as plain text is plain text"),
        pytest.param(b"<p>x", "image/png", DocumentKind.OTHER, id="HTML as an image is an image"),
        pytest.param(b"<p>x", "application/octet-stream", DocumentKind.OTHER, id="octet-stream is not guessed at"),
        pytest.param(b"\xef\xbb\xbf \n<!doctype html>", "", DocumentKind.HTML, id="no type, looks like markup"),
        pytest.param(b"hello", "", DocumentKind.TEXT, id="no type, looks like text"),
    ],
)
def test_the_declared_type_decides(body: bytes, declared: str, kind: DocumentKind) -> None:
    assert document_kind(body, declared) is kind


@pytest.mark.parametrize(
    ("body", "name"),
    [
        pytest.param(b"\x89PNG\r\n\x1a\n" + bytes(64), "a PNG image", id="PNG"),
        pytest.param(b"%PDF-1.7\n", "a PDF document", id="PDF"),
        pytest.param(b"MZ" + bytes(range(256)), "a Windows program", id="EXE"),
        pytest.param(bytes(range(256)), "binary data", id="anything with control characters"),
        pytest.param(b"MZ is how the text begins", "", id="text that begins like a program"),
        pytest.param(b"<title>a\0b</title><p>x\0y", "", id="a stray NUL is repaired"),
        pytest.param("\ufeff<p>wide".encode("utf-16-le"), "", id="UTF-16 has NULs"),
        pytest.param("日本語".encode("iso2022_jp"), "", id="ISO-2022-JP has ESC"),
    ],
)
def test_the_bytes_unmask_what_is_not_text(body: bytes, name: str) -> None:
    assert binary_format(body, []) == name


@pytest.mark.parametrize(
    "value",
    [
        "unavailable_after: 25 Jun 2010 15:00:00 PST",
        "otherbot: unavailable_after: Friday, 25-Jun-10 15:00:00 GMT, noindex",
        "noindex, unavailable_after: 2010-06-25",
    ],
)
def test_a_date_is_a_date(value: str) -> None:
    assert header_warnings([("x-robots-tag", value)]) == ()


def test_a_date_that_is_none_is_told() -> None:
    (told,) = header_warnings([("X-Robots-Tag", ",,;:unavailable_after: not-a-date, noindex")])
    assert "'not-a-date', which is no date" in told


def test_more_lines_than_any_server_sends_are_told() -> None:
    (told,) = header_warnings([("x-a", "b")] * (MAX_HEADER_LINES + 1))
    assert told.startswith(f"{MAX_HEADER_LINES + 1} header lines came")


@given(st.text())
def test_no_text_raises(value: str) -> None:
    assert isinstance(header_warnings([("x-robots-tag", f"unavailable_after:{value}")]), tuple)
