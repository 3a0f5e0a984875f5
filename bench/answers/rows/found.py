"""A file came (H01 to H12): which of its octets are rules? RFC 9309, 2.2, 2.3.1.1, 2.3.1.5 and 2.5."""

from __future__ import annotations

from dataclasses import replace

from bench.answers.record import Did, Situation, site
from bench.answers.reply import HTML, Manner, Reply, octets, packed, rules

RULES = rules("User-agent: *", "Disallow: /private")
LIMIT = 500 * 1024  # octets of a robots.txt that count; RFC 9309, 2.5
BOM = b"\xef\xbb\xbf"
SOFT = b"<!DOCTYPE html><html><title>Welcome</title>\n<p>We have no such file: <a href='/'>home</a>\n</html>\n"


def cut_within_a_rule() -> Reply:
    """Return a file of which LIMIT octets end within a rule, behind what would itself be one."""
    begun = b"Disallow: /open"
    padding = LIMIT - len(RULES.body) - len(begun)
    lines = b"# pad\n" * (padding // 6) + b"#" * (padding % 6 - 1) + b"\n" * (padding % 6 > 0)
    return octets(RULES.body + lines + begun + b"-elsewhere\n")


ROWS = (
    Situation("H01", {"": site(RULES, Did.OBEYED)}),
    Situation("H02", {"": site(octets(b""), Did.OPENED)}),
    Situation(
        "H03",
        {
            "": site(Reply(body=SOFT, kind=HTML), Did.OPENED),
            "rules": site(Reply(body=SOFT + RULES.body + SOFT, kind=HTML), Did.OBEYED),
        },
        told={"": "robots.not_text"},
    ),
    Situation("H04", {"": site(replace(RULES, kind=HTML), Did.OBEYED)}),
    Situation("H05", {
        "204": site(Reply(204), Did.OPENED),
        "206": site(
            replace(RULES, status=206).with_headers(Content_Range="bytes 0-32/5000"),
            Did.WAITED, Did.OBEYED, Did.OPENED,
        ),
    }),
    Situation("H06", {
        "": site(octets(BOM + RULES.body), Did.OBEYED),
        "part": site(octets(BOM[:2] + RULES.body), Did.OBEYED, Did.OPENED),
    }),
    Situation("H07", {
        "little": site(octets(RULES.body.decode().encode("utf-16")), Did.OBEYED, Did.OPENED),
        "big": site(octets(b"\xfe\xff" + RULES.body.decode().encode("utf-16-be")), Did.OBEYED, Did.OPENED),
    }),
    Situation("H08", {
        "": site(
            octets(b"User-agent: *\nDisallow: /caf\xe9\n"), Did.OBEYED, Did.OPENED, Did.LESS,
            allowed=("/open", "/caf", "/cafeteria"), forbidden=("/caf%E9",),
        ),
    }),
    Situation("H09", {
        "cr": site(octets(RULES.body.replace(b"\n", b"\r")), Did.OBEYED),
        "lf": site(RULES, Did.OBEYED),
        "crlf": site(octets(RULES.body.replace(b"\n", b"\r\n")), Did.OBEYED),
        # U+2028 ends a line for some programs. It does not here: what comes after it is still the comment.
        "comment": site(
            rules("User-agent: *", "Disallow: /x", "# see \u2028User-agent: other", "Disallow: /private"), Did.OBEYED
        ),
    }),
    Situation("H10", {
        "": site(octets(b"User-agent: *\n\x00Disallow: /open\nDisallow: /private\n"), Did.OBEYED),
    }),
    Situation(
        "H11",
        {
            "": site(cut_within_a_rule(), Did.OBEYED),
            "endless": site(
                replace(RULES, body=RULES.body + b"# pad\n" * 100_000, manner=Manner.ENDLESS), Did.OBEYED
            ),
        },
        told={"endless": "robots.truncated"},
    ),
    Situation("H12", {
        "": site(packed(RULES.body), Did.OBEYED),
        "large": site(packed(RULES.body + b"# pad\n" * 100_000), Did.OBEYED),
    }),
)  # fmt: skip
