"""The declared type decides; the bytes only unmask."""

import pytest

from spiders.parse import media
from spiders.parse.media import Kind


@pytest.mark.parametrize(
    ("content_type", "declared"),
    [
        ("text/html; charset=utf-8", "text/html"),
        ("TEXT/HTML;;charset=;=x", "text/html"),
        ("text/html, image/png", "text/html"),
        ("", ""),
    ],
)
def test_the_declared_type_is_read_from_any_header(content_type: str, declared: str) -> None:
    assert media.declared_type(content_type) == declared


@pytest.mark.parametrize(
    ("body", "declared", "kind"),
    [
        pytest.param(b"<p>x", "text/html", Kind.HTML, id="HTML"),
        pytest.param(b"<p>x", "application/xhtml+xml", Kind.HTML, id="XHTML"),
        pytest.param(b"<p>x", "text/plain", Kind.TEXT, id="HTML as plain text is plain text"),
        pytest.param(b"<p>x", "image/png", Kind.OTHER, id="HTML as an image is an image"),
        pytest.param(b"<p>x", "application/octet-stream", Kind.OTHER, id="octet-stream is not guessed at"),
        pytest.param(b"\xef\xbb\xbf \n<!doctype html>", "", Kind.HTML, id="no type, looks like markup"),
        pytest.param(b"hello", "", Kind.TEXT, id="no type, looks like text"),
    ],
)
def test_the_declared_type_decides(body: bytes, declared: str, kind: Kind) -> None:
    assert media.kind(body, declared) is kind


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
    assert media.unmask(body, []) == name


def test_header_lines_that_are_too_long_to_be_kept_are_cut_or_left_aside() -> None:
    assert media.declared_type("9" * 200_000) == "9" * media.MAX_TYPE
    long, usual = ("etag", "e" * 200_000), ("last-modified", "Sat, 21 Nov 2026 12:00:00 GMT")
    assert media.validator([long, usual], "etag") == ""
    assert media.validator([long, usual], "last-modified") == usual[1]
