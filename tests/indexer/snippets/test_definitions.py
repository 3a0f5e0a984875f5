"""A query that names something gets its definition: the signature, and the first sentence, whole."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from indexer.snippets.snippet import WINDOW
from pages.text.layout import DEFINITION, TextLines, with_lines
from robots import PageControls
from urls.records import CanonicalUrl, Page

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

FILLER = "Other words follow here, and on they go. " * 40
MENTION = "Call oven.bake, and oven.bake again, or --door with oven.bake at work. "
BAKE = ("oven.bake(bread, *, door='open', heat=200)¶", "Bake a bread at a heat. It takes an hour.")
LINES = [
    ("oven — the oven of a house", FILLER),
    ("Use", MENTION + FILLER),
    BAKE,
    ("oven.open(door)¶", "Open a door. It returns nothing."),
    ("Doors of ovens", "A door shuts. " + FILLER),
    ("Oven doors", "An oven door is made of iron."),
    ("heat(by=10)¶", "Heat the oven up by so much."),
    ("Events", "It raises an event named oven.Oven.heat with the heat in it."),
]
IDS = ("oven", "use", "oven.bake", "oven.open", "doors", "door", "oven.Oven.heat", "events")


def manual(lines: list[tuple[str, str]] = LINES, ids: tuple[str, ...] = IDS, **more: Any) -> Page:
    """A page of these headings, each with its text; a `¶` behind one says that it is a term of a definition list."""
    sections = tuple(
        (2 * number, DEFINITION if heading.endswith("¶") else 1 + (number > 0), name)
        for number, ((heading, _), name) in enumerate(zip(lines, ids, strict=True))
    )
    page = Page(CanonicalUrl("http://site.test/oven"), "The house", "", language="en", **more)
    return with_lines(
        page, TextLines(tuple(line.removesuffix("¶") for line in sum(lines, ())), "ht" * len(lines), (), sections)
    )


def shown(index: Callable[..., Any], query: str, page: Page | None = None) -> str:
    text: str = index(page or manual()).search(query).hits[0].snippet.text
    return text


@pytest.mark.parametrize(
    ("query", "snippet"),
    [
        pytest.param(
            "oven.bake",
            "oven.bake(bread, *, door='open', heat=200) · Bake a bread at a heat. It takes an hour.",
            id="function",
        ),
        pytest.param("oven.open", "oven.open(door) · Open a door. It returns nothing.", id="another one"),
        pytest.param("oven doors", "Oven doors · An oven door is made of iron.", id="the nearest heading"),
        pytest.param(
            "oven.Oven.heat",
            "oven.Oven.heat(by=10) · Heat the oven up by so much.",
            id="a name that the id alone has is shown whole",
        ),
        pytest.param(
            "how does oven.bake work",
            "oven.bake(bread, *, door='open', heat=200) · Bake a bread at a heat. It takes an hour.",
            id="words beyond the name",
        ),
    ],
)
def test_a_query_that_names_something_gets_its_definition(index: Callable[..., Any], query: str, snippet: str) -> None:
    assert shown(index, query) == snippet


def test_a_phrase_is_shown_where_it_stands(index: Callable[..., Any]) -> None:
    assert shown(index, '"oven.bake again"').startswith(MENTION[:20])


def test_a_long_signature_is_cut_and_its_sentence_is_whole(index: Callable[..., Any]) -> None:
    long = ("oven.bake(" + ", ".join(f"bread{number}=None" for number in range(40)) + ")¶", BAKE[1])
    found = shown(index, "oven.bake", manual([long if each is BAKE else each for each in LINES]))
    assert found.startswith("oven.bake(bread0=None, bread1=None")
    assert found.endswith("=None… Bake a bread at a heat.")
    assert len(found) <= WINDOW


@pytest.mark.parametrize(
    ("heading", "beginning"),
    [
        ("async heat(by=10)¶", "async oven.Oven.heat(by=10) · "),
        ("Oven.heat(by=10)¶", "oven.Oven.heat(by=10) · "),
        ("oven.Oven.heat(by=10)¶", "oven.Oven.heat(by=10) · "),
        ("heater(heat=10)¶", "heater(heat=10) · "),  # the id names something else
    ],
)
def test_a_heading_gets_what_it_lacks_of_the_name(index: Callable[..., Any], heading: str, beginning: str) -> None:
    lines = [(heading, text) if its == "heat(by=10)¶" else (its, text) for its, text in LINES]
    assert shown(index, "oven.Oven.heat", manual(lines)) == f"{beginning}Heat the oven up by so much."


@pytest.mark.parametrize("query", ["oven.bake", "oven.Oven.heat"])
@pytest.mark.parametrize("limit", [0, 9, 12, 14, 20, 50])
def test_a_definition_keeps_to_what_a_page_allows(index: Callable[..., Any], query: str, limit: int) -> None:
    assert len(shown(index, query, manual(controls=PageControls(snippet=limit)))) <= limit


OPTIONS = f"""{MENTION}
{FILLER}
-d
--door
Shut the door. It is an option.
--door-width=CM
Set the width of it.
oven_cook has the option --door. It has no other.
int oven_heat(oven *it, int by);
Raise the heat of it by some degrees.
{FILLER}
The heat of an oven_heat call is low.
"""


@pytest.mark.parametrize(
    ("query", "snippet"),
    [
        ("--door", "--door · Shut the door. It is an option."),
        ("-d", "-d · --door · Shut the door. It is an option."),
        ("--door-width", "--door-width=CM · Set the width of it."),
        ("oven_heat", "int oven_heat(oven *it, int by); Raise the heat of it by some degrees."),
        ("baking --door", "--door · Shut the door. It is an option."),  # the title names the program
        ("cooker --door", "--door · Shut the door. It is an option."),  # a word before an option is its program
        ("oven_cook --door", "--door · Shut the door. It is an option."),  # though a sentence begins with the other
    ],
)
def test_an_option_without_an_id_is_defined_where_its_line_begins_with_it(
    index: Callable[..., Any], page: Callable[..., Page], query: str, snippet: str
) -> None:
    assert shown(index, query, page("a", OPTIONS, title="baking", language="en")).startswith(snippet)


LABELS = "Added in: v1.2.0", "Returns: <Door>"
VERSIONS = "History", "Version Changes", "v2.0.0, v1.5.1", "Takes a door that is open, too."
PARAMETERS = "Door {Door|Hatch} The door that is to be opened.", "heat: How hot it may be inside, at most. Default: 20."


@pytest.mark.parametrize(
    ("below", "snippet"),
    [
        pytest.param([*VERSIONS, "Opens a door of the oven."], "Opens a door of the oven.", id="its versions"),
        pytest.param([*PARAMETERS, "Opens a door of the oven."], "Opens a door of the oven.", id="its parameters"),
        pytest.param([*LABELS, "Opens a door of the oven."], "Opens a door of the oven.", id="its labels"),
        pytest.param(PARAMETERS, PARAMETERS[0], id="nothing else"),
    ],
)
def test_a_table_of_versions_and_a_list_of_parameters_do_not_say_what_a_function_does(
    index: Callable[..., Any], below: Sequence[str], snippet: str
) -> None:
    lines = ("The oven", FILLER, "oven.shut(door)", *below)
    sections = (0, 1, "oven"), (2, DEFINITION, "shut")
    page = with_lines(replace(manual(), text=""), TextLines(lines, "hth" + "t" * len(below), (), sections))
    found = shown(index, "oven.shut", page)
    assert found.removeprefix("oven.shut(door) ").lstrip("·… ").startswith(snippet)


OTHERS = [
    ("The oven", FILLER),
    ("-B CRUST¶", "Bake a crust, and shut the door."),
    ("-b BREAD¶", "Bake the bread, and that is all."),
    ("$if¶", "What is done if the oven is hot."),
    ("IFS¶", "What is between two breads of it."),
]


@pytest.mark.parametrize("number", [pytest.param(2, id="case"), pytest.param(4, id="form")])
def test_a_name_as_it_was_typed_is_better_than_another_form_of_it(index: Callable[..., Any], number: int) -> None:
    name, sentence = OTHERS[number]
    query = name.rstrip("¶").partition(" ")[0]
    page = manual(OTHERS, tuple(f"n{number}" for number in range(len(OTHERS))))
    hit = index(page).search(query).hits[0]
    assert hit.snippet.text == f"{name[:-1]} · {sentence}"
    assert hit.sections[0].url == f"{page.url}#n{number}", "the section that is shown is the first"


@pytest.mark.parametrize(
    ("below", "snippet"),
    [
        (
            "Shut the door of the oven.\n--door-width=CM\nSet the width of it in centimetres.",
            "--door · Shut the door of the oven.",
        ),
        ("Shut one of these two doors:\nleft\nright", "--door · Shut one of these two doors: left · right"),
    ],
)
def test_a_definition_ends_before_the_next_name(
    index: Callable[..., Any], page: Callable[..., Page], below: str, snippet: str
) -> None:
    assert shown(index, "--door", page("a", f"{MENTION}\n{FILLER}\n--door\n{below}", language="en")) == snippet


SHARED = f"""{MENTION}
{FILLER}
Example(s)
bake_it(heat)
bake_it(heat, hours)
The bake_it() function bakes at a heat.
bake_rye(heat)
bake_rye(heat, hours)
Both of them bake a rye bread.
bake_oats(heat)
bake_buns(heat)
Each bakes its bread at a heat.
bake-cake [-x] [heat]
bake-pie [heat]
Both of them bake what is sweet.
-x
Bake it twice, and then once more.
"""


@pytest.mark.parametrize(
    ("query", "snippet"),
    [
        ("bake_it", "bake_it(heat) · bake_it(heat, hours) · The bake_it() function bakes at a heat."),
        ("bake_rye", "bake_rye(heat) · bake_rye(heat, hours) · Both of them bake a rye bread."),
        ("bake_oats", "bake_oats(heat) · bake_buns(heat) · Each bakes its bread at a heat."),
        ("bake-cake -x", "-x · Bake it twice, and then once more."),
    ],
)
def test_a_sentence_below_several_names_defines_each_if_none_is_below_one(
    index: Callable[..., Any], page: Callable[..., Page], query: str, snippet: str
) -> None:
    assert shown(index, query, page("a", SHARED, language="en")).startswith(snippet)


COMPILING = f"""int bake_flat(oven *it, /* Where. It is hot. */); int bake_round(oven *it, /* Where. It is hot. */);
To bake a bread, its dough has to be round or flat.
{FILLER}
The bake_flat(), bake_round(), and bake_rye() interfaces are those for new ovens.
"""


def test_a_declaration_is_better_than_a_sentence_about_several_names(
    index: Callable[..., Any], page: Callable[..., Page]
) -> None:
    found = shown(index, "bake_round", page("a", COMPILING, language="en"))
    assert found.startswith("int bake_round(oven *it, /* Where. It is hot. */); To bake a bread, its dough has")


def test_a_heading_right_above_a_name_shows_what_the_name_is(index: Callable[..., Any]) -> None:
    lines = [
        *LINES,
        ("oven.clean()", ""),
        ("oven.clean(soap=None)¶", "Clean it with soap."),
        ("Empty", ""),
        ("Full", "It is another one."),
    ]
    page = manual(lines, (*IDS, "clean", "oven.clean", "empty", "full"))
    assert shown(index, "oven.clean", page) == "oven.clean() · oven.clean(soap=None) · Clean it with soap."
    assert shown(index, "empty", page) == "Empty"


@pytest.mark.parametrize(
    ("query", "snippet"),
    [
        ("bread basket", "Each bread basket is of straw."),  # though a name has both words
        ("set bread basket", "set_bread_basket(it) · Say which one is used."),
        ("set_bread_basket", "set_bread_basket(it) · Say which one is used."),
        ("AbstractBreadBasket", "class AbstractBreadBasket · All baskets are of this class."),
        ("ALL_BREAD_BASKETS", "ALL_BREAD_BASKETS · The list of all of them."),
    ],
)
def test_a_name_with_parts_beyond_the_query_is_not_what_it_names(
    index: Callable[..., Any], query: str, snippet: str
) -> None:
    names = [
        ("set_bread_basket(it)¶", "Say which one is used."),
        ("class AbstractBreadBasket¶", "All baskets are of this class."),
        ("ALL_BREAD_BASKETS¶", "The list of all of them."),
    ]
    lines = [("Baskets", f"Each bread basket is of straw. {FILLER}"), *names]
    page = manual(lines, ("baskets", *(f"n{number}" for number in range(len(names)))))
    assert shown(index, query, page).startswith(snippet)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("basket.reuseBread¶", id="next to another word"),
        pytest.param("--no-bread-basket¶", id="an option"),
        pytest.param("basket.empty(bread)¶", id="what it belongs to, and its argument"),
        pytest.param("BreadBasketMode Directive", id="of a heading"),
    ],
)
def test_the_beginning_below_a_longer_name_is_shown_only_if_it_says_as_much(
    index: Callable[..., Any], name: str
) -> None:
    lines = [
        ("Baker", FILLER),
        ("Use", f"{FILLER}Each bread basket is of straw."),
        (name, "Let it all out at once."),
    ]
    page = manual(lines, ("baker", "use", "name"))
    assert shown(index, "bread basket", page) == "Each bread basket is of straw."
    said = manual([*lines[:2], (name, "Take a bread out of its basket.")], ("baker", "use", "name"))
    assert shown(index, "bread basket", said) == f"{name.rstrip('¶')} · Take a bread out of its basket."


HOUSE = [
    ("The house", "A house has rooms, and people live in it."),
    ("doors¶", "All of them are made of old wood."),
    ("The house doors", "They shut by themselves at night."),
    ("A house without rooms", "Nobody lives in such a one."),
    ("How people build a house from wood and stone", "They need a plan, and time for it."),
]


@pytest.mark.parametrize(
    ("query", "snippet"),
    [
        pytest.param(
            "house without", "A house without rooms · Nobody lives in such a one.", id="the title has the name alone"
        ),
        pytest.param("house from", HOUSE[0][1], id="a heading about more"),
        pytest.param("the house", HOUSE[0][1], id="the title has the stop word, too"),
        pytest.param(
            "house doors",
            "The house doors · They shut by themselves at night.",
            id="a stop word of a heading is nothing more",
        ),
    ],
)
def test_stop_words_of_the_query_and_of_a_heading_decide_between_its_names(
    index: Callable[..., Any], query: str, snippet: str
) -> None:
    assert shown(index, query, manual(HOUSE, ("house", "doors", "", "", ""))) == snippet


def test_a_longer_heading_without_a_sentence_defines_nothing(index: Callable[..., Any]) -> None:
    lines = [LINES[0], ("Old rye oven", "Rye 40 x 60"), ("Use", f"A rye oven is hot. {FILLER}")]
    assert shown(index, "rye oven", manual(lines, ("oven", "old", "use"))).startswith("A rye oven is hot.")


def test_a_name_is_shown_above_what_it_means_though_it_has_no_word_of_the_query(index: Callable[..., Any]) -> None:
    lines = [*LINES[:2], ("crust(bread)¶", "It hardens in a day. A rind keeps it from mould.")]
    page = manual(lines, ("oven", "use", "crust"))
    assert shown(index, "rind", page) == "crust(bread) · It hardens in a day. A rind keeps it from mould."


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("What is an oven good for?", id="a question"),
        pytest.param("New in version 3.3: an oven has a door.", id="a version"),
        pytest.param("Stability: 1 - Old. Leave this oven for a newer one.", id="no line NAME"),
    ],
)
def test_the_page_that_the_query_names_shows_the_first_sentence_that_describes_it(
    index: Callable[..., Any], line: str
) -> None:
    lines = ("Ovens", line, "It keeps the heat of a fire. The oven is of clay.", "Doors of ovens", FILLER)
    sections = (0, 1, "ovens"), (3, 2, "doors")
    page = with_lines(replace(manual(), title="Ovens", text=""), TextLines(lines, "htt" + "ht", (), sections))
    assert shown(index, "ovens", page) == "It keeps the heat of a fire. The oven is of clay."


def test_the_first_sentence_of_a_page_is_shown_if_it_says_as_much_together_with_the_title(
    index: Callable[..., Any],
) -> None:
    corner = f"{FILLER}Flour in the corner of an oven burns, though rye flour does so later."
    page = manual([("Rye ovens", "They turn flour to bread within an hour."), ("Corners", corner)], ("rye", "corners"))
    assert shown(index, "burn rye flour oven", page) == corner[len(FILLER) :]
    assert shown(index, "rye flour oven", page) == "They turn flour to bread within an hour."


def test_code_that_uses_a_name_does_not_define_it(index: Callable[..., Any], page: Callable[..., Page]) -> None:
    code = (
        f"{FILLER}\n>>> bake_it(1)\nIt takes an hour.\nx = bake_it(2)\nIt is hot.\nWith bake_it it is done.\n{FILLER}"
    )
    assert ">>>" not in shown(index, "bake_it it", page("a", code, language="en"))


NAME = (
    "bake\nbake - make bread of flour\nSynopsis\nbake [option...] [flour]\nDescription\n"
    "This program heats an oven.\nThe bake is hot."
)


def test_the_line_name_of_a_man_page_is_shown_with_its_first_sentence(
    index: Callable[..., Any], page: Callable[..., Page]
) -> None:
    man = page("a", f"{NAME} {FILLER}\nWith bake, bake and bake it again.", title="bake(1)", language="en")
    defined = "bake - make bread of flour … This program heats an oven."
    assert shown(index, "bake", man).startswith(defined)
    assert shown(index, "make bread", man).startswith("bake - make bread of flour … ")


def test_a_line_name_is_shown_whole_above_a_long_sentence(index: Callable[..., Any], page: Callable[..., Page]) -> None:
    name = "bake - make bread of flour or of oats and salt"
    man = page("a", f"bake\n{name}\nbake heats {'a very hot ' * 24}oven.", title="bake(1)", language="en")
    assert shown(index, "bake", man).startswith(f"{name} · bake heats a very hot")


def test_the_first_sentence_of_a_page_is_found_behind_a_long_synopsis(
    index: Callable[..., Any], page: Callable[..., Page]
) -> None:
    synopsis = "\n".join(["bake [-f] [--door", *["{rye | oats}"] * 200, "... ]"])
    man = page("a", f"bake\nbake - make bread\n{synopsis}\nThe program bakes. {FILLER}", title="bake(1)", language="en")
    assert shown(index, "bake", man).startswith("bake - make bread … The program bakes.")


@pytest.mark.parametrize(
    ("query", "snippet"),
    [
        pytest.param("shut an iron door", "Oven doors · An oven door is made of iron.", id="a section begins with it"),
        pytest.param(
            "hot plates", "Pots, plates and pans stand on a hot oven.", id="a sentence in the middle has more"
        ),
        pytest.param(
            '"plates and pans"', "Other words follow here, and on they go.", id="a phrase is shown in its line"
        ),
    ],
)
def test_the_beginning_of_a_section_is_shown_if_it_says_as_much(
    index: Callable[..., Any], query: str, snippet: str
) -> None:
    pots = ("Pots", f"A pot is hot. {FILLER}Pots, plates and pans stand on a hot oven. {FILLER}")
    iron = ("Shut", f"{FILLER}Iron shuts well, and the door is of iron. {FILLER}")
    page = manual([*LINES, pots, iron], (*IDS, "pots", "shut"))
    assert shown(index, query, page).startswith(snippet)


def test_a_page_that_begins_with_what_is_asked_shows_its_beginning(
    index: Callable[..., Any], page: Callable[..., Page]
) -> None:
    text = f"This house tells how bread is kept in a cloth. {FILLER[:410]}\nThe bread cloth is bread in a cloth."
    assert shown(index, "bread cloth", page("a", text, language="en")).startswith("This house tells how")


def test_a_page_named_by_the_query_shows_its_first_sentence_with_a_part_of_the_name(index: Callable[..., Any]) -> None:
    lines = [("oven.door — Doors of ovens", "A door shuts an oven well.\nCall oven.door with care. " + FILLER)]
    page = replace(manual(lines, ("oven.door",)), title="oven.door — Doors of ovens")
    assert shown(index, "oven.door", page).startswith("oven.door — Doors of ovens · A door shuts an oven well.")


def test_of_several_kinds_of_what_is_asked_the_page_says_what_they_have_in_common(index: Callable[..., Any]) -> None:
    kinds = [
        (f"{kind} oven doors", f"A door of an oven, {kind}, stands open.") for kind in ("Iron", "Small wooden", "Red")
    ]
    lines = [("Openings", f"Doors close an oven. {FILLER}"), *kinds, ("Iron stoves", "A stove of iron keeps warm.")]
    page = replace(manual(lines, ("openings", "iron", "wood", "red", "stove")), title="Openings")
    assert shown(index, "oven doors", page).startswith("Doors close an oven.")
    assert shown(index, "iron oven doors", page).startswith("Iron oven doors · A door of an oven, Iron, stands open.")
    other = replace(
        manual([("Openings", f"An oven has doors. {FILLER}"), *lines[1:]], ("o", "i", "w", "r", "s")), title="x"
    )
    assert shown(index, "oven iron", other).startswith("Iron oven doors · ")  # what has "oven" alone says nothing of it
    assert shown(index, "stoves", page).startswith("Iron stoves · A stove of iron keeps warm.")


def test_a_word_with_a_hyphen_is_found_where_another_page_joins_its_parts(
    index: Callable[..., Any], page: Callable[..., Page]
) -> None:
    text = (
        f"The old way is a knock. Then came the door-bell.\n{FILLER}\nA door-bell has a bell at its door, a door bell."
    )
    named = page("a", text, title="The door-bell", language="en")
    searcher = index(named, page("b", "A doorbell and its bell.", language="en"))
    shown = {hit.url: hit.snippet.text for hit in searcher.search("door-bell").hits}
    assert shown[named.url].startswith("The old way is a knock. Then came the door-bell.")


def test_a_page_does_not_begin_with_its_warning(index: Callable[..., Any], page: Callable[..., Page]) -> None:
    text = f"Warning: The oven door is hot.\nThe oven door keeps the heat in.\n{FILLER}"
    assert shown(index, "oven door", page("a", text, title="Oven door", language="en")).startswith(
        "The oven door keeps"
    )


def test_a_definition_is_found_behind_many_sections_with_parts_of_its_name(index: Callable[..., Any]) -> None:
    others = [(f"oven.Door.heat{number}(by)¶", "The door of an open oven, an open door.") for number in range(12)]
    lines = [("oven — the oven of a house", FILLER), *others, ("open(by=1)¶", "Let the door stand open.")]
    ids = ("oven", *(f"oven.Door.heat{number}" for number in range(12)), "oven.Door.open")
    page = replace(manual(lines, ids), title="oven — the doors of an oven")
    assert shown(index, "oven.Door.open", page).startswith("oven.Door.open(by=1) · Let the door stand open.")
