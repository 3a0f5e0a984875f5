"""Seeds: from the command line or a file, and the mistakes that people make with them."""

from pathlib import Path

import pytest

from spiders.seeds import SeedError, read_seeds


def test_several_addresses_are_separated_by_commas() -> None:
    assert read_seeds("http://a.example, https://b.example/x#y,http://A.example/") == (
        "http://a.example/",
        "https://b.example/x",
    )


def test_a_file_has_an_address_a_line_and_comments(tmp_path: Path) -> None:
    file = tmp_path / "seeds.txt"
    file.write_text("# the root set\nhttp://a.example/ # popular\n\n  http://b.example/\n")
    assert read_seeds(str(file)) == ("http://a.example/", "http://b.example/")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("example.org", "'example.org' is no address and no file: an address begins with http://"),
        ("seeds.txt", "is no address and no file"),
        ("ftp://example.org/", "scheme 'ftp'"),
        ("http://a.example/,http://", "it has no host"),
        (" , ", "names no seed"),
    ],
)
def test_a_mistake_is_told_with_what_would_work(text: str, message: str) -> None:
    with pytest.raises(SeedError, match=message):
        read_seeds(text)


def test_a_mistake_in_a_file_is_told_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "seeds.txt"
    file.write_text("http://a.example/\nwww.example.org\n")
    with pytest.raises(SeedError, match=r"seeds\.txt, line 2: 'www\.example\.org'"):
        read_seeds(str(file))


def test_a_file_without_a_seed_and_one_that_is_no_text_are_told(tmp_path: Path) -> None:
    file = tmp_path / "seeds.txt"
    file.write_text("# nothing yet\n")
    with pytest.raises(SeedError, match="names no seed"):
        read_seeds(str(file))
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SeedError, match="can't be read"):
        read_seeds(str(file))
