"""Networks for tests: a tiny one with random weights, and an encoder that counts words."""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np

from extensions.meaning.encoder import Pieces

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from extensions.meaning.encoder import Weights

HEADS, LAYERS, WIDTH, NEURONS, VOCABULARY, PLACES = 4, 2, 32, 64, 50, 40


def tiny_weights(seed: int = 11) -> Weights:
    """Return weights of the shapes that BERT has, only smaller; arrays of 32-bit floats by name."""
    random = np.random.default_rng(seed)
    square = (WIDTH, WIDTH)
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (VOCABULARY, WIDTH),
        "embeddings.position_embeddings.weight": (PLACES, WIDTH),
        "embeddings.token_type_embeddings.weight": (2, WIDTH),
    }
    linear = {"attention.self.query": square, "attention.self.key": square, "attention.self.value": square}
    linear |= {
        "attention.output.dense": square,
        "intermediate.dense": (NEURONS, WIDTH),
        "output.dense": (WIDTH, NEURONS),
    }
    norms = ["embeddings.LayerNorm"]
    for layer in (f"encoder.layer.{number}" for number in range(LAYERS)):
        for name, shape in linear.items():
            shapes |= {f"{layer}.{name}.weight": shape, f"{layer}.{name}.bias": shape[:1]}
        norms += [f"{layer}.attention.output.LayerNorm", f"{layer}.output.LayerNorm"]
    shapes |= {f"{name}.{part}": (WIDTH,) for name in norms for part in ("weight", "bias")}
    return {name: random.normal(0.1, 0.4, shape).astype(np.float32) for name, shape in shapes.items()}


class WordCounts:
    """An encoder without a network: a direction for each word, and texts that share words lie near each other."""

    recipe = "word counts"
    width = 384

    def __init__(self, alike: dict[str, str] | None = None) -> None:
        self.encoded = 0  # passages, so that tests see what was read again
        self._alike = alike or {}  # words with the meaning of another one
        self._words: dict[int, str] = {}

    def pieces(self, text: str) -> Pieces:
        found = list(re.finditer(r"\w+|[^\w\s]", text.lower()))
        return Pieces([self._number(match[0]) for match in found], [match.span() for match in found])

    def vectors(self, passages: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        self.encoded += len(passages)
        found = np.zeros((len(passages), self.width), np.float32)
        for place, passage in enumerate(passages):
            total = sum(np.random.default_rng(number).normal(0, 1, self.width) for number in passage)
            found[place] = total / (np.linalg.norm(total) or 1)
        return found

    def _number(self, word: str) -> int:
        return int.from_bytes(
            blake2b(self._alike.get(word, word).encode("utf-8", "surrogatepass"), digest_size=6).digest()
        )
