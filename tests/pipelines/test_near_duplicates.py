"""A signature represents a text, and a text that is too short has none."""

import random
import subprocess
import sys
import zlib

import pytest
from datasketch import MinHash
from hypothesis import given
from hypothesis import strategies as st

from pages.content.similarity import ALPHABET, MIN_SHINGLES, ORDERS, THRESHOLD, resemblance, shingles, similarity
from pipelines.duplicates import SEED, signature
from tests.child import PATIENCE
from tests.docs.conftest import ROOT

WORDS = [f"word{number}" for number in range(2000)]


def text(seed: int, length: int = 400) -> str:
    return " ".join(random.Random(seed).choices(WORDS, k=length))


def changed(original: str, number: int) -> str:
    words = original.split()
    for place in range(0, number * 7, 7):
        words[place] = f"new{place}"
    return " ".join(words)


@pytest.mark.parametrize("number", [0, 1, 5, 20, 50])
def test_the_estimate_is_near_the_true_share(number: int) -> None:
    original, other = text(1), changed(text(1), number)
    # Three standard errors of 128 orders are 0.13 at worst.
    assert similarity(signature(original), signature(other)) == pytest.approx(resemblance(original, other), abs=0.12)


def test_one_word_in_ten_makes_no_other_page_and_another_text_does() -> None:
    original = text(1)
    assert similarity(signature(original), signature(changed(original, 40))) > THRESHOLD
    assert similarity(signature(original), signature(text(2))) < 0.1


def test_signatures_are_the_same_in_every_process() -> None:
    assert len(signature(text(1))) == ORDERS
    assert signature("a b c d e " * 3 + " ".join(WORDS[:40])).hex()[:16] == "abfc5e4271ad769a"


def test_letter_case_and_blanks_do_not_count() -> None:
    assert signature(text(1)) == signature(text(1).upper().replace(" ", "\n  "))


@pytest.mark.parametrize("short", ["", "Chapter 1", " ".join(WORDS[:31])])
def test_short_texts_have_no_signature(short: str) -> None:
    assert signature(short) == b""


def test_scripts_without_blanks_are_compared_by_characters() -> None:
    original = (
        "ロボットはページを読み、検索のために単語を索引に保存します。"
        "それから次のページへのリンクをたどります。人は問いを書きます。"
    )
    assert similarity(signature(original), signature(original.replace("人", "客"))) > 0.7


def test_a_crawl_does_without_datasketch_and_scipy() -> None:
    """They take 0.1 s at each start, and scipy's integrals 52 MB."""
    code = (
        "import sys; from pipelines.duplicates import signature; "
        "from pages.content.similarity import banding; banding(); assert signature(' '.join(map(str, range(99)))); "
        "assert not {'datasketch', 'scipy'} & sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=PATIENCE, cwd=ROOT)


@given(st.text())
def test_any_text_has_a_signature_or_none(any_text: str) -> None:
    sketch = signature(any_text.encode(errors="replace").decode())
    assert len(sketch) in (0, ORDERS)
    assert not sketch or similarity(sketch, sketch) == 1.0


@given(st.integers(0, 1000), st.integers(1, 900))
def test_a_signature_is_what_the_library_makes_of_the_same_word_groups(seed: int, length: int) -> None:
    words = text(seed, length)
    sketch = MinHash(num_perm=ORDERS, seed=SEED, hashfunc=zlib.crc32, scheme="affine32")
    sketch.update_batch(shingles(words))
    expected = bytes((sketch.hashvalues % ALPHABET).astype("u1").tobytes())
    assert signature(words) == (expected if len(shingles(words)) >= MIN_SHINGLES else b"")
