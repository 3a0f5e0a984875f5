"""Seeds: from the command line or a file, and the mistakes that people make with them."""

from pathlib import Path

import pytest

from spiders.arguments import SeedError, read_root_set
from urls.site_options import ChosenOption, SiteOption


def test_several_addresses_are_separated_by_commas() -> None:
    assert read_root_set("http://a.example, https://b.example/x#y,http://A.example/").urls == (
        "http://a.example/",
        "https://b.example/x",
    )


def test_a_file_has_an_address_a_line_and_comments(tmp_path: Path) -> None:
    file = tmp_path / "seeds.txt"
    file.write_text("# the root set\nhttp://a.example/ # popular\n\n  http://b.example/\n")
    assert read_root_set(str(file)).urls == ("http://a.example/", "http://b.example/")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("example.org", "'example.org' is neither a URL nor a file: a URL begins with http://"),
        ("seeds.txt", r"nor a file: there is no file /.*/seeds\.txt"),
        ("../lists/seeds", "nor a file: there is no file /"),
        ("/", "it is a folder; give a file in it"),
        ("/dev/null", "it is a pipe or a device; save the URLs in a file"),
        ("http:/a.example/", r"did you mean http://a\.example/\?"),
        ("https//a.example", r"did you mean https://a\.example\?"),
        ("http.example", r"did you mean http://http\.example\?"),
        ("ftp://example.org/", "scheme 'ftp'"),
        ("http://a.example/,http://", "it has no host"),
        (" , ", "names no seed"),
        ("http://a.example/ http://b.example/", "looks like several URLs: put commas between them"),
        ("not a url", r"begins with http:// or https://$"),
        ("mailto:a@b.example", r"begins with http:// or https://$"),
    ],
)
def test_a_mistake_is_told_with_what_would_work(text: str, message: str) -> None:
    with pytest.raises(SeedError, match=message):
        read_root_set(text)


def test_a_mistake_in_a_file_is_told_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "seeds.txt"
    file.write_text("http://a.example/\nwww.example.org\n")
    with pytest.raises(SeedError, match=r"seeds\.txt, line 2: 'www\.example\.org'"):
        read_root_set(str(file))


def test_a_file_from_an_editor_of_windows_is_read(tmp_path: Path) -> None:
    file = tmp_path / "seeds.txt"
    file.write_bytes(b"\xef\xbb\xbfhttp://a.example/\r\n\r\n# more\r\nhttp://b.example/ # later\r\n")
    assert read_root_set(str(file)).urls == ("http://a.example/", "http://b.example/")


@pytest.mark.parametrize("between", [",", ", ", " ", "\t"])
def test_two_addresses_on_a_line_of_a_file_are_not_taken_for_one(tmp_path: Path, between: str) -> None:
    file = tmp_path / "seeds.txt"
    file.write_text(f"http://a.example/{between}http://b.example/\n")
    with pytest.raises(SeedError, match=r"seeds\.txt, line 1: .* give each a line of its own"):
        read_root_set(str(file))


def test_an_address_within_an_address_is_one(tmp_path: Path) -> None:
    file = tmp_path / "seeds.txt"
    file.write_text("http://a.example/go?to=http://b.example/\n")
    assert read_root_set(str(file)).urls == ("http://a.example/go?to=http://b.example/",)


def test_a_file_without_a_seed_and_one_that_is_no_text_are_told(tmp_path: Path) -> None:
    file = tmp_path / "seeds.txt"
    file.write_text("# nothing yet\n")
    with pytest.raises(SeedError, match="names no seed"):
        read_root_set(str(file))
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SeedError, match="can't be read"):
        read_root_set(str(file))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("not a url", r"seeds.txt, line 2: 'not a url' is no URL; give a URL such as http://HOST/, or remove"),
        ("www.a.example", r"line 2: 'www.a.example' is no URL; did you mean http://www.a.example\?$"),
        ("ftp://a.example/", r"line 2: .* only http:// and https:// addresses are fetched; give a URL such as"),
        ("http://a b/", r"line 2: .*'a b' is not part of a host name; give a URL such as"),
    ],
)
def test_a_bad_line_of_a_file_is_told_with_its_place_and_what_would_work(tmp_path: Path, line: str, said: str) -> None:
    file = tmp_path / "seeds.txt"
    file.write_bytes(b"\xef\xbb\xbfhttp://a.example/\r\n" + line.encode() + b"\r\n")
    with pytest.raises(SeedError, match=said):
        read_root_set(str(file))


TOML = """
[[seed]]
url = "http://A.example/"
kind = "popular"
options = { index-page = true, tracking = ["utm_*", "ref"], sort-query = false }

[[seed]]
url = "http://127.0.0.1:8400/list"
kind = "new"
options = { address = "b.localhost:8400" }

[[seed]]
url = "http://c.example/far/away"
"""


def test_a_file_in_toml_says_more_of_each_seed(tmp_path: Path) -> None:
    file = tmp_path / "seeds.toml"
    file.write_text(TOML)
    roots = read_root_set(str(file))
    assert roots.urls == ("http://a.example/", "http://127.0.0.1:8400/list", "http://c.example/far/away")
    assert roots.kinds == {"http://a.example/": "popular", "http://127.0.0.1:8400/list": "new"}
    assert roots.options == {
        "a.example": (ChosenOption(SiteOption.INDEX_PAGE), ChosenOption(SiteOption.TRACKING, ("utm_*", "ref"))),
        "127.0.0.1:8400": (ChosenOption(SiteOption.ADDRESS, ("b.localhost:8400",)),),
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("seed = 1", "'seed' means nothing here"),
        ("[[sed]]\nurl = 'http://a.example/'", "'sed' means nothing here"),
        ("[[seed]]\nurl = 'a.example'", "seed 1: .*did you mean http://a.example"),
        ("[[seed]]\nkind = 'new'", "seed 1: it has no url"),
        ("[[seed]]\nurl = 'http://a.example/'\nkind = 'old'", "choose popular, new, rare"),
        ("[[seed]]\nurl = 'http://a.example/'\ncolour = 'red'", "'colour' is unknown"),
        ("[[seed]]\nurl = 'http://a.example/'\noptions = {www = 3}", "give true, false or a list of names"),
        ("[[seed]]\nurl = 'http://a.example/'\noptions = {ww = true}", "there is no option 'ww'"),
        ("[[seed]]\nurl = 'http://a.example/'\noptions = {ww = false}", "there is no option 'ww'"),
        ("[[seed]]\nurl = 'http://a.example/'\noptions = 'www'", "options are written"),
        ("", "names no seed"),
        ("[[seed", "is no TOML"),
        ("seed = " + "[" * 5000, "is no TOML"),
    ],
)
def test_a_mistake_in_toml_is_told_with_what_would_work(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "seeds.toml"
    file.write_text(text)
    with pytest.raises(SeedError, match=message):
        read_root_set(str(file))
