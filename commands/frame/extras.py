"""What reads pages beyond their written words? The extras of an index, by its settings and the options of its command.

Who asks for one with an option is stopped where it can't be had; who has a setting for it is told, and words alone are
indexed.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from commands.frame.exits import Trouble

if TYPE_CHECKING:
    from pathlib import Path

    from commands.frame.command_settings import CommandSettings
    from indexer.meaning.encoder import Encoder


def choose_readings(*, asked: bool) -> None:
    """Read Japanese where that is wanted."""
    from indexer.analysis.readings import are_wanted, load_reader, read_readings
    from indexer.faults import ReadingFault

    if not (asked or are_wanted()):
        return
    read_readings(wanted=True)
    try:
        load_reader()
    except ReadingFault as fault:
        if asked:
            raise
        print(f"index: Japanese is not read: {fault}", file=sys.stderr)


def unread_in(data_dir: Path) -> str:
    """Return what of the Japanese of an index is not read though it should be; "" where all is, or in a cluster."""
    from indexer import NoIndex, open_index
    from indexer.address import chosen_address
    from indexer.analysis.readings import are_wanted
    from indexer.retrieval.unread import unread_pages

    if not are_wanted() or chosen_address():
        return ""
    try:
        return unread_pages(open_index(data_dir).snapshot)
    except NoIndex:
        return ""


def encoder_under(settings: CommandSettings, *, asked: bool) -> Encoder | None:
    """Return what reads by meaning, if that is wanted."""
    if not asked and not settings.getbool("MEANING"):
        return None
    if settings["INDEX"]:
        notice = "pages are read by meaning only where the index is in the data folder"
        if asked:
            raise Trouble(f"{notice}, and INDEX names a cluster: leave one of them out")
        print(f"index: {notice}", file=sys.stderr)
        return None
    from indexer import MeaningFault
    from indexer.meaning import load_encoder

    try:
        return load_encoder()
    except MeaningFault as fault:
        if asked:
            raise
        print(f"index: pages are not read by meaning: {fault}", file=sys.stderr)
        return None
