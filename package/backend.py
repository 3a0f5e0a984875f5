"""How is Breadcrumb packed? As one wheel and one source archive, whose bytes depend on their content alone (PEP 517).

setuptools writes the metadata. The files are placed here: the engine's packages lie in a folder of the package
`breadcrumb`, which has the version in its name. Two builds give the same bytes, whatever the clock, the umask, the
order of the disk and the remains of an earlier build: names are sorted, and times and modes are fixed.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import shutil
import sys
import tarfile
import tempfile
import time
import zipfile
from base64 import urlsafe_b64encode
from hashlib import sha256
from pathlib import Path

if sys.version_info < (3, 11):  # noqa: UP036 - pip asks before it has read which Python the project needs
    raise SystemExit(
        f"Breadcrumb needs Python 3.11 or newer, and this is {sys.version.split()[0]} at {sys.executable}.\n"
        f"What would work: python3.13 -m pip install …, or uv tool install --python 3.13 …"
    )
import tomllib

from licences import listed, locked  # backend-path in pyproject.toml leads here

ROOT = Path(__file__).resolve().parents[1]
ENGINE = (
    "commands", "crawldb", "demo", "extension_points", "extensions", "filters_addon", "frontier", "gateway", "indexer",
    "pages", "pipelines", "reports", "robots", "robots_addon", "spiders", "textbook", "urls",
    "own_spiders/__init__.py", "docs/glossary.md", "docs/labs", "scrapy.cfg",
)  # fmt: skip
METADATA = ("pyproject.toml", "README.md", "LICENSE", "package/third_party")  # what setuptools makes the metadata of
SOURCES = (
    *METADATA, *ENGINE, "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "Containerfile", "Containerfile.cluster",
    "bench", "breadcrumb", "docs", "import_circles.toml", "package", "requirements-build.lock",
    "requirements-cluster-test.lock", "requirements-cluster.lock", "requirements-pip.lock", "requirements-test.lock",
    "requirements.lock", "setup.py", "tests",
)  # fmt: skip
WHEEL = b"Wheel-Version: 1.0\nGenerator: breadcrumb\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
NOT_FROM_SETUPTOOLS = frozenset({"RECORD", "WHEEL", "top_level.txt"})  # it does not know the files
EARLIEST = 315532800  # 1980-01-01, the first day that a zip archive knows; SOURCE_DATE_EPOCH may name another


def files_below(*names: str) -> list[tuple[str, Path]]:
    """Return the files of the project below some names, sorted, each with its path from the root.

    Hidden files, compiled ones and results of measurements are left out.
    """
    found = set()
    for path in (ROOT / name for name in names):
        found |= {path} if path.is_file() else {each for each in path.rglob("*") if each.is_file()}
    kept = {path.relative_to(ROOT).as_posix(): path for path in found}
    return sorted((name, path) for name, path in kept.items() if _is_source(name))


def _is_source(name: str) -> bool:
    parts = name.split("/")
    hidden = any(part.startswith(".") or part == "__pycache__" or part.endswith(".egg-info") for part in parts)
    return not hidden and not name.startswith("bench/results/")


def build_time() -> int:
    """Return the time that every packed file has, in seconds since 1970."""
    return max(EARLIEST, int(os.environ.get("SOURCE_DATE_EPOCH", EARLIEST)))


def metadata() -> dict[str, bytes]:
    """Return the files of the `.dist-info` folder as setuptools makes them, by path."""
    from setuptools import build_meta  # noqa: PLC0415 - the source archive and this file's reader need no setuptools

    with tempfile.TemporaryDirectory() as folder:  # it looks through all that lies beside pyproject.toml
        for name, path in files_below(*METADATA):
            (Path(folder) / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, Path(folder) / name)
        before = Path.cwd()
        os.chdir(folder)
        try:
            made = Path(folder) / build_meta.prepare_metadata_for_build_wheel(folder)
        finally:
            os.chdir(before)
        files = [path for path in made.rglob("*") if path.is_file() and path.name not in NOT_FROM_SETUPTOOLS]
        return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def bill_of_materials() -> bytes:
    """Return the packages of requirements.lock, with versions, hashes and licences, as CycloneDX JSON (an SBOM)."""
    components, found = [], listed()
    for name, version, files in locked():
        purl = f"pkg:pypi/{name}@{version}"
        hashes = [{"alg": "SHA-256", "content": content} for content in files]
        components.append({
            "type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl,
            "licenses": [_licence(found[name])],
            "externalReferences": [{"type": "distribution", "url": purl, "hashes": hashes}],
        })  # fmt: skip
    project = {"type": "application", "name": _project("name"), "version": _project("version")}
    document = {
        "bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
        "metadata": {"component": project | {"licenses": [_licence(_project("license"))]}}, "components": components,
    }  # fmt: skip
    return json.dumps(document, indent=1, sort_keys=True).encode() + b"\n"


def _licence(words: str) -> dict[str, object]:
    """Return an SPDX expression as CycloneDX has it, or as a name if it is in quotes: it is no expression then."""
    if words.startswith('"'):
        return {"license": {"name": words.strip('"'), "acknowledgement": "declared"}}
    return {"expression": words, "acknowledgement": "declared"}


def _project(key: str) -> str:
    return str(tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"][key])


def package() -> dict[str, bytes]:
    """Return the files of the package `breadcrumb`, by path."""
    own, engine = files_below("package/breadcrumb"), f"breadcrumb/engine-{_project('version')}"
    placed = {name.removeprefix("package/"): path for name, path in own}
    placed |= {f"{engine}/{name}": path for name, path in files_below(*ENGINE)}
    return {name: path.read_bytes() for name, path in placed.items()}


def write_wheel(folder: str, content: dict[str, bytes]) -> str:
    """Write a wheel with these files beside its metadata, and return its name."""
    described = metadata()
    [info] = {name.split("/")[0] for name in described}
    stem = info.removesuffix(".dist-info")
    described[f"{info}/WHEEL"] = WHEEL
    described[f"{info}/sboms/{stem}.cdx.json"] = bill_of_materials()  # where PEP 770 has it
    packed = dict(sorted(content.items())) | dict(sorted(described.items()))  # metadata last, as the standard advises
    rows = io.StringIO()
    writer = csv.writer(rows, lineterminator="\n")
    for name, data in packed.items():
        digest = urlsafe_b64encode(sha256(data).digest()).rstrip(b"=").decode()
        writer.writerow((name, f"sha256={digest}", len(data)))
    writer.writerow((f"{info}/RECORD", "", ""))
    packed[f"{info}/RECORD"] = rows.getvalue().encode()
    name = f"{stem}-py3-none-any.whl"
    with zipfile.ZipFile(Path(folder) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in packed.items():
            entry = zipfile.ZipInfo(path, time.gmtime(build_time())[:6])
            entry.external_attr = 0o100644 << 16
            wheel.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return name


def build_wheel(wheel_directory: str, config_settings: object = None, metadata_directory: object = None) -> str:
    """Write the wheel, and return its name."""
    del config_settings, metadata_directory
    return write_wheel(wheel_directory, package())


def build_editable(wheel_directory: str, config_settings: object = None, metadata_directory: object = None) -> str:
    """Write a wheel that leads to this folder, for `pip install --editable`, and return its name."""
    del config_settings, metadata_directory
    return write_wheel(wheel_directory, {"breadcrumb-search.pth": f"{ROOT / 'package'}\n".encode()})


def build_sdist(sdist_directory: str, config_settings: object = None) -> str:
    """Write the source archive, and return its name."""
    del config_settings
    described = metadata()
    [info] = {name.split("/")[0] for name in described}
    stem = info.removesuffix(".dist-info")
    packed = {name: (path.read_bytes(), path.stat().st_mode) for name, path in files_below(*SOURCES)}
    packed["PKG-INFO"] = described[f"{info}/METADATA"], 0o644
    archive = Path(sdist_directory) / f"{stem}.tar.gz"
    with (
        archive.open("wb") as file,
        gzip.GzipFile("", "wb", fileobj=file, mtime=build_time()) as zipped,
        tarfile.open(fileobj=zipped, mode="w", format=tarfile.PAX_FORMAT) as tar,
    ):
        for name, (data, mode) in sorted(packed.items()):
            entry = tarfile.TarInfo(f"{stem}/{name}")
            entry.size, entry.mtime = len(data), build_time()
            entry.mode = 0o755 if mode & 0o100 else 0o644
            tar.addfile(entry, io.BytesIO(data))
    return archive.name
