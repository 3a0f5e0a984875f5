# ruff: noqa: RUF001 - letters of other scripts are what this is about
"""Which words tell where a link leads, where its own say nothing? Those beside it in the same line of text.

"The manual for the oven is here": the link says "here", and what it leads to is said around it. Only such links are
looked at ("here", "more", a picture without words); a link with words of its own is described by them best.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pages.visible_text import BLOCKS, MARK, MARK_CHARS

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

MAX_SIDE_CHARS = 80  # on each side of the link
MAX_STEPS = 6  # pieces of text on each side, and inline elements around the link, that are looked at
MAX_SILENT_LINKS = 100  # of a page whose surroundings are looked at
_EDGES = BLOCKS | {"html", "head", "body", "a", "img"}  # where the line of a link ends; a cell has a mark
_NOTHING = frozenset(
    line.strip()
    for line in """
    here|click here|this|this page|this link|link|more|read more|learn more|see more|more info|details|download|pdf
    continue reading|hier|hier klicken|mehr|weiterlesen|mehr lesen|ici|cliquez ici|lire la suite|en savoir plus
    aquí|aqui|haga clic aquí|más|leer más|clique aqui|saiba mais|leia mais|qui|clicca qui|leggi tutto
    tutaj|więcej|czytaj dalej|zde|více|buraya|devamı|здесь|тут|сюда|подробнее|далее|ещё|докладніше|читать далее
    こちら|ここ|詳細|続きを読む|もっと見る|여기|여기를 클릭|더 보기|자세히
    这里|點這裡|点击这里|更多|詳情|详情|هنا|المزيد
    """.replace("\n", "|").split("|")
    if line.strip()  # signs alone say something: `>>` is an operator
)


def says_nothing(text: str) -> bool:
    """Return whether the words of a link say nothing of where it leads."""
    if not text:
        return True
    return len(text) <= MAX_SIDE_CHARS and text.strip(" \t.:;!…«»‹›<>→[]()").casefold() in _NOTHING


def words_around(node: LexborNode, text: str) -> str:
    """Return `text`, the words of a link, between those beside it in its line; empty where nothing stands there."""
    place = node
    for _ in range(MAX_STEPS):
        before, after = _beside(place, forward=False), _beside(place, forward=True)
        if before or after:
            return " ".join(filter(None, (before, text, after)))
        parent = place.parent
        if parent is None or parent.tag in _EDGES:
            return ""
        place = parent
    return ""


def _beside(node: LexborNode, *, forward: bool) -> str:
    """Return the words before or behind an element, up to the edge of its line, cut at a blank."""
    found = ""
    sibling = node.next if forward else node.prev
    for _ in range(MAX_STEPS):
        if sibling is None or len(found) > MAX_SIDE_CHARS or sibling.tag in _EDGES:
            break
        piece = sibling.text()
        edge = piece.find(MARK) if forward else piece.rfind(MARK)
        if edge >= 0:
            piece = piece[:edge] if forward else piece[edge + MARK_CHARS :]
        found = found + piece if forward else piece + found
        if edge >= 0:
            break
        sibling = sibling.next if forward else sibling.prev
    return _cut(
        " ".join(found[: 4 * MAX_SIDE_CHARS].split() if forward else found[-4 * MAX_SIDE_CHARS :].split()),
        forward=forward,
    )


def _cut(text: str, *, forward: bool) -> str:
    if len(text) <= MAX_SIDE_CHARS:
        return text
    if forward:
        return text[:MAX_SIDE_CHARS].rpartition(" ")[0] or text[:MAX_SIDE_CHARS]
    return text[-MAX_SIDE_CHARS:].partition(" ")[2] or text[-MAX_SIDE_CHARS:]
