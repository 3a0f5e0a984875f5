"""How do files of the driver's machine reach the machines that crawl? As objects of the store, next to the parts.

    given/000003/seeds.txt        a file of the driver with epoch 3; it stays for later drivers

An argument that names such a file begins its path with `GIVEN`. Each task copies the files to its own scratch folder.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from extensions.machines.store.objects import Objects

GIVEN = "\0given"  # no argument that a person types contains a null
FOLDER = "given"
SEEDS = "seeds"  # the name of the file with the seeds, without its extension


def give(objects: Objects, term: int, name: str, path: Path) -> str:
    """Put a file, or the files of a folder, into the store; return the path that names it in a task's arguments."""
    home = f"{FOLDER}/{term:06}/{name}"
    if path.is_dir():
        for each in sorted(path.iterdir()):
            if each.is_file():
                objects.put(each, f"{home}/{each.name}")
        return f"{GIVEN}/{term:06}/{name}/"
    objects.put(path, f"{home}{path.suffix}")
    return f"{GIVEN}/{term:06}/{name}{path.suffix}"


def newest_seeds(objects: Objects) -> str:
    """Return the path of the newest seeds in the store; "" if there are none."""
    found = [name for name in objects.below(FOLDER) if name.rpartition("/")[2].partition(".")[0] == SEEDS]
    return GIVEN + max(found).removeprefix(FOLDER) if found else ""


def take(objects: Objects, words: Iterable[str], to: Path) -> list[str]:
    """Copy the files that arguments name into a folder; return the arguments with the new paths."""
    taken = []
    for word in words:
        before, mark, path = word.partition(GIVEN)
        if mark:
            named = FOLDER + path
            for name in objects.below(named) if path.endswith("/") else [named]:
                place = to / name
                place.parent.mkdir(parents=True, exist_ok=True)
                objects.get(name, place)
            taken.append(f"{before}{to / FOLDER}{path}")
        else:
            taken.append(word)
    return taken
