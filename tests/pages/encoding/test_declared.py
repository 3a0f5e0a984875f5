"""The encoding that a document declares: the WHATWG's prescan (HTML, 13.2.3.2), and a later meta."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.encoding import LATE_BYTES, PRESCANNED_BYTES, declarations

FILLER = b"<!-- " + b"x" * PRESCANNED_BYTES + b" -->"


def encodings_of(body: bytes, *, xml: bool = False) -> list[str]:
    return [declared.encoding for declared in declarations(body, xml=xml)]


@pytest.mark.parametrize(
    ("head", "found"),
    [
        pytest.param(b"<meta charset=euc-kr>", ["euc-kr"], id="a bare value"),
        pytest.param(b"<META CHARSET = 'Shift_JIS' />", ["shift_jis"], id="any case, blanks, quotes"),
        pytest.param(
            b'<meta content="text/html; charset=EUC-KR" http-equiv="Content-Type" />', ["euc-kr"], id="http-equiv"
        ),
        pytest.param(b"<meta content='text/html; charset=euc-kr'>", [], id="content without http-equiv is none"),
        pytest.param(b"<meta/charset=koi8-r>", ["koi8-r"], id="a slash for a blank"),
        pytest.param(b"<meta charset=bogus><meta charset=koi8-r>", ["koi8-r"], id="an unknown label is passed over"),
        pytest.param(b"<meta charset=koi8-r><meta charset=euc-kr>", ["koi8-r"], id="of two, the first"),
        pytest.param(b"<meta charset=koi8-r charset=euc-kr>", ["koi8-r"], id="of two attributes, the first"),
        pytest.param(b"<!-- <meta charset=euc-kr> --><meta charset=big5>", ["big5"], id="not in a comment"),
        pytest.param(b"<!--><meta charset=big5>", ["big5"], id="a comment that is closed as it opens"),
        pytest.param(b'<p title="<meta charset=euc-kr>"><meta charset=big5>', ["big5"], id="not in a value"),
        pytest.param(b"<p title=don't><meta charset=big5>", ["big5"], id="an apostrophe in a bare value opens nothing"),
        pytest.param(b"</meta charset=euc-kr><metal charset=euc-kr>", [], id="other tags"),
        pytest.param(b"<? <meta charset=euc-kr><meta charset=big5>", ["big5"], id="a declaration ends at the first >"),
        pytest.param(b"<meta charset=utf-16le>", ["utf-8"], id="what can be read as ASCII is not UTF-16"),
        pytest.param(b"<meta charset=x-user-defined>", ["windows-1252"], id="x-user-defined in a meta"),
        pytest.param(b'<meta charset="euc-kr', ["euc-kr"], id="cut off by the end of the file"),
        pytest.param(b'<?xml version="1.0" encoding="EUC-KR"?>', ["euc-kr"], id="an XML declaration"),
        pytest.param(b"<?xml encoding='utf-16'?>", ["utf-8"], id="which can be read as ASCII, too"),
        pytest.param(b'<?xml encoding="euc-kr"?><meta charset=big5>', ["big5", "euc-kr"], id="a meta before XML"),
        pytest.param(b'<p><?xml encoding="euc-kr"?>', [], id="an XML declaration stands first or is none"),
        pytest.param('<?xml version="1.0"?>'.encode("utf-16-le"), ["utf-16le"], id="XML in UTF-16 without a mark"),
        pytest.param('<?xml version="1.0"?>'.encode("utf-16-be"), ["utf-16be"], id="the other way round"),
    ],
)
def test_a_declaration_is_found_where_browsers_find_it(head: bytes, found: list[str]) -> None:
    assert encodings_of(head) == found


def test_a_meta_beyond_the_first_1024_bytes_counts_last_and_says_where_it_stands() -> None:
    body = b'<?xml encoding="big5"?>' + FILLER + b"<meta charset=euc-kr>"
    assert encodings_of(body) == ["big5", "euc-kr"]
    (*_, late) = declarations(body)
    assert late.where == f"a meta element says so, at byte {body.index(b'<meta')}"


def test_a_meta_beyond_the_bound_is_not_looked_for() -> None:
    assert encodings_of(b"<!-- " + b"x" * LATE_BYTES + b" --><meta charset=euc-kr>") == []


def test_the_xml_declaration_of_xhtml_leads() -> None:
    assert encodings_of(b'<?xml encoding="euc-kr"?><meta charset=big5>', xml=True) == ["euc-kr", "big5"]


@given(
    st.lists(st.sampled_from([b"<meta ", b"charset=", b"euc-kr", b'"', b"'", b">", b"<", b"<!--", b"-->", b"/", b"x "]))
)
def test_no_markup_makes_it_raise_or_name_what_is_no_encoding(pieces: list[bytes]) -> None:
    assert set(encodings_of(b"".join(pieces))) <= {"euc-kr"}


@pytest.mark.parametrize("piece", [b"<meta charset=", b'<a "', b"<a x='", b"<!--", b"<meta charset=x ", b"<a/"])
def test_hostile_markup_is_looked_at_once(piece: bytes) -> None:
    body = b"charset" + piece * (LATE_BYTES // len(piece))
    assert encodings_of(body) == []  # in milliseconds: quadratic patterns would take minutes
