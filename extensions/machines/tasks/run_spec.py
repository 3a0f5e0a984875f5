"""How do files of the driver's machine reach the machines that crawl? As objects of the store, beside the parts.

    given/000003/seeds.txt        what the driver with term 3 was given; it stays, so that a later one can go on with it

A word of a task that names such a file begins its path with `GIVEN`. Each task has copies in its own scratch folder.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from extensions.machines.store.objects import Objects

GIVEN = "\0given"  # no word that a person types has a null in it
FOLDER = "given"
SEEDS = "seeds"  # the name of the file with the seeds, without its ending


def give(objects: Objects, term: int, name: str, path: Path) -> str:
    """Put a file, or the files of a folder, into the store; return the path by which a word of a task names it."""
    home = f"{FOLDER}/{term:06}/{name}"
    if path.is_dir():
        for each in sorted(path.iterdir()):
            if each.is_file():
                objects.put(each, f"{home}/{each.name}")
        return f"{GIVEN}/{term:06}/{name}/"
    objects.put(path, f"{home}{path.suffix}")
    return f"{GIVEN}/{term:06}/{name}{path.suffix}"


def newest_seeds(objects: Objects) -> str:
    """Return the path of the seeds that a driver was given last; "" where none was given any."""
    found = [name for name in objects.below(FOLDER) if name.rpartition("/")[2].partition(".")[0] == SEEDS]
    return GIVEN + max(found).removeprefix(FOLDER) if found else ""


def take(objects: Objects, words: Iterable[str], to: Path) -> list[str]:
    """Copy the files that words name into a folder; return the words with their paths there."""
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
