"""Is every public name documented, and every documented name real? Do names and sentences use the field's words?"""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from extension_points import added_settings
from indexer.analysis import words
from tests.docs.conftest import DOCS, OWN_ROOMS, ROOMS, ROOT, constants, name_of, pages, project_files

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

SETTINGS = constants(ROOT / "spiders" / "settings.py") | added_settings().keys()
GATEWAY = ROOT / "gateway"
LISTINGS = [ROOT / "commands" / "listing.txt", *ROOT.glob("extensions/*/listing.txt")]
COMMANDS = [line.split()[0] for path in LISTINGS for line in path.read_text().splitlines()]
# Filters for other Scrapy projects, as those in filters_addon/: with the names and settings that those projects use.
OF_OTHER_PROJECTS = frozenset({"extensions/spoofing/item_pipeline.py"})
ROUTES = {"route", "get", "post", "add_url_rule"}  # what Flask calls a view's registration


def modules_of(*rooms: str) -> list[Path]:
    paths = [path for room in rooms for path in (ROOT / room).rglob("*.py")]
    return [path for path in paths if name_of(path) not in OF_OTHER_PROJECTS]


def read_settings(paths: Iterable[Path]) -> set[str]:
    """Names that the code asks the settings for by a literal."""
    names = set()
    for path in paths:
        source = path.read_bytes()
        for node in ast.walk(ast.parse(source)) if b"settings" in source else ():
            asked = setting_asked(node)
            names |= {asked} if asked else set()
    return names


def setting_asked(node: ast.AST) -> str:
    """The literal in `settings["NAME"]` or `settings.getint("NAME")`, else nothing."""
    key: ast.expr | None = None
    if isinstance(node, ast.Subscript) and ends_in_settings(node.value):
        key = node.slice
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and ends_in_settings(node.func.value):
        key = node.args[0] if node.func.attr.startswith("get") and node.args else None
    literal = key.value if isinstance(key, ast.Constant) else None
    return literal if isinstance(literal, str) and literal.isupper() else ""


def ends_in_settings(node: ast.expr) -> bool:
    name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
    return name.endswith("settings")


