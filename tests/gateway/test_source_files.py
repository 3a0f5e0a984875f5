"""Is a source file named with its exact opening question?"""

from __future__ import annotations

from pathlib import Path

import gateway.plots
import urls.wording
from gateway import source_files
from gateway.source_files import source_files_of

ROOT = Path(source_files.__file__).parents[1]


def test_a_file_is_told_with_its_opening_question() -> None:
    counted, plots = source_files_of(urls.wording, gateway.plots)
    assert (counted.path, counted.question) == (
        "urls/wording.py",
        "How do numbers, lists, commands and stored words read in a sentence?",
    )
    assert (plots.path, plots.question) == ("gateway/plots.py", "How do numbers become a picture?")


def test_a_claim_is_told_too() -> None:
    claim = type(gateway)("claim", "Near copies are indexed and folded.\n\nMore.")
    claim.__file__ = str(ROOT / "claim.py")
    assert source_files_of(claim)[0].question == "Near copies are indexed and folded."
