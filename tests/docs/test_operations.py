"""Does the operator's page explain every rule under which something happens to a URL, and no other?"""

from __future__ import annotations

import ast
from collections import Counter
from functools import cache

import pytest

from tests.docs.conftest import DOCS, ROOT
from urls.rules import Rule

ROOMS = ("urls", "pages", "crawldb", "frontier", "spiders", "pipelines", "extensions")  # those that write the journal
LINES = (DOCS / "operations.md").read_text().splitlines()
HEADING = "## Rules of the journal"
OWN, NONE = "Advice for one rule", "Without advice"  # headings; each other one is the advice for the rules below it


@cache
def trees() -> list[ast.Module]:
    files = [path for room in ROOMS for path in (ROOT / room).rglob("*.py")]
    return [ast.parse(path.read_text()) for path in files if path != ROOT / "urls" / "rules.py"]


def members() -> set[str]:
    """The rules that the code names: `Rule.ROBOTS`."""
    return {
        node.attr
        for tree in trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and name_of(node.value) == "Rule"
    }


def words(node: ast.expr | None) -> set[str]:
    """The literals that an expression may be."""
    if isinstance(node, ast.IfExp):
        return words(node.body) | words(node.orelse)
    return {node.value} if isinstance(node, ast.Constant) and isinstance(node.value, str) else set()


def name_of(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def is_fate(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and name_of(node.value) == "LeaseEnd"


def bare_rule_of(call: ast.Call) -> set[str]:
    """The rule that a call names by a bare word: of a refusal, a journal row, or the end of a lease."""
    called, arguments = name_of(call.func), call.args
    if called in {"Refusal", "Ending"}:
        return words(arguments[0] if arguments else None)
    if called == "write" and len(arguments) > 2:
        return words(arguments[1])
    for place, argument in enumerate(arguments[:-1]):
        if is_fate(argument):
            return words(arguments[place + 1])
    return set()


def bare_rules() -> set[str]:
    found = set()
    for tree in trees():
        for node in ast.walk(tree):
            found |= bare_rule_of(node) if isinstance(node, ast.Call) else set()
            if isinstance(node, ast.Assign) and name_of(node.targets[0]) == "rule":
                found |= words(node.value)
    return found


def rules_by_heading() -> dict[str, list[str]]:
    """Return the lines on rules by the headings of the page."""
    found: dict[str, list[str]] = {}
    heading = ""
    for line in LINES[LINES.index(HEADING) + 1 :]:
        heading = line.removeprefix("### ") if line.startswith("#") else heading
        if line.startswith("- "):
            found.setdefault(heading, []).append(line)
    return found


def test_the_page_has_each_rule_with_what_it_means_and_what_to_do() -> None:
    often = Counter(rule.remedy for rule in Rule)
    expected: dict[str, list[str]] = {}
    for rule in Rule:
        shared = often[rule.remedy] > 1
        heading = (rule.remedy.removesuffix(".") or NONE) if shared else OWN
        line = f"- `{rule}`: {rule.meaning}."
        expected.setdefault(heading, []).append(line if shared else f"{line} {rule.remedy}")
    assert rules_by_heading() == expected


def test_no_rule_is_explained_that_nothing_writes() -> None:
    named = members()
    assert [rule for rule in Rule if rule.name not in named] == []


@pytest.mark.slow
def test_no_rule_is_written_as_a_bare_word_that_the_table_could_lack() -> None:
    assert bare_rules() == set()


@pytest.mark.parametrize(
    "code",
    ["Refusal('odd', why)", "journal.write(url, 'odd', why)", "Outcome(url, LeaseEnd.GONE, 'odd' if a else 'odd', why)",
     "Ending('odd')"],
)  # fmt: skip
def test_a_bare_word_is_seen(code: str) -> None:
    call = ast.parse(code, mode="eval").body
    assert isinstance(call, ast.Call)
    assert bare_rule_of(call) == {"odd"}
