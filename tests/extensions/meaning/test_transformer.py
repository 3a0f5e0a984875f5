"""Does the transformer in numpy do what its papers say? Compared with the same, written out number by number."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest

from extensions.meaning.encoder import layers_in
from tests.extensions.meaning.networks import HEADS, tiny_weights
from tests.extensions.meaning.numpy_transformer import hidden_states, sentence_vector

if TYPE_CHECKING:
    from extensions.meaning.encoder import Weights

TOKENS = (1, 7, 3, 7, 2)
Rows = list[list[float]]


def linear(weights: Weights, name: str, row: list[float]) -> list[float]:
    matrix, bias = weights[f"{name}.weight"], weights[f"{name}.bias"]
    return [
        sum(float(w) * x for w, x in zip(line, row, strict=True)) + float(b)
        for line, b in zip(matrix, bias, strict=True)
    ]


def norm(weights: Weights, name: str, row: list[float]) -> list[float]:
    mean = sum(row) / len(row)
    variance = sum((x - mean) ** 2 for x in row) / len(row)
    scale, shift = weights[f"{name}.weight"], weights[f"{name}.bias"]
    return [
        float(g) * (x - mean) / math.sqrt(variance + 1e-12) + float(b)
        for x, g, b in zip(row, scale, shift, strict=True)
    ]


def attention(weights: Weights, layer: str, rows: Rows) -> Rows:
    """Softmax(Q K' / root of the width of a head) V, head by head (Vaswani et al., section 3.2)."""
    query, key, value = (
        [linear(weights, f"{layer}.attention.self.{name}", row) for row in rows] for name in ("query", "key", "value")
    )
    size = len(rows[0]) // HEADS
    out: Rows = []
    for asking in query:
        row: list[float] = []
        for head in range(HEADS):
            part = slice(head * size, (head + 1) * size)
            fits = [sum(q * k for q, k in zip(asking[part], told[part], strict=True)) / math.sqrt(size) for told in key]
            shares = [math.exp(fit) for fit in fits]
            row += [
                sum(share * told[part][at] for share, told in zip(shares, value, strict=True)) / sum(shares)
                for at in range(size)
            ]
        out.append(row)
    return out


def written_out(weights: Weights, tokens: tuple[int, ...]) -> Rows:
    tables = [weights[f"embeddings.{name}_embeddings.weight"] for name in ("word", "position", "token_type")]
    rows = [[float(x) for x in tables[0][token] + tables[1][at] + tables[2][0]] for at, token in enumerate(tokens)]
    rows = [norm(weights, "embeddings.LayerNorm", row) for row in rows]
    for number in range(layers_in(weights)):
        layer = f"encoder.layer.{number}"
        looked = [linear(weights, f"{layer}.attention.output.dense", row) for row in attention(weights, layer, rows)]
        rows = [
            norm(weights, f"{layer}.attention.output.LayerNorm", [a + b for a, b in zip(row, more, strict=True)])
            for row, more in zip(rows, looked, strict=True)
        ]
        fired = [
            [x * (1 + math.erf(x / math.sqrt(2))) / 2 for x in linear(weights, f"{layer}.intermediate.dense", row)]
            for row in rows
        ]
        rows = [
            norm(
                weights,
                f"{layer}.output.LayerNorm",
                [a + b for a, b in zip(row, linear(weights, f"{layer}.output.dense", more), strict=True)],
            )
            for row, more in zip(rows, fired, strict=True)
        ]
    return rows


def test_each_state_is_what_the_papers_formulas_give() -> None:
    weights = tiny_weights()
    assert hidden_states(weights, TOKENS, HEADS) == pytest.approx(np.array(written_out(weights, TOKENS)), abs=1e-5)


def test_a_sentence_is_the_mean_of_its_states_with_length_one() -> None:
    weights = tiny_weights()
    mean = np.mean(written_out(weights, TOKENS), axis=0)
    assert sentence_vector(weights, TOKENS, HEADS) == pytest.approx(mean / np.linalg.norm(mean), abs=1e-5)


def test_the_order_of_the_words_counts() -> None:
    weights = tiny_weights()
    there, back = sentence_vector(weights, TOKENS, HEADS), sentence_vector(weights, TOKENS[::-1], HEADS)
    assert np.abs(there - back).max() > 0.01
