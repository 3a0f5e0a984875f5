"""A command in a sentence is found whole, gets its URL quoted and its folder named, and nothing else changes."""

import shlex

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from reports.shown_commands import COMMAND, by_next_turn, in_folder, of_url, pieces
from urls.rules import Rule

FOLDER = " --data demo"


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("The next crawl fetches it: ./breadcrumb crawl site", "./breadcrumb crawl site"),
        ("./breadcrumb release URL queues it anyway; so", "./breadcrumb release URL"),
        ("./breadcrumb report traps shows its whole pattern", "./breadcrumb report traps"),
        ("./breadcrumb report tells more.", "./breadcrumb report"),
        ("no index: ./breadcrumb index --rebuild.", "./breadcrumb index --rebuild"),
        ("(./breadcrumb crawl site -a seeds=URL)", "./breadcrumb crawl site -a seeds=URL"),
        ("./breadcrumb crawl site -a seeds='http://a.example/?a=1&b=2', then", None),
        ("./breadcrumb forget http://a.example/x.html. Then", "./breadcrumb forget http://a.example/x.html"),
        ("./breadcrumb block --site a.example:8400 leaves it alone", "./breadcrumb block --site a.example:8400"),
        ("./breadcrumb block '[::1]:80' leaves it alone", "./breadcrumb block '[::1]:80'"),
        ("./breadcrumb release '/x?*' --site a.example", "./breadcrumb release '/x?*' --site a.example"),
        ("./breadcrumb release /a/b --site a.example", "./breadcrumb release /a/b --site a.example"),
        (
            "./breadcrumb suggest --off intranet letter-case undoes it",
            "./breadcrumb suggest --off intranet letter-case",
        ),
        ("./breadcrumb suggest --off switches an option off", "./breadcrumb suggest --off"),
        ("./breadcrumb block --site intranet removes its pages", "./breadcrumb block --site intranet"),
        ("./breadcrumb block --site SITE blocks a site", "./breadcrumb block --site SITE"),
        ("./breadcrumb why 'http://a/it'\"'\"'s' tells", "./breadcrumb why 'http://a/it'\"'\"'s'"),
        ("./breadcrumb serve -s ALLOW_SUBMIT=yes switches it on", "./breadcrumb serve -s ALLOW_SUBMIT=yes"),
        ("./breadcrumb search WORDS, or ./breadcrumb serve", "./breadcrumb search WORDS"),
    ],
)
def test_a_command_ends_where_the_sentence_goes_on(text: str, command: str | None) -> None:
    found = COMMAND.search(text)
    assert found is not None
    assert found[0] == (command or text.removesuffix(", then"))


def test_every_command_names_the_folder_unless_it_needs_none_or_has_one() -> None:
    text = "./breadcrumb index, ./breadcrumb demo --port 84, ./breadcrumb why --data x URL, ./breadcrumb serve."
    told = "./breadcrumb index --data demo, ./breadcrumb demo --port 84, ./breadcrumb why --data x URL, "
    assert in_folder(text, FOLDER) == f"{told}./breadcrumb serve --data demo."


def test_a_command_names_the_index_even_where_it_names_its_own_folder_or_store() -> None:
    index = " -s INDEX=opensearch://a:9200/b"
    began = "./breadcrumb cluster --master 'local[2]' --store s0 SEEDS"
    text = f"{began}, ./breadcrumb why --data x URL, ./breadcrumb serve"
    assert in_folder(text, FOLDER + index) == (
        f"{began}{index}, ./breadcrumb why --data x URL{index}, ./breadcrumb serve{FOLDER}{index}"
    )
    assert in_folder(f"./breadcrumb index{index}", FOLDER + index) == f"./breadcrumb index{index}{FOLDER}"


def test_only_commands_that_read_a_whoosh_folder_name_it() -> None:
    index = " -s 'INDEX=whoosh:/my papers' -s TRUST_PICKLES=yes"
    text = "./breadcrumb crawl site -a seeds=URL, ./breadcrumb serve"
    assert in_folder(text, FOLDER + index) == (
        f"./breadcrumb crawl site -a seeds=URL{FOLDER}, ./breadcrumb serve{FOLDER}{index}"
    )


def test_of_a_part_in_a_store_the_next_turn_goes_on_with_the_index() -> None:
    assert by_next_turn("Then ./breadcrumb index --data /x/part-1 goes on") == "Then the next turn of its part goes on"
    again = "Rebuild it with: ./breadcrumb index --rebuild"
    assert by_next_turn(again) == again


@pytest.mark.parametrize("rule", [rule for rule in Rule if of_url(rule.remedy, "x") != rule.remedy])
def test_a_remedy_is_filled_with_the_url(rule: Rule) -> None:
    url = "http://a.example/?x=1&y='2'"
    told = of_url(rule.remedy, url)
    commands = [shlex.split(piece) for is_command, piece in pieces(told) if is_command]
    assert url in {word.removeprefix("seeds=") for words in commands for word in words}
    assert not any("URL" in words for words in commands)


@given(st.text(alphabet=st.characters(codec="utf-8", exclude_categories=("Cc", "Cs"))), st.text(max_size=9))
@example(":", "")
@example("a.", "Then")
def test_any_url_in_a_command_is_one_word_of_it(url: str, after: str) -> None:
    command = of_url("./breadcrumb why URL", f"http://a.example/{url}")
    assert shlex.split(in_folder(command, FOLDER)) == [
        "./breadcrumb",
        "why",
        f"http://a.example/{url}",
        "--data",
        "demo",
    ]
    text = f"So: {command} {after}"
    assert "".join(piece for _, piece in pieces(text)) == text


@given(st.text())
def test_what_has_no_command_stays_as_it_is(text: str) -> None:
    assert COMMAND.search(text) or in_folder(text, FOLDER) == text
