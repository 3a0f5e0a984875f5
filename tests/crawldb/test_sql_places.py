"""Where is SQL? Only in crawldb/, and one view says which pages are in the index.

Rooms query the crawl database by functions of crawldb/ whose rows have names. So all readers of a table are in one
folder. An extension keeps its own tables in a module `tables.py`.
"""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
OWN_TABLES = {  # databases of their own, which are none of the crawl's
    "robots_addon/state.py",  # what the add-on for other projects remembers
}
CALLS = {"execute", "executemany", "executescript"}
STATEMENT = re.compile(
    r"\b(SELECT [\w(*]|INSERT (OR \w+ )?INTO |UPDATE \w+ SET |DELETE FROM |CREATE (TEMP |VIRTUAL )?(TABLE|INDEX|VIEW) "
    r"|PRAGMA \w|SAVEPOINT \w|BEGIN IMMEDIATE)"
)
IN_THE_INDEX = re.compile(r"""(?<!SET )\brefusals\s*(?:=|==|!=|<>|IS(?: NOT)?)\s*['"]\[\]['"]""")


def rooms() -> list[str]:
    """Return the packages of the project, as import-linter is told of them."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    found: list[str] = settings["tool"]["importlinter"]["root_packages"]
    return found


def sql_in(source: str) -> list[str]:
    """Return what of a module is SQL, or executes it: the calls, and the texts that are no docstrings."""
    if not (STATEMENT.search(source) or any(name in source for name in (*CALLS, "find_row"))):
        return []  # to parse all modules would take seconds
    tree = ast.parse(source)
    bare = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}  # docstrings among them
    found = []
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(attr=name) if name in CALLS:
                found.append(f"line {node.lineno}: {name}")
            case ast.Name(id="find_row"):  # it takes columns as SQL has them
                found.append(f"line {node.lineno}: find_row")
            case ast.Constant(value=str(text)) if id(node) not in bare and STATEMENT.search(text):
                found.append(f"line {node.lineno}: {text[:60]}")
    return found


def test_what_is_sql_is_known() -> None:
    assert sql_in('rows = database.connection.execute(f"{_READ} WHERE id = 1")')
    assert sql_in("row = connection.execute")
    assert sql_in('count = database.count("SELECT count(*) FROM url")')
    assert sql_in('row = find_row(connection, "id", url)')
    assert not sql_in('def ask() -> None:\n    """SELECT is what the database is asked."""\n    print("Select a page")')
    asked = ("refusals = '[]'", "p.refusals != '[]'", "page.refusals IS NOT '[]'", 'if refusals == "[]":')
    assert all(map(IN_THE_INDEX.search, asked))
    assert not IN_THE_INDEX.search("UPDATE page SET refusals = '[]'")


def test_sql_stands_in_crawldb_alone() -> None:
    with_sql = {}
    for room in rooms():
        for path in (ROOT / room).rglob("*.py"):
            own_tables = room == "extensions" and path.name == "tables.py"
            if room != "crawldb" and not own_tables and (found := sql_in(path.read_text("utf-8"))):
                with_sql[path.relative_to(ROOT).as_posix()] = found
    strangers = {name: found for name, found in with_sql.items() if name not in OWN_TABLES}
    assert not strangers, f"make it a function of crawldb/ that returns rows by name: {strangers}"
    done = OWN_TABLES - with_sql.keys()
    assert not done, f"there is no SQL any more, so take them off the list: {done}"


def test_one_view_says_which_pages_are_in_the_index() -> None:
    places = [
        path.relative_to(ROOT).as_posix()
        for room in rooms()
        for ending in ("*.py", "*.sql")
        for path in (ROOT / room).rglob(ending)
        if path.parent.name != "migrations"  # what earlier databases lack
        for _ in IN_THE_INDEX.finditer(path.read_text("utf-8"))
    ]
    assert places == ["crawldb/schema.sql"]


def test_the_comments_of_the_schema_name_files_and_classes_that_there_are() -> None:
    named = re.findall(r"([a-z_/0-9]+\.py)(?:, ([A-Z]\w+))?", (ROOT / "crawldb" / "schema.sql").read_text("utf-8"))
    assert named
    for name, of_class in named:
        places = [path for path in (ROOT / name, ROOT / "crawldb" / name) if path.is_file()]
        assert places, f"schema.sql names {name}, which is not there"
        assert not of_class or re.search(rf"^class {of_class}\b", places[0].read_text("utf-8"), re.MULTILINE), named
