"""Shared functions for tests of readings: they read Japanese, or skip the tests and say why."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from extensions.japanese import are_wanted, read_readings
from extensions.japanese.reader import ReadingFault, load_reader

if TYPE_CHECKING:
    from collections.abc import Iterator

    from extensions.japanese.reader import JapaneseReader


def reader() -> JapaneseReader:
    """Return what reads Japanese, or skip the test."""
    try:
        return load_reader()
    except ReadingFault:
        pytest.skip("readings of Japanese are an extra of 120 MB, not installed here: ./breadcrumb index --readings")


@contextmanager
def read(*, wanted: bool = True) -> Iterator[None]:
    """Read Japanese for a while, as the setting READINGS does, or not."""
    before = are_wanted()
    read_readings(wanted=wanted)
    try:
        yield
    finally:
        read_readings(wanted=before)
