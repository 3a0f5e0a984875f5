"""Does the fast network say what the one in numpy says? Needs the extra: ./breadcrumb index --meaning installs it."""

from __future__ import annotations

import hashlib
import shutil
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from extensions.meaning.encoder import (
    BEGIN,
    END,
    PACKAGE,
    SUMS,
    WEIGHTS_FILE,
    MeaningFault,
    MiniLM,
    Network,
    checked_content,
    model_folder,
    read_weights,
)
from tests.extensions.meaning.networks import HEADS, tiny_weights
from tests.extensions.meaning.numpy_transformer import sentence_vector

NEEDED = ("ctranslate2", "tokenizers", PACKAGE)
MISSING = [name for name in NEEDED if find_spec(name) is None]
extra = pytest.mark.skipif(
    bool(MISSING), reason=f"the reading by meaning is an extra of 130 MB, not installed here: no {', '.join(MISSING)}"
)
SENTENCES = ("Rye needs warmth.", "How do I reset a forgotten password?", "The quick brown fox. " * 20)


@extra
def test_eight_bits_on_a_tiny_network_are_near_to_the_numbers_in_numpy() -> None:
    weights, texts = tiny_weights(), [(1, 7, 3, 7, 2), (4, 4), tuple(range(30))]
    exact = np.array([sentence_vector(weights, text, HEADS) for text in texts])
    assert (Network(weights, HEADS).vectors(texts) * exact).sum(axis=1).min() > 0.98


@extra
def test_the_real_network_reads_as_numpy_does_and_tells_likeness() -> None:
    encoder, weights = MiniLM(), read_weights(checked_content(model_folder() / WEIGHTS_FILE))
    tokens = [encoder.pieces(text).tokens[:100] for text in SENTENCES]
    exact = np.array([sentence_vector(weights, [BEGIN, *each, END]) for each in tokens])
    found = encoder.vectors(tokens)
    assert (found * exact).sum(axis=1).min() > 0.99
    asked = encoder.vectors([encoder.pieces("I cannot remember my login").tokens])[0]
    assert np.argmax(found @ asked) == 1


@extra
def test_pieces_say_where_they_stand() -> None:
    text = "Unbelievable sourdough, café!"
    pieces = MiniLM().pieces(text)
    assert "".join(text[begin:end] for begin, end in pieces.spans) == text.replace(" ", "")


@extra
def test_a_file_with_one_other_bit_is_refused(tmp_path: Path) -> None:
    copy = Path(shutil.copy(model_folder() / WEIGHTS_FILE, tmp_path))
    content = bytearray(copy.read_bytes())
    content[len(content) // 2] ^= 1
    copy.write_bytes(content)
    with pytest.raises(MeaningFault, match="not the file that was published"):
        checked_content(copy)


def test_a_file_of_another_content_is_refused_with_both_sums(tmp_path: Path) -> None:
    (tmp_path / WEIGHTS_FILE).write_bytes(b"other weights")
    with pytest.raises(MeaningFault) as told:
        checked_content(tmp_path / WEIGHTS_FILE)
    assert hashlib.sha256(b"other weights").hexdigest() in str(told.value)
    assert SUMS[WEIGHTS_FILE] in str(told.value)


def test_weights_are_read_as_they_were_written() -> None:
    header = b'{"__metadata__":{"a":"b"},"w":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]}}'
    content = len(header).to_bytes(8, "little") + header + np.array([1.5, -2], "<f4").tobytes()
    assert read_weights(content)["w"].tolist() == [[1.5], [-2.0]]


@pytest.mark.skipif(not MISSING, reason="the extra is installed here: nothing is missing that could be told")
def test_without_the_extra_it_is_said_what_installs_it() -> None:
    with pytest.raises(MeaningFault, match=r"\./breadcrumb index --meaning"):
        MiniLM()
