# ruff: noqa: RUF001 — letters of other scripts are what this is about
"""The WHATWG Encoding standard's order, and the two repairs beyond it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages import encoding
from pages.encoding import CODECS

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


HEAD = b"<title>x</title><p>"


@pytest.mark.parametrize(
    ("body", "content_type", "name", "reason"),
    [
        pytest.param("\ufeffпривет".encode(), "", "utf-8", "the file begins with its byte order mark", id="mark"),
        pytest.param(RUSSIAN.encode("koi8-r"), "text/html; charset=koi8-r", "koi8-r",
                     "the Content-Type header says so", id="header"),
        pytest.param(b"<meta charset=koi8-r>" + RUSSIAN.encode("koi8-r"), "text/html", "koi8-r",
                     "a meta element says so", id="meta"),
        pytest.param(b"<!-- " + b"x" * 2000 + b" --><meta charset=koi8-r>" + RUSSIAN.encode("koi8-r"), "text/html",
                     "koi8-r", "a meta element says so, at byte 2009", id="a late meta"),
        pytest.param(b'<?xml encoding="koi8-r"?>' + RUSSIAN.encode("koi8-r"), "application/xhtml+xml", "koi8-r",
                     "its XML declaration says so", id="XML declaration"),
        pytest.param(b"plain", "text/html", "utf-8", "nothing is declared, and all bytes are ASCII", id="ASCII"),
        pytest.param(RUSSIAN.encode(), "text/html", "utf-8", "no label counts, and the bytes are flawless UTF-8",
                     id="undeclared UTF-8"),
        pytest.param(RUSSIAN.encode(), "text/html; charset=iso-8859-1", "utf-8",
                     "the bytes are flawless UTF-8, whatever their label says (windows-1252)", id="a server's default"),
        pytest.param(HEAD + "Ωρα".encode("cp1253"), "text/html", "windows-1252",
                     "no label counts, and the bytes show nothing clearly: the default of browsers in the west",
                     id="too little to tell"),
        pytest.param("“It’s” – “so”".encode("cp1252"), "text/html", "windows-1252",
                     "no label counts, and read so what is beyond ASCII is signs that texts have", id="signs"),
        pytest.param("テスト".encode("iso2022_jp"), "text/html", "iso-2022-jp",
                     "nothing is declared, and the bytes have the escapes of this encoding", id="ISO-2022-JP"),
    ],
)  # fmt: skip
def test_the_reason_is_what_decided(body: bytes, content_type: str, name: str, reason: str) -> None:
    decoded = encoding.decode(body, content_type=content_type)
    assert (decoded.encoding, decoded.reason) == (name, reason)


@pytest.mark.parametrize(
    ("body", "content_type", "name", "warning"),
    [
        pytest.param(b"<meta charset=euc-kr>" + "검색 엔진".encode("euc-kr"), "text/html; charset=utf-8", "euc-kr",
                     "labelled utf-8 first, but a meta element says so, and the bytes fit euc-kr",
                     id="a wrong header, a right meta"),
        pytest.param(b"<meta charset=shift_jis>" + "検索".encode("cp932"), "text/html; charset=ISO-8859-1",
                     "shift_jis", "labelled windows-1252 first", id="a server's latin1, a right meta"),
        pytest.param(b"<meta charset=windows-1251>" + RUSSIAN.encode("cp1251"), "text/html; charset=iso-8859-1",
                     "windows-1251", "labelled windows-1252 first", id="latin1 against another of one byte"),
        pytest.param(RUSSIAN.encode("cp1251"), "text/html; charset=utf-8", "windows-1251",
                     "labelled utf-8, but most of the bytes do not fit it: left aside", id="a wrong label alone"),
        pytest.param(("한국어 " * 5).encode(), "text/html; charset=euc-kr", "utf-8",
                     "labelled euc-kr, but the bytes are UTF-8", id="a wrong label of several bytes a letter"),
    ],
)  # fmt: skip
def test_a_label_that_the_bytes_do_not_fit_gives_way_and_that_is_told(
    body: bytes, content_type: str, name: str, warning: str
) -> None:
    decoded = encoding.decode(body, content_type=content_type)
    assert decoded.encoding == name
    assert "\ufffd" not in decoded.text
    assert decoded.warnings[0].startswith(warning)


def test_a_few_bad_bytes_do_not_shake_a_declaration() -> None:
    body = ("größer " * 20).encode() + b"\xff\xfe\xfa"
    decoded = encoding.decode(body, content_type="text/html; charset=utf-8")
    assert (decoded.encoding, decoded.text.count("größer")) == ("utf-8", 20)
    assert decoded.warnings == ("3 places do not fit utf-8 and stand as U+FFFD",)


def test_ascii_that_is_called_utf16_is_ascii() -> None:
    assert encoding.decode(b"<p>plain", content_type="text/html; charset=utf-16").text == "<p>plain"
    assert encoding.decode("<p>plain".encode("utf-16-le"), content_type="text/html; charset=utf-16").text == "<p>plain"
