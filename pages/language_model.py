"""Where does the language classifier read its model? From an unpacked copy that all processes map into memory.

py3langid ships 68 MB packed as 4.5 MB (LZMA). Each process that needs a language would unpack it: 0.35 seconds of work,
and the memory again. So the first one writes the arrays next to the packages of the environment. The others map these
files, and all processes share their memory. If the environment is read-only or a file is incomplete, each process
unpacks the model itself.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from py3langid.langid import MODEL_DIR, MODEL_FILE, LanguageIdentifier
from py3langid.modelio import load_model

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

UNPACKED = Path(sys.prefix) / "share" / f"py3langid-{version('py3langid')}"  # another version, another folder
_NAMES = ("scores", "priors", "classes", "moves", "rows", "features")  # in the order in which py3langid has them


def identifier(unpacked: Path = UNPACKED) -> LanguageIdentifier:
    """Return the classifier; its model lies in `unpacked` from now on, if it may."""
    try:
        return _classifier({name: np.load(unpacked / f"{name}.npy", mmap_mode="r") for name in _NAMES})
    except (OSError, ValueError):  # not there yet, or not whole
        arrays = {name: np.asarray(part) for name, part in zip(_NAMES, load_model(MODEL_DIR / MODEL_FILE), strict=True)}
    with suppress(OSError):
        _keep(arrays, unpacked)
    return _classifier(arrays)


def _classifier(model: Mapping[str, NDArray[Any]]) -> LanguageIdentifier:
    moves = model["moves"].data  # whose items are read sooner than those of an array
    rows, features = model["rows"].tolist(), model["features"].tolist()
    classes = model["classes"].tolist()
    scores, priors = np.asarray(model["scores"]), np.asarray(model["priors"])
    return LanguageIdentifier(scores, priors, classes, moves, features, norm_probs=True, tk_row=rows)


def _keep(arrays: Mapping[str, NDArray[Any]], folder: Path) -> None:
    """Write the arrays to a folder that is there whole, or not at all; what stood there was not whole."""
    folder.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, ignore_cleanup_errors=True) as aside:
        whole = Path(aside) / "whole"
        whole.mkdir()
        for name, array in arrays.items():
            with (whole / f"{name}.npy").open("wb") as file:
                np.save(file, array, allow_pickle=False)
                file.flush()
                os.fsync(file.fileno())  # or a power cut may leave a name without its content
        shutil.rmtree(folder, ignore_errors=True)
        whole.rename(folder)
