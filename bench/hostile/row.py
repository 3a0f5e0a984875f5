"""How must each hostile answer end? A row a case: its path on the hostile server, and the rule that has to end it.

`ends` is the rule of the URL, or of the last one where it leads on; `told` is a row that the journal must have of it.
The numbers are those of the catalogue that the server was made for.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """One case."""

    number: str
    path: str
    case: str
    ends: str
    told: str = ""


HTTP = (
    Row("http-001", "/status/100", "status 100 and no more", "network"),
    Row("http-002", "/status/204", "status 204", "empty"),
    Row("http-003", "/status/206", "status 206", "no-page"),
    Row("http-005", "/status/401", "status 401", "auth"),
    Row("http-006", "/status/403", "status 403", "forbidden"),
    Row("http-007", "/status/404", "status 404", "gone"),
    Row("http-008", "/status/410", "status 410", "gone"),
    Row("http-012", "/status/500", "status 500", "server-error"),
    Row("http-015", "/status/599", "status 599", "server-error"),
    Row("http-016", "/status/999", "status 999", "bad-status"),
    Row("http-017", "/status/nonnumeric", "a status that is no number", "protocol"),
    Row("http-018", "/redir/self", "a redirect to itself", "redirect-loop"),
    Row("http-019", "/redir/a", "two redirects in a circle", "redirect-loop"),
    Row("http-020", "/redir/chain", "a chain without end", "redirect-limit"),
    Row("http-022", "/redir/noloc", "no Location", "bad-location"),
    Row("http-024", "/redir/ftp", "to ftp:", "bad-location", "scheme"),
    Row("http-026", "/redir/js", "to javascript:", "bad-location", "scheme"),
    Row("http-028", "/redir/private", "to a private address, which is a seed's here", "fetched"),
    Row("http-029", "/redir/metadata", "to a cloud's metadata", "off-site"),
    Row("http-033", "/redir/0", "to http://0", "off-site"),
    Row("http-034", "/redir/creds", "to user:password@", "fetched", "credentials"),
    Row("http-035", "/redir/badport", "to port 99999", "bad-location"),
    Row("http-038", "/redir/crlf", "an escaped line break in Location", "gone"),
    Row("http-039", "/redir/meta-self", "a meta refresh to itself", "empty", "refresh"),
    Row("http-040", "/redir/meta-random", "meta refreshes without end", "empty"),
    Row("http-041", "/redir/meta-file", "a meta refresh to file:", "empty", "warning"),
    Row("http-043", "/redir/refresh-header", "a Refresh header", "fetched", "refresh"),
    Row("http-044", "/redir/port25", "to port 25", "bad-location", "port"),
    Row("http-045", "/hdr/huge", "a header line of 1 MB", "header-limit"),
    Row("http-046", "/hdr/many", "20,000 header lines", "fetched", "warning"),
    Row("http-048", "/hdr/refpolicy-callable", "Referrer-Policy: os.system", "fetched"),
    Row("http-050", "/hdr/cookie-tld", "a cookie for all of .com", "fetched"),
    Row("http-052", "/hdr/xrobots-mixed", "NoIndex on the second line", "noindex"),
    Row("http-053", "/hdr/xrobots-garbage", "an X-Robots-Tag of garbage", "fetched", "warning"),
    Row("http-056", "/hdr/ct-garbage", "a Content-Type of garbage", "fetched"),
    Row("http-063", "/hdr/cl-huge", "a Content-Length of 10^20", "size"),
    Row("http-067", "/body/chunk-truncated", "chunks that break off", "broken-off"),
    Row("http-071", "/body/empty", "200 and no body", "empty"),
    Row("http-073", "/body/204-with-body", "204 and a body", "empty"),
    Row("http-074", "/bomb/gzip-2g", "2 GB in gzip", "size"),
    Row("http-075", "/bomb/gzip-200m", "200 MB in gzip", "size"),
    Row("http-077", "/bomb/gzip-x20", "gzip twenty times", "coding"),
    Row("http-078", "/bomb/deflate-2g", "2 GB in deflate", "size"),
    Row("http-079", "/bomb/br-2g", "2 GB in brotli", "size"),
    Row("http-080", "/bomb/zstd-2g", "2 GB in zstd", "size"),
    Row("http-081", "/bomb/gzip-corrupt", "gzip with a broken end", "broken-off"),
    Row("http-082", "/bomb/gzip-lie", "plain text that is labelled gzip", "fetched"),
    Row("http-085", "/body/slow-headers", "header lines, one byte a second", "timeout"),
    Row("http-086", "/body/slow-body", "a body, one byte a second", "timeout"),
)
