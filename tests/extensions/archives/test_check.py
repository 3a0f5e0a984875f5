"""`check` reads every record of the archive, and names the file that is damaged."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from crawldb.database import CrawlDatabase
from extensions.archives.files import FOLDER, path_of_file
from extensions.archives.tables import ArchivedPlace, write_places
from tests.commands.conftest import Breadcrumb
from tests.extensions.archives.test_recovery import written


def flipped_byte(file: Path, last: ArchivedPlace) -> None:
    content = bytearray(file.read_bytes())
    content[last.offset + last.length // 2] ^= 1
    file.write_bytes(content)


def cut_in_a_record(file: Path, last: ArchivedPlace) -> None:
    file.write_bytes(file.read_bytes()[: last.start + 20])


def cut_between_two_records(file: Path, last: ArchivedPlace) -> None:
    file.write_bytes(file.read_bytes()[: last.start])


def emptied(file: Path, _: ArchivedPlace) -> None:
    file.write_bytes(b"")


def missing(file: Path, _: ArchivedPlace) -> None:
    file.unlink()


@pytest.mark.parametrize(
    ("harm", "found"),
    [
        (flipped_byte, "a record can't be read"),
        (cut_in_a_record, "it was cut"),
        (cut_between_two_records, "it was cut"),
        (emptied, "has 0 bytes"),
        (missing, "is missing, with 4 exchanges in it"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_damage_to_a_file_of_the_archive_is_found_and_the_file_named(
    bakery: Breadcrumb, harm: Callable[[Path, ArchivedPlace], None], found: str
) -> None:
    places = written(bakery.data)
    with CrawlDatabase(bakery.data) as database:
        with database.transaction():
            write_places(database, places)
        database.seal()
    file = path_of_file(bakery.data / FOLDER, places[0].file)
    file = file.rename(file.with_name(places[0].file))
    assert bakery.run("check").code == 0
    harm(file, places[-1])
    done = bakery.run("check", "--json")
    (finding,) = json.loads(done.out)["findings"]
    assert done.code == 1
    assert finding.startswith((f"{file} ", f"{file}: "))
    assert found in finding
