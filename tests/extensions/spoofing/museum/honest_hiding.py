"""Pages that hide text for an honest reason, as common frameworks do it: 25 habits, each in 20 variants.

Every pattern follows the published markup and styles of a framework or of a pattern library, shortened to what hides
and what shows. A variant has texts and class names of its own, and a script or none where the pattern needs none.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

TOPICS = ("bread", "bicycles", "tides", "bees", "maps")
PREFIXES = ("", "c-", "site-", "x")
SAYS = {
    "bread": "Rye flour takes more water than wheat, so the dough stays soft and is baked in a tin. Leave it under a "
    "cloth until the next morning, then cut thin slices and keep the rest in a wooden box near the window.",
    "bicycles": "Turn the pedal backwards and listen to the chain: a dry one squeaks, a worn one jumps. Two drops of "
    "oil on each link are enough, and whatever stays on the outside is wiped off with an old shirt.",
    "tides": "The pier is closed two hours before high water in spring, since waves come over the wall from the north. "
    "Fishing boats leave from the inner basin then, and tickets for the ferry are sold at the red hut.",
    "bees": "Open the hive on a warm afternoon without wind and move slowly. Smoke calms the colony for some minutes, "
    "which is long enough to count the frames with brood and to look for the queen on the middle one.",
    "maps": "A scale of one to fifty thousand shows every farm but no garden path. Contours stand ten metres apart, "
    "and where they touch each other the slope is a cliff that only goats and surveyors should try.",
}  # fmt: skip
SHOWN = {
    "bread": "The bakery in the old mill opens at six. Its loaves are sold on the market every Thursday.",
    "bicycles": "Our workshop repairs what others throw away. Bring your wheels before noon and collect them at five.",
    "tides": "The harbour office publishes a table for every month. The keeper checks it against the gauge.",
    "bees": "Thirty members share a meadow behind the church. New keepers are welcome at the spring meeting.",
    "maps": "The society has collected sheets since 1880. Readers may copy them on the large table upstairs.",
}


class Habit(NamedTuple):
    """Styles and markup: {p} is a prefix of class names, {a} a text of some forty words, {s} a short label."""

    name: str
    css: str
    markup: str


HABITS = (
    Habit(
        "Bootstrap collapse",
        ".{p}collapse:not(.show){{display:none}}.{p}collapsing{{height:0;overflow:hidden;transition:height .35s ease}}",
        '<button data-bs-toggle="collapse" data-bs-target="#faq">More</button><div class="{p}collapse" '
        'id="faq"><p>{a}</p></div><script src="/bootstrap.js"></script>',
    ),
    Habit(
        "Bootstrap tabs",
        ".{p}tab-content>.{p}tab-pane{{display:none}}.{p}tab-content>.active{{display:block}}.{p}"
        "fade:not(.show){{opacity:0}}",
        '<ul><li><a href="#one">One</a><li><a href="#two">Two</a></ul><div class="{p}tab-content"><div '
        'id="one" class="{p}tab-pane active">First</div><div id="two" class="{p}tab-pane {p}fade">{a}</div>'
        '</div><script src="/bootstrap.js"></script>',
    ),
    Habit(
        "Bootstrap visually-hidden",
        ".{p}visually-hidden{{position:absolute!important;width:1px!important;height:1px!important;"
        "padding:0!important;margin:-1px!important;overflow:hidden!important;clip:rect(0,0,0,0)!important;"
        "white-space:nowrap!important;border:0!important}}",
        '<img src="chart.png" alt=""><p class="{p}visually-hidden">{a}</p>',
    ),
    Habit(
        "WordPress screen-reader-text",
        ".{p}screen-reader-text{{border:0;clip:rect(1px,1px,1px,1px);clip-path:inset(50%);height:1px;"
        "margin:-1px;overflow:hidden;padding:0;position:absolute;width:1px;word-wrap:normal!important}}.{p}"
        "screen-reader-text:focus{{clip:auto!important;clip-path:none;height:auto;width:auto;display:block}}",
        '<a class="{p}screen-reader-text" href="#main">Skip to content</a><span class="{p}'
        'screen-reader-text">{a}</span>',
    ),
    Habit(
        "Tailwind sr-only",
        ".{p}sr-only{{position:absolute;width:1px;height:1px;padding:0;margin:-1px;overflow:hidden;"
        "clip:rect(0,0,0,0);white-space:nowrap;border-width:0}}",
        '<table><caption class="{p}sr-only">{a}</caption><tr><td>1</td></tr></table><span class="{p}sr-only">'
        "{s}</span>",
    ),
    Habit(
        "Tailwind hidden from a width",
        ".{p}hidden{{display:none}}@media (min-width:768px){{.md\\:block{{display:block}}}}",
        '<div class="{p}hidden md:block"><p>{a}</p></div>',
    ),
    Habit(
        "GOV.UK skip link",
        ".{p}skip{{position:absolute;left:-9999em}}.{p}skip:focus{{position:static}}",
        '<a href="#main" class="{p}skip">Skip to main content</a>',
    ),
    Habit(
        "details of HTML",
        "details>.{p}more{{color:#333}}details:not([open])>.{p}more{{display:none}}",
        '<details><summary>More</summary><div class="{p}more">{a}</div></details>',
    ),
    Habit(
        "accordion with a checkbox",
        ".{p}panel{{max-height:0;overflow:hidden;transition:max-height .3s}}input:checked~.{p}panel{{max-height:60em}}",
        '<section><input type="checkbox" id="c1"><label for="c1">Open</label><div class="{p}panel"><p>{a}</p>'
        "</div></section>",
    ),
    Habit(
        "tabs with radio buttons",
        ".{p}tab{{display:none}}#t1:checked~.{p}one,#t2:checked~.{p}two{{display:block}}",
        '<input type="radio" name="t" id="t1" checked><input type="radio" name="t" id="t2"><div class="{p}'
        'tab {p}one">First</div><div class="{p}tab {p}two">{a}</div>',
    ),
    Habit(
        "dialog by :target",
        ".{p}modal{{visibility:hidden;opacity:0;position:fixed;top:0;left:0}}.{p}"
        "modal:target{{visibility:visible;opacity:1}}",
        '<a href="#terms">Terms</a><div id="terms" class="{p}modal"><div>{a}</div></div>',
    ),
    Habit(
        "menu that opens on hover",
        ".{p}menu ul{{display:none;position:absolute}}.{p}menu li:hover>ul{{display:block}}",
        '<ul class="{p}menu"><li>Topics<ul><li>{a}</li></ul></li></ul>',
    ),
    Habit(
        "tooltip on hover",
        ".{p}tip .{p}text{{visibility:hidden;opacity:0;position:absolute}}.{p}tip:hover .{p}"
        "text{{visibility:visible;opacity:1}}",
        '<p>See <span class="{p}tip">this<span class="{p}text">{a}</span></span></p>',
    ),
    Habit(
        "print only",
        ".{p}print{{display:none}}@media print{{.{p}print{{display:block}}nav{{display:none}}}}",
        '<div class="{p}print"><p>{a}</p></div>',
    ),
    Habit(
        "mobile only",
        ".{p}mobile{{display:none}}@media (max-width:600px){{.{p}mobile{{display:block}}.{p}wide{{display:none}}}}",
        '<div class="{p}wide">Wide</div><div class="{p}mobile">{a}</div>',
    ),
    Habit(
        "light on a dark header",
        "body{{background:#fff;color:#222}}.{p}hero{{background:#123;color:#fff}}.{p}hero p{{color:#fefefe}}",
        '<div class="{p}hero"><p>{a}</p></div>',
    ),
    Habit(
        "light on a picture",
        ".{p}hero{{background-image:url(sea.jpg);background-size:cover}}.{p}hero h2,.{p}hero p{{color:#fff}}",
        '<div class="{p}hero"><h2>{s}</h2><p>{a}</p></div>',
    ),
    Habit(
        "caption over a picture",
        ".{p}card{{position:relative}}.{p}card img{{display:block}}.{p}caption{{position:absolute;bottom:0;"
        "color:#fff}}",
        '<div class="{p}card"><img src="sea.jpg" alt="Sea"><div class="{p}caption"><p>{a}</p></div></div>',
    ),
    Habit(
        "letters filled with a gradient",
        ".{p}shine{{background:linear-gradient(90deg,#f00,#00f);-webkit-background-clip:text;"
        "background-clip:text;color:transparent}}",
        '<p class="{p}shine">{a}</p>',
    ),
    Habit(
        "no space between inline blocks",
        ".{p}row{{font-size:0}}.{p}row .{p}cell{{font-size:16px;display:inline-block}}",
        '<div class="{p}row"><div class="{p}cell"><p>{a}</p></div></div>',
    ),
    Habit(
        "image replacement",
        ".{p}logo{{text-indent:-9999px;overflow:hidden;background:url(logo.png)}}",
        '<h2 class="{p}logo">{s}</h2>',
    ),
    Habit(
        "fade in by animation",
        "@keyframes show{{from{{opacity:0}}to{{opacity:1}}}}.{p}fade{{opacity:0;animation:show 1s .2s forwards}}",
        '<div class="{p}fade"><p>{a}</p></div>',
    ),
    Habit(
        "fade in on scroll",
        "[data-aos]{{opacity:0;transition-property:opacity}}[data-aos].aos-animate{{opacity:1}}",
        '<div class="{p}box" data-aos="fade-up"><p>{a}</p></div><script src="/aos.js"></script>',
    ),
    Habit(
        "dark theme by a class and by preference",
        ":root{{--ground:#fff;--text:#111}}@media (prefers-color-scheme:dark){{:root{{--ground:#111;"
        "--text:#fff}}}}.dark{{--ground:#111;--text:#fff}}body{{background:var(--ground);color:var(--text)}}"
        ".{p}note{{background:var(--text);color:var(--ground)}}",
        '<div class="{p}note"><p>{a}</p></div>',
    ),
    Habit(
        "frame of a film with its height as padding",
        ".{p}film{{position:relative;height:0;padding-bottom:56.25%;overflow:hidden}}",
        '<div class="{p}film"><p>{a}</p></div>',
    ),
)


def styles_of(prefix: str) -> Iterator[str]:
    """Yield the style of each habit, as the whole sheet of a framework would have them."""
    return (habit.css.format(p=prefix) for habit in HABITS)


def honest_pages() -> Iterator[tuple[str, str]]:
    """Yield 500 pages, each with its name: the habit, the topic and the prefix of its class names."""
    for habit, topic, prefix in product(HABITS, TOPICS, PREFIXES):
        parts = {"p": prefix, "a": SAYS[topic], "s": f"All about {topic}"}
        head = f"<title>All about {topic}</title><style>{habit.css.format(**parts)}</style>"
        body = f"<h1>All about {topic}</h1><p>{SHOWN[topic]}</p><main>{habit.markup.format(**parts)}</main>"
        name = f"{habit.name}, {topic}, {prefix or 'plain'}"
        yield name, f'<!doctype html><html lang="en"><head>{head}</head><body>{body}</body></html>'
