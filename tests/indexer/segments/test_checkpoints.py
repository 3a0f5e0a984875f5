from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.analysis.words import TOKEN_PATTERN
from indexer.segments.schema import (
    CHECKPOINT_CHARS,
    pack_checkpoints,
    text_blocks,
    unpack_checkpoints,
    validated_checkpoints,
)

TEXTS = st.lists(st.sampled_from([
    "word", " ", "\n", "os.path.join", "C++", "C# ", "-O2", ".htaccess", "it's", "東京都は", "。",
    "、", "e-mail", "(x)",
    "́",
    "x" * 300, "\u3000", "日" * 300, "!", "a.b.", "--with-ssl ",
])).map("".join)  # fmt: skip


@given(TEXTS)
def test_a_text_in_text_blocks_has_the_same_words(text: str) -> None:
    found = list(text_blocks(text))
    assert "".join(stretch for _, stretch in found) == text
    assert all(len(stretch) >= CHECKPOINT_CHARS for _, stretch in found[:-1])
    assert [word for _, stretch in found for word in TOKEN_PATTERN.findall(stretch)] == TOKEN_PATTERN.findall(text)
    assert all(text.startswith(stretch, start) for start, stretch in found)


@given(st.lists(st.tuples(st.integers(0, 999), st.integers(0, 999))).map(sorted))
def test_landmarks_are_read_as_they_were_packed(pairs: list[tuple[int, int]]) -> None:
    checkpoints = [(char, sum(position for _, position in pairs[: at + 1])) for at, (char, _) in enumerate(pairs)]
    packed = validated_checkpoints(pack_checkpoints(checkpoints))
    assert list(zip(*unpack_checkpoints(packed), strict=True)) == checkpoints


@pytest.mark.parametrize("steps", [(1,), (-1, 2), ("x", 1), (1 << 40, 1), (None, 1), (1.5, 2)])
def test_what_can_be_no_landmarks_is_refused(steps: tuple[object, ...]) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - whatever it says
        validated_checkpoints(steps)
