"""Does the operator's page name every rule under which something did not happen, and every word of the report?"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from spiders.lease_outcome import _ERRORS
from tests.docs.conftest import DOCS, ROOT
from urls.rules import Rule

RULE = re.compile(r"^[a-z]+(-[a-z]+)*$")
ROOMS = ("urls", "crawldb", "frontier", "spiders", "pipelines")
# A constant is a rule where its name or the comment beside it says so.
SAYS_SO = re.compile(r"""^(?:RULE = "([a-z-]+)"|\w+ = "([a-z-]+)"  # .*\brule\b)""", re.MULTILINE)
LINES = (DOCS / "operations.md").read_text().splitlines()
DOCUMENTED = {
    rule for line in LINES if line.startswith("| `") for rule in re.findall(r"`([a-z-]+)`", line.split(" | ")[0])
}


def words(node: ast.expr | None) -> set[str]:
    """The literals that an expression may be."""
    if isinstance(node, ast.IfExp):
        return words(node.body) | words(node.orelse)
    return {node.value} if isinstance(node, ast.Constant) and isinstance(node.value, str) else set()


def name_of(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def is_fate(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and name_of(node.value) == "Fate"


def rule_of(call: ast.Call) -> set[str]:
    """The rule that a call names: of a refusal, a journal row, or the end of a lease."""
    called, arguments = name_of(call.func), call.args
    if called in {"Refusal", "Ending"}:
        return words(arguments[0] if arguments else None)
    if called == "write" and len(arguments) > 2:
        return words(arguments[1])
    for place, argument in enumerate(arguments[:-1]):
        if is_fate(argument):
            return words(arguments[place + 1])
    return set()


def rules() -> set[str]:
    """Every rule that the code can write."""
    found = {*map(str, Rule)} | {rule for rule, _, _ in _ERRORS.values()}
    for path in (path for room in ROOMS for path in (ROOT / room).rglob("*.py")):
        text = Path(path).read_text()
        found |= {rule for groups in SAYS_SO.findall(text) for rule in groups}
        for node in ast.walk(ast.parse(text)):
            found |= rule_of(node) if isinstance(node, ast.Call) else set()
            if isinstance(node, ast.Assign) and name_of(node.targets[0]) == "rule":
                found |= words(node.value)
    return {rule for rule in found if RULE.match(rule)}


@pytest.mark.parametrize("rule", sorted(rules()))
def test_every_rule_of_the_journal_is_explained_to_the_operator(rule: str) -> None:
    assert rule in DOCUMENTED, f"docs/operations.md, table of rules: `{rule}` is missing"


def test_no_rule_is_explained_that_nothing_writes() -> None:
    assert len(rules()) > 50, "the test has lost sight of the code"
    begin = LINES.index("## Rules of the journal")
    table = {
        rule
        for line in LINES[begin:]
        if line.startswith("| `")
        for rule in re.findall(r"`([a-z-]+)`", line.split(" | ")[0])
    }
    code = "\n".join(path.read_text() for room in ROOMS for path in (ROOT / room).rglob("*.py"))
    assert [rule for rule in sorted(table - rules()) if f'"{rule}"' not in code] == []
