"""Lab 4: two texts that are one, and two that only look so: by the words, by the shingles, and by a threshold."""

from __future__ import annotations

from extensions.course.grading.grade import HandIn
from extensions.course.grading.lab_folder import LabFolder, Wrong, page_name, urls
from extensions.course.grading.predictions import YES_NO, Measured, Prediction
from pages.content.similarity import MIN_SHINGLES, THRESHOLD, chance_to_meet, resemblance, shingles
from urls.wording import counted

SHEETS = ("original", "copy", "twentieth", "tenth", "fifth", "stranger", "adults", "children")
FIRST_FIVE, A_WORD = SHEETS[:5], "eaui"
MIN_WORDS, MAX_WORDS = MIN_SHINGLES + 2, 250  # a text of about a hundred
LEAST_SHARED = 0.5  # words that two texts share that are called the same
BANDS, ROWS = 29, 3


def _sheet(folder: LabFolder, name: str) -> str:
    return folder.text(f"site/{name}.html").partition("<p>")[2]


def _alike(folder: LabFolder, one: str, other: str) -> float:
    return resemblance(_sheet(folder, one), _sheet(folder, other))


def _tenth_and_leaflets(folder: LabFolder) -> Measured:
    found = _alike(folder, "original", "tenth"), _alike(folder, "adults", "children")
    return Measured(found, "of tenth to the original, and of the two leaflets, exactly")


def _results(folder: LabFolder) -> Measured:
    found = [page_name(url) for url in urls(folder.index("exchanged"), A_WORD)]
    kept = tuple(name for name in FIRST_FIVE if name in found)
    return Measured(
        (float(len(kept)),), f"at {THRESHOLD}, {' and '.join(kept)} are left of the first five in exchanged"
    )


def _in_textbook(folder: LabFolder) -> Measured:
    index = folder.index("textbook")
    found = {page_name(url) for word in (A_WORD, "drops", "iaaa") for url in urls(index, word)}
    kept = tuple(name for name in SHEETS if name in found)
    return Measured((float(len(kept)),), f"in textbook are {', '.join(kept)}")


def _one_threshold(folder: LabFolder) -> Measured:
    fifth, leaflets = _alike(folder, "original", "fifth"), _alike(folder, "adults", "children")
    where = f"fifth needs at most {fifth:.2f}, and the leaflets part above {leaflets:.2f}"
    return Measured(("yes" if leaflets < fifth else "no",), where)


def _chances(folder: LabFolder) -> Measured:  # noqa: ARG001 - it is arithmetic
    found = tuple(chance_to_meet(share, BANDS, ROWS) for share in (0.2, 0.6))
    return Measured(found, f"1 - (1 - s^{ROWS})^{BANDS} for s = 0.2 and 0.6")


def _words_alone(folder: LabFolder) -> Measured:
    one, other = (shingles(_sheet(folder, name), 1) for name in ("original", "tenth"))
    return Measured(
        (len(one & other) / len(one | other), 1.0), "of tenth to the original; another order is the same set"
    )


def _pair(folder: LabFolder, kind: str) -> tuple[str, str]:
    one, other = (folder.text(f"{kind}-{number}.txt") for number in (1, 2))
    for number, text in enumerate((one, other), 1):
        if not MIN_WORDS <= (words := len(text.split())) <= MAX_WORDS:
            raise Wrong(
                f"{kind}-{number}.txt has {counted(words, 'word')}: write about a hundred ({MIN_WORDS} to {MAX_WORDS})"
            )
    if one.split() == other.split():
        raise Wrong(f"{kind}-1.txt and {kind}-2.txt have the same words in the same order: that is an exact copy")
    return one, other


def _a_miss(folder: LabFolder) -> str:
    one, other = _pair(folder, "same")
    if (alike := resemblance(one, other)) >= THRESHOLD:
        raise Wrong(f"their resemblance is {alike:.2f}, and {THRESHOLD} is enough: Breadcrumb calls them the same, too")
    words = [set(text.lower().split()) for text in (one, other)]
    shared = len(words[0] & words[1]) / len(words[0] | words[1])
    if shared < LEAST_SHARED:
        raise Wrong(f"they share {shared:.0%} of their words: a reader would hardly call them the same")
    return f"they share {shared:.0%} of their words, and {alike:.2f} of their shingles"


def _a_false_merge(folder: LabFolder) -> str:
    one, other = _pair(folder, "different")
    if (alike := resemblance(one, other)) < THRESHOLD:
        raise Wrong(f"their resemblance is {alike:.2f}, less than {THRESHOLD}: Breadcrumb keeps them apart, too")
    return f"their resemblance is {alike:.2f}, so that Breadcrumb merges them"


def _measured_by_hand(folder: LabFolder) -> str:
    said = folder.numbers("resemblance.txt", "same", "different")
    for kind, number in zip(("same", "different"), said, strict=True):
        alike = resemblance(*_pair(folder, kind))
        if abs(alike - number) > 0.01:  # noqa: PLR2004 - a figure with two digits
            raise Wrong(f"the resemblance of {kind}-1.txt and {kind}-2.txt is {alike:.2f}; you say {number:.2f}")
    return "as measured"


def _thresholds(folder: LabFolder) -> str:
    library, chemist = folder.numbers("threshold.txt", "library", "chemist")
    if not (0 < library <= 1 and 0 < chemist <= 1):
        raise Wrong(f"a threshold is a share from 0 to 1; you say {library:g} and {chemist:g}")
    leaflets, tenth = _alike(folder, "adults", "children"), _alike(folder, "original", "tenth")
    if chemist <= leaflets:
        raise Wrong(f"at {chemist:g} a chemist's leaflets are one: their resemblance is {leaflets:.2f}")
    if library > tenth:
        raise Wrong(f"at {library:g} a library lists a copy with every tenth word changed twice: it has {tenth:.2f}")
    return f"{library:g} merges a copy with errors ({tenth:.2f}), {chemist:g} parts the leaflets ({leaflets:.2f})"


PREDICTIONS = {
    1: Prediction("two resemblances", _tenth_and_leaflets),
    2: Prediction("results", _results),
    3: Prediction("sheets in its index", _in_textbook),
    4: Prediction("does one do both", _one_threshold, YES_NO),
    5: Prediction("two probabilities", _chances),
    6: Prediction("two resemblances", _words_alone),
}
HAND_INS = (
    HandIn("same-1.txt, same-2.txt", _a_miss),
    HandIn("different-1.txt, different-2.txt", _a_false_merge),
    HandIn("resemblance.txt", _measured_by_hand),
    HandIn("threshold.txt", _thresholds),
)
