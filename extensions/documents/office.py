"""How is an office file read? Word (docx), slides (pptx) and OpenDocument (odt, odp): XML in a ZIP archive.

Only the parts with text are unpacked. lxml reads them, hardened as for feeds. The well-known readers (python-docx,
python-pptx, odfpy) build a model of the whole file, load pictures with Pillow, and have no bounds. A search engine only
needs a walk over paragraphs (docs/decisions). The structure is that of ECMA-376 and of OpenDocument 1.3.

An archive may lie about sizes, so this reader counts the bytes as it unpacks them: at most `MAX_UNPACKED` of all parts.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from pages.xml_events import UnreadableXml, XmlEvents
from urls.wording import counted, whole_characters

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_UNPACKED = 64 * 1024 * 1024  # bytes of the XML of one file: a thousand pages of text have 10 MB
MAX_PARTS = 10_000  # entries of an archive; a file of 1,000 slides has 4,000
MAX_CHARS = 2_000_000  # of text, as of a page
MAX_LINKS = 5000
MAX_TITLE_CHARS = 512
_BREAKS = frozenset({"p", "h", "tr", "table-row", "br", "cr", "line-break", "list-item"})
_ENDS_HEADING = frozenset({"p", "h"})
_BLANKS = frozenset({"tab", "tc", "table-cell", "s"})
# Text that is there twice, or was deleted, or is about the text.
_LEFT_OUT = frozenset({"Fallback", "tracked-changes", "annotation", "forms"})
_HEADING_STYLE = re.compile(r"(?:heading|title|überschrift|titre|제목|見出し)", re.IGNORECASE)
_SLIDE = re.compile(r"ppt/slides/slide([0-9]{1,6})\.xml")
_CORE = {"title": "title", "created": "published", "modified": "modified", "language": "language"}
_META = {"title": "title", "creation-date": "published", "date": "modified", "language": "language"}


class NotReadable(Exception):
    """An unreadable file; the message has the reason."""


@dataclass(slots=True)
class Extract:
    """The content of a file. Dates are in seconds since the epoch."""

    title: str = ""
    lines: list[str] = field(default_factory=list)
    headings: list[str] = field(default_factory=list)
    links: list[tuple[str, str]] = field(default_factory=list)  # address, words
    language: str = ""
    published: float | None = None
    modified: float | None = None
    pages: int = 0
    warnings: list[str] = field(default_factory=list)
    chars: int = 0

    def add(self, line: str, *, heading: bool = False) -> bool:
        """Take a line; return False once the file has reached the limit of text."""
        line = in_one_line(line)
        if line:
            self.lines.append(line[: MAX_CHARS - self.chars])
            self.chars += len(line)
            if heading:
                self.headings.append(line[:MAX_TITLE_CHARS])
        return self.chars < MAX_CHARS


def in_one_line(text: str) -> str:
    """Return a text without line breaks, NULs and surrogates, which no later step can hold."""
    return " ".join(whole_characters(text.replace("\0", "")).split())


class _Archive:
    """The parts of an archive, unpacked within a bound."""

    def __init__(self, body: bytes) -> None:
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(body))
        except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
            raise NotReadable(f"it is no ZIP archive, or a broken one ({error})") from error
        names = self._zip.namelist()
        if len(names) > MAX_PARTS:
            raise NotReadable(f"its archive has {len(names)} parts, and at most {MAX_PARTS} are looked through")
        self.names = frozenset(names)
        self.broken_beside: list[str] = []  # the faults of parts without which the text is still the text
        self._left = MAX_UNPACKED

    def part(self, name: str) -> bytes | None:
        """Return a part, or None."""
        if name not in self.names:
            return None
        try:
            with self._zip.open(name) as packed:
                data = packed.read(self._left + 1)
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError) as error:
            raise NotReadable(f"its part {name[:100]} is broken ({error})") from error
        except (RuntimeError, NotImplementedError) as error:
            raise NotReadable(f"its part {name[:100]} is encrypted, or packed in a way that is not undone") from error
        self._left -= len(data)
        if self._left < 0:
            raise NotReadable(f"it unpacks to more than {MAX_UNPACKED} bytes of XML")
        return data


def read_office(body: bytes) -> Extract:
    """Read an office file. Raises NotReadable."""
    archive = _Archive(body)
    extract = Extract()
    if "word/document.xml" in archive.names:
        parts = [("word/document.xml", "word/_rels/document.xml.rels")]
        about, names = "docProps/core.xml", _CORE
    elif "content.xml" in archive.names:
        parts, about, names = [("content.xml", "")], "meta.xml", _META
    else:
        slides = sorted((int(match[1]), name) for name in archive.names if (match := _SLIDE.fullmatch(name)))
        if not slides:
            raise NotReadable("its archive is neither a text document nor slides (docx, odt, odp, pptx)")
        parts = [(name, f"ppt/slides/_rels/slide{number}.xml.rels") for number, name in slides]
        about, names = "docProps/core.xml", _CORE
        extract.pages = len(slides)
    _read_beside(_About(names, extract), archive, about)
    try:
        for name, relations in parts:
            links = _Relations()
            _read_beside(links, archive, relations)
            _read(_Paragraphs(links.found, extract), archive, name)
    except UnreadableXml as fault:
        raise NotReadable(str(fault)) from fault
    except _EnoughError:
        extract.warnings.append(f"the text has more than {MAX_CHARS} characters: the rest was left out")
    if broken := archive.broken_beside:
        extract.warnings.append(f"{counted(len(broken), 'part')} with metadata or links left out: {broken[0]}")
    return extract


class _Relations(XmlEvents):
    """The targets of a part's external links by their ids."""

    def __init__(self) -> None:
        super().__init__()
        self.found: dict[str, str] = {}

    def opened(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "Relationship" and attributes.get("TargetMode") == "External" and len(self.found) < MAX_LINKS:
            self.found[attributes.get("Id", "")] = attributes.get("Target", "")


class _About(XmlEvents):
    """The metadata of a file: Dublin Core."""

    def __init__(self, names: Mapping[str, str], extract: Extract) -> None:
        super().__init__()
        self._keys = names
        self._extract = extract
        self._text = ""

    def opened(self, name: str, attributes: Mapping[str, str]) -> None:  # noqa: ARG002 - the name says enough
        self._text = ""

    def said(self, text: str) -> None:
        self._text += text[: MAX_TITLE_CHARS - len(self._text)]

    def closed(self, name: str) -> None:
        key, text = self._keys.get(name), " ".join(self._text.split())
        if key in {"title", "language"} and text:
            setattr(self._extract, key, text)
        elif key and text:
            setattr(self._extract, key, iso_moment(text))


class _Paragraphs(XmlEvents):
    """The paragraphs of a part, their headings and links."""

    def __init__(self, relations: Mapping[str, str], extract: Extract) -> None:
        super().__init__()
        self._relations = relations
        self._extract = extract
        self._line: list[str] = []
        self._heading = False
        self._link: tuple[str, int, str] | None = None  # target of the open link, where its words begin, what ends it
        self._left_out = 0  # the depth of the skipped element; 0: none is

    def opened(self, name: str, attributes: Mapping[str, str]) -> None:
        if self._left_out:
            return
        if name in _LEFT_OUT:
            self._left_out = len(self.path)
        elif name in {"hyperlink", "a", "hlinkClick"}:
            target = attributes.get("href") or self._relations.get(attributes.get("id", ""), "")
            ends_at = "r" if name == "hlinkClick" else name  # slides name the link inside a run of text
            self._link = (target, len(self._line), ends_at) if target else None
        elif _begins_heading(name, attributes):
            self._heading = True
        elif name in _BLANKS:
            self._line.append(" ")

    def said(self, text: str) -> None:
        # Office Open XML has words in `t` alone, OpenDocument anywhere in a paragraph.
        if not self._left_out and (
            self.path[-1] == "t" or (self.path[0] == "document-content" and self._is_in_paragraph())
        ):
            self._line.append(text)

    def closed(self, name: str) -> None:
        if self._left_out:
            self._left_out = 0 if len(self.path) == self._left_out else self._left_out
            return
        if self._link and name == self._link[2]:
            self._end_link(*self._link[:2])
        if name == "sp":
            self._heading = False  # an empty title of a slide
        if name in _BREAKS:
            self._link = None
            is_full = not self._extract.add("".join(self._line), heading=self._heading and name in {"p", "h"})
            self._line = []
            self._heading = self._heading and name not in _ENDS_HEADING
            if is_full:
                raise _EnoughError

    def _end_link(self, target: str, begins: int) -> None:
        words = " ".join("".join(self._line[begins:]).split())
        if words and len(self._extract.links) < MAX_LINKS:
            self._extract.links.append((target, words[:200]))
        self._link = None

    def _is_in_paragraph(self) -> bool:
        return "p" in self.path or "h" in self.path


def _begins_heading(name: str, attributes: Mapping[str, str]) -> bool:
    """Return whether an element marks the open paragraph, or the next one, as a heading."""
    if name == "pStyle":
        return _HEADING_STYLE.match(attributes.get("val", "")) is not None
    return name == "h" or (name == "ph" and attributes.get("type") in {"title", "ctrTitle"})


class _EnoughError(Exception):
    """The file has reached the limit of text."""


def _read(events: XmlEvents, archive: _Archive, name: str) -> None:
    data = archive.part(name)
    if not data:
        return
    try:
        events.read(data)
    except UnreadableXml as fault:
        raise UnreadableXml(f"its part {name[:100]}: {fault}") from fault


def _read_beside(events: XmlEvents, archive: _Archive, name: str) -> None:
    """Read metadata or the targets of links: if they are broken, the text is still the text."""
    try:
        _read(events, archive, name)
    except UnreadableXml as fault:
        archive.broken_beside.append(str(fault))


def iso_moment(text: str) -> float | None:
    """Return a date of ISO 8601 in seconds since the epoch; None if it is invalid."""
    try:
        read = datetime.fromisoformat(text[:40])
        return (read if read.tzinfo else read.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None
