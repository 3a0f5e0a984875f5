"""The classifier answers from mapped files as it does from its package, whatever has become of the files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from py3langid.langid import MODEL_FILE, LanguageIdentifier

from pages.language_model import identifier

if TYPE_CHECKING:
    from pathlib import Path

GERMAN = "Der Roboter liest die Seite und legt die Wörter des Textes in einem Index für die Suche ab."
MOVES = "moves.npy"


@pytest.mark.slow
def test_a_model_is_unpacked_once_and_mended_where_it_is_not_whole(tmp_path: Path) -> None:
    expected = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True).rank(GERMAN)
    folder = tmp_path / "model"
    assert identifier(folder).rank(GERMAN) == expected
    written = (folder / MOVES).stat().st_mtime_ns
    mapped = identifier(folder)
    assert mapped.rank(GERMAN) == expected
    assert isinstance(mapped.nb_ptc.base, np.memmap)  # nothing was copied
    assert (folder / MOVES).stat().st_mtime_ns == written
    (folder / MOVES).write_bytes((folder / MOVES).read_bytes()[:1000])
    assert identifier(folder).rank(GERMAN) == expected
    assert isinstance(identifier(folder).nb_ptc.base, np.memmap)
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


def test_where_nothing_may_be_written_the_model_is_unpacked_as_ever(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert identifier(tmp_path / "file" / "model").rank(GERMAN)[0][0] == "de"
