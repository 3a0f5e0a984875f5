"""Does storage really ail in `bench/cluster`? Root obeys rights, and what is looked for is what the store says."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from extensions.machines.store.objects import REMEDIES
from extensions.machines.store.remote import CURES
from tests.extensions.machines.takeovers.ailing import AS_OWNER, Ailment, set_rights

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.skipif(bool(Ailment.RIGHTS.lacks), reason=Ailment.RIGHTS.lacks)
def test_a_folder_without_rights_can_not_be_written_even_by_root_and_again_when_it_has_them(tmp_path: Path) -> None:
    store = tmp_path / "store"
    store.mkdir()
    (store / "beat").touch()
    under = () if os.geteuid() else AS_OWNER

    def write(name: str, mode: str) -> bool:
        code = f"open({str(store / name)!r}, {mode!r})"
        line = [*under, sys.executable, "-IS", "-c", code]
        return subprocess.run(line, stderr=subprocess.DEVNULL, check=False).returncode == 0

    set_rights(store, may_write=False)
    assert not write("new", "x")
    assert not write("beat", "w"), "a sign of life is written in place"
    set_rights(store, may_write=True)
    assert write("new", "x")
    assert write("beat", "w")


@pytest.mark.parametrize("ailment", [Ailment.FULL, Ailment.RIGHTS, Ailment.FORBIDDEN])
def test_the_sentence_that_is_looked_for_is_one_that_the_store_says(ailment: Ailment) -> None:
    assert any(ailment.sentence in cure for cure in (*REMEDIES.values(), *CURES.values()))
