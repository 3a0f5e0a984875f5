"""How is XML of unknown origin read? By lxml, hardened, as events and without a tree: feeds, and parts of office files.

Nothing is looked up, entities are not replaced, and libxml2's own limits apply (`huge_tree` is off). A DOCTYPE is an
error: only an attack needs one in these formats. Memory grows with depth, with the number of distinct names, and with
the length of one tag. All three are bounded.

lxml's recovery is off, because libxml2 then invents what it can't read: it takes the URL `?a=1&b=2` for `?a=1=2`. Names
count without their namespace, because real files declare none, a wrong one, or their own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lxml import etree

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MAX_DEPTH = 200  # elements within each other; tables in tables of a text document have 60
MAX_NAMES = 1000  # distinct names of elements and attributes; all of a large text document are 300
PIECE_BYTES = 64 * 1024
MAX_SILENCE = 1024 * 1024  # bytes without an event: a tag or a comment that has no end


class UnreadableXml(Exception):
    """The rest of a file is not read; the message says why."""


class XmlEvents:
    """Takes the events of one file: a subclass has `opened`, `closed` and `said`."""

    def __init__(self) -> None:
        self.path: list[str] = []  # names of the elements that are open
        self._names: set[str] = set()
        self._events = 0

    def opened(self, name: str, attributes: Mapping[str, str]) -> None:
        """Take the start of an element; it is on the path already. Names are without namespaces."""

    def closed(self, name: str) -> None:
        """Take the end of an element, which is still on the path."""

    def said(self, text: str) -> None:
        """Take a piece of text."""

    # What lxml calls:

    def start(self, tag: str, attrib: Mapping[str, str]) -> None:
        """Bound what comes, and pass it on."""
        self._events += 1
        name = without_namespace(tag)
        self.path.append(name)
        self._names.add(tag)
        self._names.update(attrib)
        if len(self.path) > MAX_DEPTH:
            raise UnreadableXml(f"its elements stand more than {MAX_DEPTH} deep within each other")
        if len(self._names) > MAX_NAMES:
            raise UnreadableXml(f"it has more than {MAX_NAMES} names of elements and attributes")
        self.opened(name, {without_namespace(key): value for key, value in attrib.items()})

    def end(self, tag: str) -> None:
        """Pass it on."""
        self._events += 1
        self.closed(without_namespace(tag))
        self.path.pop()

    def data(self, text: str) -> None:
        """Pass it on."""
        self._events += 1
        self.said(text)

    def doctype(self, *_: object) -> None:
        """Refuse it."""
        raise UnreadableXml("it has a DOCTYPE, which it does not need")

    def close(self) -> None:
        """Nothing is left to do."""

    def read(self, body: bytes) -> None:
        """Read a file. Raises UnreadableXml where it is no XML any longer; everything before that was passed on."""
        parser = etree.XMLParser(
            target=self,
            resolve_entities=False,
            no_network=True,
            load_dtd=False,
            dtd_validation=False,
            attribute_defaults=False,
            huge_tree=False,
        )
        silence = events = 0
        try:
            for piece in pieces_of(body):
                parser.feed(piece)
                silence = silence + len(piece) if self._events == events else 0
                events = self._events
                if silence > MAX_SILENCE:
                    raise UnreadableXml(f"a tag or a comment has over {MAX_SILENCE} bytes")
            parser.close()
        except (etree.LxmlError, ValueError, LookupError) as error:
            raise UnreadableXml(f"its XML is broken ({str(error)[:200]})") from error


def pieces_of(body: bytes) -> Iterable[bytes]:
    """Return the pieces in which a file is read."""
    return (body[start : start + PIECE_BYTES] for start in range(0, len(body), PIECE_BYTES))


def without_namespace(name: str) -> str:
    """Return a name without its namespace or prefix."""
    return name.rpartition("}")[2].rpartition(":")[2]
