"""What does a text mean, beside the words it has? A second reading of pages and questions: an extra, off by default.

A network makes numbers of a passage (weights.py, transformer.py, encoder.py); of a page some passages are read
(passages.py); their numbers are kept beside the index (vectors.py, upkeep.py), and compared with those of a question
(stored.py, nearest.py). What that adds to a score stands in ranking/meaning.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from indexer.meaning.encoder import Encoder


def load_encoder() -> Encoder:
    """Return what reads English. Raises MeaningFault where it is not installed, or not as it was published."""
    from indexer.meaning.encoder import MiniLM  # noqa: PLC0415 - whoever has it off does not wait for it

    return MiniLM()
