# ruff: noqa: RUF001 — letters of other scripts are what this is about
"""The WHATWG Encoding standard's order, and the two repairs beyond it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiders.parse import encoding
from spiders.parse.encoding.labels import CODECS

RUSSIAN = "Привет, это страница на русском языке, и она о поисковых машинах"


@pytest.mark.parametrize(
    ("body", "content_type", "name", "text"),
    [
        pytest.param("\ufeffпривет".encode(), "text/html; charset=koi8-r", "utf-8", "привет", id="BOM before HTTP"),
        pytest.param("\ufeff한국".encode("utf-16-le"), "text/html", "utf-16le", "한국", id="UTF-16 by its BOM"),
        pytest.param(
            b"<meta charset=utf-8>" + "Привет".encode("koi8-r"), "text/html; charset=koi8-r", "koi8-r",
            "<meta charset=utf-8>Привет", id="HTTP before meta",
        ),
        pytest.param(
            b'<meta charset="euc-kr">' + "검색".encode("euc-kr"), "text/html", "euc-kr", '<meta charset="euc-kr">검색',
            id="meta where HTTP is silent",
        ),
        pytest.param("größer".encode(), "text/html", "utf-8", "größer", id="undeclared UTF-8"),
        pytest.param("größer als ein Baum".encode("cp1252"), "text/html", "windows-1252", "größer als ein Baum",
                     id="the fallback: windows-1252"),
        pytest.param(RUSSIAN.encode("cp1251"), "text/html", "windows-1251", RUSSIAN,
                     id="undeclared Cyrillic is measured"),
        pytest.param(RUSSIAN.encode(), "text/html; charset=iso-8859-1", "utf-8", RUSSIAN,
                     id="a one-byte label on flawless UTF-8 is a default"),
        pytest.param("é".encode("latin-1"), "text/html; charset=latin1", "windows-1252", "é",
                     id="latin1 is windows-1252"),
        pytest.param("表".encode("cp932"), "text/html; charset=x-sjis", "shift_jis", "表", id="old label"),
        pytest.param(b"<meta charset=utf-16>a", "text/html", "utf-8", "<meta charset=utf-16>a",
                     id="a meta that could be read is not UTF-16"),
    ],
)  # fmt: skip
def test_the_order_of_evidence(body: bytes, content_type: str, name: str, text: str) -> None:
    decoded = encoding.decode(body, content_type=content_type)
    assert (decoded.encoding, decoded.text) == (name, text)


@pytest.mark.parametrize(
    "label", ["utf-7", "zlib_codec", "idna", "rot13", "unicode_escape", "hz", "undefined", "bogus-9000"]
)
def test_codecs_that_are_not_of_the_web_are_never_used(label: str) -> None:
    decoded = encoding.decode(b"+ADw-script+AD4-", content_type=f"text/html; charset={label}")
    assert (decoded.encoding, decoded.text) == ("utf-8", "+ADw-script+AD4-")
    assert decoded.warnings


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"<p>\xc0\xbcscript>", id="overlong"),
        pytest.param(b"<p>\xed\xa0\x80", id="surrogate"),
        pytest.param(b"<p>\xff\xc3(", id="invalid"),
    ],
)
def test_broken_utf8_becomes_replacement_characters(body: bytes) -> None:
    decoded = encoding.decode(body, content_type="text/html; charset=utf-8")
    assert "\ufffd" in decoded.text
    assert "<script" not in decoded.text
    assert "stand as U+FFFD" in decoded.warnings[-1]


def test_nuls_are_taken_out_and_told() -> None:
    assert encoding.decode(b"a\0b").text == "ab"
    assert encoding.decode(b"a\0b").warnings == ("NUL characters were taken out",)


@given(st.binary(), st.sampled_from(["", *CODECS, "x", "zlib"]), st.booleans())
def test_any_bytes_under_any_label_become_storable_text(body: bytes, label: str, markup: bool) -> None:
    text = encoding.decode(body, content_type=f"text/html; charset={label}", markup=markup).text
    assert "\0" not in text
    text.encode()  # no lone surrogates