@cache
def views() -> set[str]:
    """Paths that the gateway answers, read from where Flask is told of them."""
    paths = set()
    for module in GATEWAY.rglob("*.py"):
        for node in ast.walk(ast.parse(module.read_bytes())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ROUTES:
                first = node.args[0] if node.args else None
                if isinstance(first, ast.Constant) and str(first.value).startswith("/"):
                    paths.add(str(first.value))
    return paths


def prose() -> str:
    return "\n".join(path.read_text() for path in pages() if path.name != "CHANGELOG.md")


def test_every_setting_is_documented() -> None:
    text = (DOCS / "settings.md").read_text()
    assert not {name for name in SETTINGS if f"`{name}`" not in text}


def test_every_documented_setting_is_set() -> None:
    rows = re.findall(r"^\| *`([A-Z][A-Z0-9_]+)`", (DOCS / "settings.md").read_text(), re.MULTILINE)
    assert rows, "docs/settings.md has a table whose first column is the name in backticks"
    assert not set(rows) - SETTINGS


def test_every_setting_that_is_read_has_a_default() -> None:
    defaults = pytest.importorskip("scrapy.settings.default_settings")
    assert not read_settings(modules_of(*OWN_ROOMS)) - SETTINGS - set(vars(defaults))


def test_every_setting_of_the_add_on_stands_in_its_table() -> None:
    section = (DOCS / "scrapy.md").read_text().partition("## robots.txt")[2].partition("\n## ")[0]
    table = re.findall(r"^\| `([A-Z_]+)` \|", section, re.MULTILINE)
    of_scrapy = {"USER_AGENT", "DOWNLOAD_DELAY", "ROBOTSTXT_OBEY"}
    assert sorted(table) == sorted(read_settings(modules_of("robots_addon")) - of_scrapy)


def test_every_setting_of_a_part_for_other_projects_is_documented() -> None:
    read = read_settings(ROOT / name for name in OF_OTHER_PROJECTS)
    assert read, "a filter that reads no setting needs no place in OF_OTHER_PROJECTS"
    read |= read_settings(modules_of("package/breadcrumb/scrapy", "filters_addon")) - {"USER_AGENT"}
    text = (DOCS / "scrapy.md").read_text()
    assert not {name for name in read if f"`{name}`" not in text}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_documented(name: str) -> None:
    assert re.search(rf"`(\./)?(breadcrumb )?{name}\b", (DOCS / "commands.md").read_text())


def test_every_command_in_the_documentation_exists() -> None:
    known = {*COMMANDS, "COMMAND"}
    shown = re.findall(r"(?:^|[`$/ ])breadcrumb ([a-z]+)\b(?=[^.:;,]*`)", prose(), re.MULTILINE)
    assert set(shown) <= known


def test_every_view_of_the_gateway_is_documented() -> None:
    assert views(), "the gateway tells Flask its paths by literals"
    text = prose()
    assert not {path for path in views() if not re.search(rf"[`/ ]{re.escape(path)}[`? \n]", text)}


def test_every_room_has_its_heading_in_the_architecture() -> None:
    text = (DOCS / "architecture.md").read_text()
    folders = {path.name for path in Path(ROOT).iterdir() if path.is_dir() and not path.name.startswith(".")}
    here = folders & {*ROOMS, "tests", "docs", "bench"}
    assert not {folder for folder in here if not re.search(rf"^#+ `{folder}/`", text, re.MULTILINE)}


HOOKS = {"add_arguments", "run"}  # what each command has, under the names that the line of words calls


@pytest.mark.slow
def test_one_thing_has_one_name_in_all_rooms() -> None:
    places: dict[str, list[str]] = {}
    for path in modules_of(*OWN_ROOMS):
        for node in ast.parse(path.read_bytes()).body:
            if not isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
                continue
            extends = any(isinstance(each, ast.Name) and each.id == "extends" for each in node.decorator_list)
            if not node.name.startswith("_") and node.name not in HOOKS and not extends:
                places.setdefault(node.name, []).append(name_of(path))
    assert {name: files for name, files in places.items() if len(files) > 1} == {}


# Words with a meaning of their own in this project, and what its readers know instead.
PRIVATE_ANYWHERE = {
    "told": "logged, reported or shown",
    "ledger": "a collaborator by its own name",
    "landmark": "position of a token",
    "heard": "received, or a heartbeat",
    "spoken": "text or title",
    "entrance": "home page",
    "tether": "parent watch",
    "residue": "remaining terms",
    "likeness": "similarity",
    "question": "query",
}
PRIVATE_IN_NAMES = PRIVATE_ANYWHERE | {
    "ending": "outcome",
    "lid": "view",
    "worth": "priority",
    "said": "text",
    "account": "report",
    "given": "run spec",
    "lesson": "fact of a site",
    "letter": "message",
    "belongings": "files of a folder",
    "judgement": "verdict, in robots/",
    "asked": "requested",
    "answer": "result or response",
}
PRIVATE_IN_SENTENCES = PRIVATE_ANYWHERE | {
    "tells": "shows, reports or describes",
    "whoever": "the subject itself",
    "anew": "again",
    "stands? for": "represents, or a variant of",
    "promised?": "priority",
    "ma(?:de|kes?)[ -]up": "generated",
    "beside(?!s)": "next to, or compared with",
    "(?:go|goes|going|went) on": "continue",
    "as one": "together",
    "asked for": "requested",
}
# Plain English that the documentation does not happen to use.
PLAIN = re.findall(
    r"\w+",
    """
    alphabet analyzed analyzer app authorship awaited axis branch buffer channel checkpoints committing
    contribution copier corrupt costly coverage covered cutter declaration delivery disguise dispatcher drawn
    encoder factory flat flattening forecast gather joinable lazy leaf lexicon lm mailbox mapping matrix mini
    minimum misleading neighbourhood outgoing parent placement provenance rarities ready refiltered relations
    reservations rewriter role runner selection sequence singly sitelink sliced sought span spec spellchecker
    stray stretch sub summed survey surveyed tally throttle throughput tolerant transformer unusable usage
    variant variants vocabulary
    """,
)
ENDS = ("s", "es", "d", "ed", "r", "er", "or", "ing", "ion", "ions", "ers")


@cache
def words_of_names() -> dict[str, str]:
    """Return each word of the names of modules and classes, in lower case, with a file that has it."""
    found: dict[str, str] = {}
    for room in OWN_ROOMS:
        for path in sorted((ROOT / room).rglob("*.py")):
            classes = re.findall(r"^ *class (\w+)[:(]", path.read_text("utf-8"), re.MULTILINE)
            for name in (*path.relative_to(ROOT).with_suffix("").parts, *classes):
                for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name):
                    found.setdefault(word.lower(), f"{name} ({path.relative_to(ROOT)})")
    return found


def test_no_module_or_class_has_a_private_word_in_its_name() -> None:
    named = words_of_names()
    private = {
        named[word]: instead
        for word, instead in PRIVATE_IN_NAMES.items()
        for word in (word, f"{word}s")
        if word in named
    }
    assert not private, f"use the word of the field: {private}"


