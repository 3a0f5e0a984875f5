"""How is the network run? By CTranslate2 with whole numbers of eight bits; the tokenizer is Hugging Face's own library.

The weights are brought into CTranslate2's form at each start, out of the checked file. Everything happens on this
machine: no hub, no download.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from extensions.meaning.transformer import layers_in
from extensions.meaning.weights import (
    EPSILON,
    HEADS,
    INSTALLED_BY,
    SUMS,
    TOKENIZER_FILE,
    WEIGHTS_FILE,
    MeaningFault,
    checked_content,
    model_folder,
    read_weights,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from extensions.meaning.weights import Weights

BEGIN, END = 101, 102  # [CLS] and [SEP] in the vocabulary of BERT
BATCH = 8  # passages that are read together: more are no quicker on one core
KEPT_QUESTIONS = 256  # whose vectors are kept: the next page of results asks the same


@dataclass(frozen=True, slots=True)
class Pieces:
    """A text in the pieces that the network knows: the number of each, and where it stands in the text."""

    tokens: Sequence[int]
    spans: Sequence[tuple[int, int]]


class Encoder(Protocol):
    """Makes vectors of texts. `recipe` names how: vectors of different recipes can't be compared."""

    recipe: str
    width: int

    def __hash__(self) -> int:
        """Return what tells encoders apart, so that what they found can be remembered."""

    def pieces(self, text: str) -> Pieces:
        """Take a text apart."""

    def vectors(self, passages: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        """Return a vector of length 1 for each passage, as (passages, width)."""


class MiniLM:
    """all-MiniLM-L6-v2 on the CPU; threads may share it. Raises MeaningFault where it can't be had as published."""

    recipe = f"all-MiniLM-L6-v2 {SUMS[WEIGHTS_FILE][:12]} int8"
    width = 384

    def __init__(self) -> None:
        folder = model_folder()
        try:
            from tokenizers import Tokenizer
        except ImportError as error:
            raise MeaningFault(f"{error.name} is not installed; {INSTALLED_BY} installs it") from error
        self._tokenizer = Tokenizer.from_buffer(checked_content(folder / TOKENIZER_FILE))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._network = Network(read_weights(checked_content(folder / WEIGHTS_FILE)))

    def pieces(self, text: str) -> Pieces:
        """Take a text apart."""
        found = self._tokenizer.encode(text, add_special_tokens=False)
        return Pieces(found.ids, found.offsets)

    def vectors(self, passages: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        """Return a vector of length 1 for each passage, as (passages, width)."""
        return self._network.vectors([[BEGIN, *passage, END] for passage in passages])


class Network:
    """A BERT of any size in CTranslate2. Raises MeaningFault where that is not installed."""

    def __init__(self, weights: Weights, heads: int = HEADS) -> None:
        try:
            import ctranslate2
        except ImportError as error:
            raise MeaningFault(f"{error.name} is not installed; {INSTALLED_BY} installs it") from error
        with tempfile.TemporaryDirectory() as folder:
            model = specification(weights, heads)
            model.save(folder)
            self._runtime = ctranslate2.Encoder(folder, device="cpu", compute_type="int8", intra_threads=1)
        self._width = weights["embeddings.word_embeddings.weight"].shape[1]

    def vectors(self, texts: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        """Return the mean of each text's states with length 1, as `transformer.sentence_vector` does."""
        found = np.zeros((len(texts), self._width), np.float32)
        order = sorted(range(len(texts)), key=lambda place: len(texts[place]))  # equal lengths need no filling up
        for start in range(0, len(order), BATCH):
            places = order[start : start + BATCH]
            states = np.asarray(self._runtime.forward_batch([list(texts[place]) for place in places]).last_hidden_state)
            for place, row in zip(places, states, strict=True):
                mean = row[: len(texts[place])].mean(axis=0)
                found[place] = mean / np.linalg.norm(mean)
        return found


def specification(weights: Weights, heads: int) -> Any:
    """Return a BERT as CTranslate2 wants to have it described, with its matrices in whole numbers of eight bits."""
    from ctranslate2.specs import common_spec, transformer_spec

    encoder = transformer_spec.TransformerEncoderSpec(
        layers_in(weights),
        heads,
        pre_norm=False,
        activation=common_spec.Activation.GELU,
        layernorm_embedding=True,
        num_source_embeddings=2,
        embeddings_merge=common_spec.EmbeddingsMerge.ADD,
    )
    encoder.scale_embeddings = False
    for place, name in enumerate(("word", "token_type")):
        encoder.embeddings[place].weight = weights[f"embeddings.{name}_embeddings.weight"].copy()
    encoder.position_encodings.encodings = weights["embeddings.position_embeddings.weight"]
    _norm(encoder.layernorm_embedding, weights, "embeddings.LayerNorm")
    for number, layer in enumerate(encoder.layer):
        name = f"encoder.layer.{number}"
        attention = layer.self_attention
        parts = [f"{name}.attention.self.{part}" for part in ("query", "key", "value")]
        attention.linear[0].weight = np.concatenate([weights[f"{part}.weight"] for part in parts])
        attention.linear[0].bias = np.concatenate([weights[f"{part}.bias"] for part in parts])
        _linear(attention.linear[1], weights, f"{name}.attention.output.dense")
        _norm(attention.layer_norm, weights, f"{name}.attention.output.LayerNorm")
        _linear(layer.ffn.linear_0, weights, f"{name}.intermediate.dense")
        _linear(layer.ffn.linear_1, weights, f"{name}.output.dense")
        _norm(layer.ffn.layer_norm, weights, f"{name}.output.LayerNorm")
    model = transformer_spec.TransformerEncoderModelSpec(encoder, pooling_layer=False)
    model.config.layer_norm_epsilon = EPSILON
    model.register_vocabulary([str(number) for number in range(len(weights["embeddings.word_embeddings.weight"]))])
    model.validate()
    model.optimize(quantization="int8")
    return model


def _linear(spec: Any, weights: Weights, name: str) -> None:
    spec.weight, spec.bias = weights[f"{name}.weight"].copy(), weights[f"{name}.bias"]  # it scales what it gets


def _norm(spec: Any, weights: Weights, name: str) -> None:
    spec.gamma, spec.beta = weights[f"{name}.weight"], weights[f"{name}.bias"]
