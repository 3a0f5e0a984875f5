"""How does a transformer read a sentence? Each word looks at all others, six times over; the mean is the meaning.

    word vectors + places ──> [ attention ──> two layers of neurons ] x 6 ──> mean ──> length 1.

(Vaswani et al., "Attention is all you need", 2017; Devlin et al., "BERT", 2018.) This file has all of it, in numpy:
slow, and easy to follow. The encoder in use (extensions/meaning/encoder.py) does the same with whole numbers of eight
bits, and is compared with it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from extensions.meaning.encoder import EPSILON, HEADS, layers_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from extensions.meaning.encoder import Weights

    Floats = NDArray[np.float32]

_erf = np.vectorize(math.erf, otypes=[np.float32])


def sentence_vector(weights: Weights, tokens: Sequence[int], heads: int = HEADS) -> Floats:
    """Return the vector of a text, of length 1; `tokens` are its pieces' numbers in the vocabulary."""
    states = hidden_states(weights, tokens, heads)
    mean = states.mean(axis=0)
    unit: Floats = mean / np.linalg.norm(mean)
    return unit


def hidden_states(weights: Weights, tokens: Sequence[int], heads: int = HEADS) -> Floats:
    """Return the state of each token after it has looked at the others, as (tokens, width)."""
    states = (
        weights["embeddings.word_embeddings.weight"][list(tokens)]
        + weights["embeddings.position_embeddings.weight"][: len(tokens)]
        + weights["embeddings.token_type_embeddings.weight"][0]
    )
    states = _norm(weights, "embeddings.LayerNorm", states)
    for number in range(layers_in(weights)):
        layer = f"encoder.layer.{number}"
        looked = _linear(weights, f"{layer}.attention.output.dense", _attention(weights, layer, states, heads))
        states = _norm(weights, f"{layer}.attention.output.LayerNorm", states + looked)
        fired = _gelu(_linear(weights, f"{layer}.intermediate.dense", states))
        states = _norm(weights, f"{layer}.output.LayerNorm", states + _linear(weights, f"{layer}.output.dense", fired))
    return states


def _attention(weights: Weights, layer: str, states: Floats, heads: int) -> Floats:
    """Let each token take from the others' values, the more the better its query fits their keys."""
    query, key, value = (
        _linear(weights, f"{layer}.attention.self.{name}", states).reshape(len(states), heads, -1).transpose(1, 0, 2)
        for name in ("query", "key", "value")
    )
    fit = query @ key.transpose(0, 2, 1) / math.sqrt(query.shape[-1])  # (heads, tokens, tokens)
    share = np.exp(fit - fit.max(axis=-1, keepdims=True))
    share /= share.sum(axis=-1, keepdims=True)
    taken: Floats = (share @ value).transpose(1, 0, 2).reshape(states.shape)
    return taken


def _linear(weights: Weights, name: str, states: Floats) -> Floats:
    moved: Floats = states @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]
    return moved


def _norm(weights: Weights, name: str, states: Floats) -> Floats:
    """Give each token mean 0 and variance 1, then the layer's own scale and shift (layer normalisation)."""
    centred = states - states.mean(axis=-1, keepdims=True)
    deviation = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + EPSILON)
    even: Floats = centred / deviation * weights[f"{name}.weight"] + weights[f"{name}.bias"]
    return even


def _gelu(values: Floats) -> Floats:
    """Let through values above 0, and little of those below: a neuron that fires softly (Hendrycks, 2016)."""
    fired: Floats = values * (1 + _erf(values / math.sqrt(2))) / 2
    return fired