def test_names_are_made_of_words_that_the_documentation_uses_or_of_plain_english() -> None:
    used = set(re.findall(r"[a-z]+", " ".join(page.read_text("utf-8") for page in pages()).lower()))

    def known(word: str) -> bool:
        stems = {word, *(word.removesuffix(end) for end in ENDS), *(f"{word.removesuffix(end)}e" for end in ENDS)}
        return bool(used & {stem + end for stem in stems for end in ("", *ENDS)}) or word in PLAIN

    unknown = {word: name for word, name in words_of_names().items() if not known(word)}
    assert not unknown, f"explain it in docs/glossary.md, or choose a word that people know: {unknown}"


SQL = re.compile(r"\b(?:SELECT|INSERT|UPDATE|DELETE|FROM|JOIN|WHERE)\b")
TEXT_IN_SQL = re.compile(r"'([^']*)'")
TEXT_IN_CODE = re.compile(r'"([^"\n]*)"|`([^`]*)`')
JINJA = re.compile(r"\{#.*?#\}|\{[{%](.*?)[}%]\}", re.DOTALL)
TAG = re.compile(r"<[^>]*>")
SHOWN_ATTRIBUTE = re.compile(r'\b(?:aria-label|title|alt|placeholder|content)="([^"]*)"')
ALLOWED = {  # a file, or a sentence; each with the reason why its word is not a private one
    words._ENGLISH: "the stop words",
    "not a page: answer to another method, or to a made-up address": "a key of the JSON of `import`, printed otherwise",
    ": answer to another method, or to a made-up address": "the same key, where it is made",
}


def sentences(path: Path) -> Iterator[str]:
    """Yield the texts with a blank that a file may print; docstrings, comments and code of templates are left out."""
    text = path.read_text("utf-8")
    if path.suffix == ".js":
        yield from ("".join(found) for found in TEXT_IN_CODE.findall(text))
    elif path.suffix in {".html", ".xml"}:
        text = JINJA.sub(
            lambda code: " ".join(text for text, _ in TEXT_IN_CODE.findall(code[1] or "") if " " in text), text
        )
        yield from SHOWN_ATTRIBUTE.findall(text)
        yield from TAG.sub("\n", text).splitlines()
    else:
        for literal in literals(text):
            yield from TEXT_IN_SQL.findall(literal) if SQL.search(literal) else [literal]


def literals(source: str) -> Iterator[str]:
    """Yield the string literals of a module. Docstrings are left out: expressions whose value nothing uses."""
    nodes = list(ast.walk(ast.parse(source)))
    bare = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in bare:
            yield node.value


@cache
def printed_sentences() -> tuple[tuple[str, str], ...]:
    """Return each file that prints with each of its texts. The pages of the practice web are its own."""
    rooms = {*ROOMS} - {"demo"}
    files = [path for path in project_files() if path.relative_to(ROOT).parts[0] in rooms | {"breadcrumb"}]
    read = [path for path in files if path.suffix in {".py", ".html", ".xml", ".js"} or path.name == "breadcrumb"]
    return tuple((name_of(path), text) for path in read for text in sentences(path) if " " in text.strip())


def test_no_printed_sentence_has_a_private_word() -> None:
    found, allowed = [], set()
    for word, instead in PRIVATE_IN_SENTENCES.items():
        private = re.compile(rf"\b(?:{word})s?\b", re.IGNORECASE)
        for name, text in printed_sentences():
            if private.search(text):
                kept = {name, text} & ALLOWED.keys()
                allowed |= kept
                found += [] if kept else [f"{name}: {text.strip()[:120]!r}: not {word!r}, but {instead}"]
    assert not found, "\n".join(found)
    assert allowed == ALLOWED.keys(), "an exception that nothing needs any more"


@pytest.mark.parametrize(
    ("name", "source", "texts"),
    [
        pytest.param("a.py", '"""It was told."""\nprint(f"{x} was told {y}")  # told', [" was told "], id="a literal"),
        pytest.param(
            "a.py", """SQL = "SELECT told, coalesce(why, 'not yet told') FROM x\"""", ["not yet told"], id="SQL"
        ),
        pytest.param(
            "a.html", '{# told #}<p class="told x">told {{ "told you" if told }}</p>', ["told told you"], id="HTML"
        ),
        pytest.param("a.html", '<a title="told you" href="told you">x y</a>', ["told you", "x y"], id="an attribute"),
        pytest.param("a.js", "// it's told\nshow(`told ${x}`)", ["told ${x}"], id="a script"),
    ],
)
def test_the_sentences_of_a_file_are_what_it_can_print(
    tmp_path: Path, name: str, source: str, texts: list[str]
) -> None:
    (tmp_path / name).write_text(source)
    assert [text for text in sentences(tmp_path / name) if " " in text.strip()] == texts
