"""Where is the engine, and is it the only one that has its names?

The engine's packages import each other by plain names: `urls`, `robots`, `pages`. In a clone they lie in its root. In a
wheel they lie in a folder of the package that has the version in its name, so that a process which began before an
upgrade never loads half of the next version. Nothing of it is a top-level name of the environment: `put_first` makes
the names known to one process, and says which other module of the same name would hide there.
"""

from __future__ import annotations

import sys
from importlib.machinery import PathFinder
from pathlib import Path

DISTRIBUTION = "breadcrumb-search"  # the name for pip: `breadcrumb` itself is another project
NAMES = (
    "commands", "crawldb", "demo", "extension_points", "extensions", "filters_addon", "frontier", "gateway", "indexer",
    "own_spiders", "pages", "pipelines", "reports", "robots", "robots_addon", "spiders", "textbook", "urls",
)  # fmt: skip
HERE = Path(__file__).resolve().parent
REPAIR = f"python3 -m pip install --force-reinstall {DISTRIBUTION}"


class EngineError(ImportError):
    """The engine can't be loaded. The message names the reason and the remedy."""


def without_module(name: str) -> str:
    """Return the sentence on a module that the engine needs and that is not installed."""
    return f"the package of the module {name!r} is missing, so the installation is not complete: {REPAIR}"


def is_whole(engine: Path) -> bool:
    """Return whether a folder holds an engine: an upgrade may leave one with compiled files alone."""
    return (engine / "commands" / "__main__.py").is_file()


def find_engine() -> Path:
    """Return the folder of the engine's packages. Raises EngineError if an installation is not complete."""
    found = sorted(path for path in HERE.glob("engine-*") if is_whole(path))
    if len(found) == 1:
        return found[0]
    if not found and (HERE.parents[1] / "breadcrumb").is_file():
        return HERE.parents[1]  # a clone, with its launcher
    state = f"the engines of {len(found)} versions" if found else "no engine"
    raise EngineError(f"{HERE} has {state}: an installation was cut short. Repeat it: {REPAIR}")


def version() -> str:
    """Return the version of this package: of a wheel that of its engine's folder, of a clone that of its project."""
    engine = find_engine()
    if engine.parent == HERE:
        return engine.name.removeprefix("engine-")
    import tomllib  # noqa: PLC0415 - a clone alone needs it

    project = tomllib.loads((engine / "pyproject.toml").read_text("utf-8"))["project"]
    return str(project["version"])


def rivals(engine: Path, path: list[str]) -> dict[str, str]:
    """Return the other modules that have a name of the engine, with their place: loaded already, or found on `path`."""
    others = [folder for folder in path if Path(folder).resolve() != engine]
    places = {}
    for name in NAMES:
        loaded = sys.modules.get(name)
        spec = loaded.__spec__ if loaded else PathFinder.find_spec(name, others)
        if spec is not None and spec.origin and not Path(spec.origin).resolve().is_relative_to(engine):
            places[name] = spec.origin
    return places


def put_first(*, alone: bool = False) -> Path:
    """Make the engine's packages known by their names, and return their folder.

    Raises EngineError if a name leads to another module: Python knows a module by its name alone, so one of the two
    would be taken for the other. A process that is the engine's `alone` may hide other modules, if none is loaded yet.
    """
    engine = find_engine()
    for name, place in rivals(engine, [] if alone else sys.path).items():
        raise EngineError(
            f"{place} has the name {name!r}, as a package of Breadcrumb's engine has, and a process can load only one "
            f"of them. Rename it, or start Python where it is not found. The command breadcrumb works with both"
        )
    if sys.path[0] != str(engine):
        sys.path[:] = [str(engine), *(folder for folder in sys.path if folder != str(engine))]
    return engine
