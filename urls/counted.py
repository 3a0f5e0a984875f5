"""How is a number told? With its noun in the right number: "1 page", "2 pages", "3 copies", "1 of 1 page".

It stands in the lowest room that has anything to count, because each reason that a journal keeps is a sentence, too.
"""


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun; `plural` where that is not the noun with an s."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
