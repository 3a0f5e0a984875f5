"""The labels of the WHATWG Encoding standard, 4.2, mean what browsers have made of them."""

import encodings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.encoding import CODECS, LABELS, MULTI_BYTE, encoding_of, fits, text_of


@pytest.mark.parametrize(
    ("label", "encoding"),
    [
        pytest.param("ISO-8859-1", "windows-1252", id="latin1 is windows-1252"),
        pytest.param(" \tLatin1\n", "windows-1252", id="in any case, with blanks around it"),
        pytest.param("us-ascii", "windows-1252", id="ASCII too"),
        pytest.param("iso-8859-9", "windows-1254", id="Turkish"),
        pytest.param("gb2312", "gb18030", id="GB 2312 is read as GB 18030"),
        pytest.param("x-gbk", "gb18030", id="GBK"),
        pytest.param("ks_c_5601-1987", "euc-kr", id="Microsoft's name for Korean"),
        pytest.param("windows-949", "euc-kr", id="its extension"),
        pytest.param("x-sjis", "shift_jis", id="Shift_JIS"),
        pytest.param("windows-31j", "shift_jis", id="its extension in Windows"),
        pytest.param("koi8-ru", "koi8-u", id="KOI8-RU"),
        pytest.param("tis-620", "windows-874", id="Thai"),
        pytest.param("utf-16", "utf-16le", id="UTF-16 is little-endian"),
        pytest.param("unicode-1-1-utf-8", "utf-8", id="an old name of UTF-8"),
        pytest.param("utf-7", "", id="UTF-7 is none: it hides markup"),
        pytest.param("hz-gb-2312", "", id="HZ is only replaced"),
        pytest.param("iso-2022-kr", "", id="and so is ISO-2022-KR"),
        pytest.param("zlib", "", id="a codec of Python that is no encoding"),
        pytest.param("latin\u00a01", "", id="a no-break space is no blank of the standard"),
    ],
)
def test_a_label_means_what_browsers_have_made_of_it(label: str, encoding: str) -> None:
    assert encoding_of(label) == encoding


def test_the_table_is_whole() -> None:
    assert len(LABELS) == 222  # 228 in the standard, without the six of `replacement`
    assert set(LABELS.values()) == set(CODECS) >= MULTI_BYTE


@given(st.binary(), st.sampled_from(sorted(CODECS)))
def test_any_bytes_can_be_decoded_and_fit_or_have_a_replaced_character(body: bytes, encoding: str) -> None:
    text = text_of(body, encoding)
    text.encode("utf-16", "surrogatepass")
    assert fits(body, encoding) or "\ufffd" in text


def test_octets_of_a_user_defined_encoding_become_private_letters() -> None:
    assert text_of(b"a\x80\xff", "x-user-defined") == "a\uf780\uf7ff"


def test_labels_that_pages_make_up_are_not_remembered_by_python() -> None:
    before = len(vars(encodings)["_cache"])
    for number in range(50):
        assert encoding_of(f"made-up-{number}") == ""
    assert len(vars(encodings)["_cache"]) == before
