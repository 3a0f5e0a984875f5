"""An estimate, its bands, and what is too short to be judged."""

import random
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines import near_duplicates as near
from tests.child import PATIENCE
from tests.docs.conftest import ROOT
from urls.records import CanonicalUrl

WORDS = [f"word{number}" for number in range(2000)]
A, B = CanonicalUrl("http://site.example/a"), CanonicalUrl("http://site.example/b")


def text(seed: int, length: int = 400) -> str:
    return " ".join(random.Random(seed).choices(WORDS, k=length))


def changed(original: str, number: int) -> str:
    words = original.split()
    for place in range(0, number * 7, 7):
        words[place] = f"new{place}"
    return " ".join(words)


@pytest.mark.parametrize("number", [0, 1, 5, 20, 50])
def test_the_estimate_is_near_the_true_share(number: int) -> None:
    original = text(1)
    first, second = near.shingles(original), near.shingles(changed(original, number))
    true = len(first & second) / len(first | second)
    estimate = near.similarity(near.signature(original), near.signature(changed(original, number)))
    assert estimate == pytest.approx(true, abs=0.12)  # three standard errors of 128 permutations are 0.13 at worst


def test_a_page_with_one_other_word_shares_a_band_and_a_foreign_page_does_not() -> None:
    bands = set(near.bands(near.signature(text(1))))
    assert bands & set(near.bands(near.signature(changed(text(1), 1))))
    assert not bands & set(near.bands(near.signature(text(2))))


def test_a_flood_of_pages_one_word_apart_is_found() -> None:
    original = text(3, 200)
    bands = set(near.bands(near.signature(original)))
    flood = [original.replace(" ", f" new{number} ", 1) for number in range(200)]
    assert sum(bool(bands & set(near.bands(near.signature(page)))) for page in flood) >= 195


def test_signatures_are_the_same_in_every_process() -> None:
    assert len(near.signature(text(1))) == 4 * near.PERMUTATIONS
    assert near.signature("a b c d e " * 3 + " ".join(WORDS[:40])).hex()[:16] == "ab905e02fcc26b05"


def test_letter_case_and_blanks_do_not_count() -> None:
    assert near.signature(text(1)) == near.signature(text(1).upper().replace(" ", "\n  "))


@pytest.mark.parametrize("short", ["", "Chapter 1", " ".join(WORDS[:31])])
def test_short_texts_are_never_near_duplicates(short: str) -> None:
    assert near.signature(short) == b""
    assert near.bands(b"") == ()
    assert near.similarity(b"", b"") == 0.0
    assert near.nearest(b"", [(A, b"")]) is None


def test_scripts_without_blanks_are_compared_by_characters() -> None:
    original = (
        "ロボットはページを読み、検索のために単語を索引に保存します。"
        "それから次のページへのリンクをたどります。人は問いを書きます。"
    )
    other = original.replace("人", "客")
    assert near.similarity(near.signature(original), near.signature(other)) > 0.7


def test_the_nearest_is_the_most_alike_above_the_threshold() -> None:
    sketch, twin, cousin = (near.signature(page) for page in (text(1), changed(text(1), 1), changed(text(1), 6)))
    assert near.nearest(sketch, [(A, cousin), (B, twin)], threshold=0.5) == (B, 1.0)
    assert near.nearest(sketch, [(A, twin), (B, twin)], threshold=0.5) == (A, 1.0)
    assert near.nearest(sketch, [(A, near.signature(text(2)))], threshold=0.5) is None
    assert near.nearest(sketch, []) is None


def test_bands_fit_a_signed_column_and_cover_the_signature() -> None:
    count, rows = near.banding()
    assert count * rows <= near.PERMUTATIONS
    assert all(-(2**63) <= band < 2**63 for band in near.bands(near.signature(text(1))))


@pytest.mark.parametrize("threshold", [0.5, 0.7, 0.8, 0.85, 0.9, 0.95])
def test_the_bands_are_those_that_datasketch_would_choose(threshold: float) -> None:
    """In a process of its own: datasketch with the integrals of scipy, which ours does not load."""
    weights = (near.FALSE_POSITIVE_WEIGHT, near.FALSE_NEGATIVE_WEIGHT)
    code = (
        "from datasketch import MinHashLSH; "
        f"chosen = MinHashLSH(threshold={threshold}, num_perm={near.PERMUTATIONS}, weights={weights}); "
        "print(chosen.b, chosen.r)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=PATIENCE)
    assert near.banding(threshold) == tuple(map(int, done.stdout.split()))


def test_a_crawl_does_without_the_integrals_of_scipy() -> None:
    """They take 52 MB. Who needs them in the same process has them all the same."""
    code = (
        "import sys; from pipelines import near_duplicates as near; "
        "near.bands(near.signature(' '.join(map(str, range(99))))); "
        "assert 'scipy.integrate' not in sys.modules; "
        "from scipy.integrate import quad; assert quad(abs, 0, 1)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=PATIENCE, cwd=ROOT)


@given(st.text())
def test_any_text_has_a_signature_or_none(any_text: str) -> None:
    sketch = near.signature(any_text.encode(errors="replace").decode())
    assert len(sketch) in (0, 4 * near.PERMUTATIONS)
    assert not sketch or near.similarity(sketch, sketch) == 1.0
