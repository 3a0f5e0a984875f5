"""Archives as other programs write them, byte for byte, by what their documentation and their files show."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

DATE = "2024-05-06T07:08:09Z"
HTML = "text/html; charset=utf-8"


def record(
    kind: str, block: bytes = b"", url: str = "", version: str = "1.0", date: str = DATE, **fields: str
) -> bytes:
    """A record of WARC; a field's name has _ for each -."""
    head = {"WARC-Type": kind, "WARC-Record-ID": f"<urn:uuid:{kind}-{url}-{date}>", "WARC-Date": date}
    head |= {"WARC-Target-URI": url} if url else {}
    head |= {name.replace("_", "-"): value for name, value in fields.items()}
    head.setdefault("Content-Length", str(len(block)))
    lines = [f"WARC/{version}", *(f"{name}: {value}" for name, value in head.items())]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + block + b"\r\n\r\n"


def http(body: bytes | str = b"", status: str = "200 OK", content_type: str = HTML, *lines: str) -> bytes:
    """An answer over HTTP."""
    body = body.encode() if isinstance(body, str) else body
    head = [f"HTTP/1.1 {status}", f"Content-Type: {content_type}", *lines]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + body


def response(url: str, answer: bytes, **fields: str) -> bytes:
    return record("response", answer, url, Content_Type="application/http; msgtype=response", **fields)


def request(url: str, method: str = "GET", **fields: str) -> bytes:
    block = f"{method} / HTTP/1.1\r\nHost: a.example\r\n\r\n".encode()
    return record("request", block, url, Content_Type="application/http; msgtype=request", **fields)


def page(title: str, *links: str, text: str = "", head: str = "") -> str:
    """A page of some words of its own."""
    words = text or f"{title} is told here, in words that no other page of this archive has about {title}."
    anchors = "".join(f'<a href="{link}">to {link}</a>' for link in links)
    return f"<html><head><title>{title}</title>{head}</head><body><p>{words}</p>{anchors}</body></html>"


def packed(records: Iterable[bytes]) -> bytes:
    """A gzip member a record, as all archives of the field are."""
    return b"".join(gzip.compress(each, mtime=0) for each in records)


def chunked(body: bytes, size: int = 40) -> bytes:
    pieces = [body[start : start + size] for start in range(0, len(body), size)]
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in (*pieces, b""))


def of_wget(pages: Sequence[tuple[str, str]], robots: str = "") -> bytes:
    """GNU wget 1.19 to 1.21: URLs between < and >, the request first, chunks as they came."""
    said = b"software: Wget/1.21.3 (linux-gnu)\r\nformat: WARC File Format 1.0\r\nrobots: classic\r\n"
    records = [record("warcinfo", said, Content_Type="application/warc-fields", WARC_Filename="site.warc.gz")]
    files = [("http://a.example/robots.txt", http(robots, content_type="text/plain"))] if robots else []
    for url, body in pages:
        files.append((url, http(chunked(body.encode()), "200 OK", HTML, "Transfer-Encoding: chunked")))
    for url, answer in files:
        records.append(request(f"<{url}>"))
        records.append(response(f"<{url}>", answer, WARC_Concurrent_To=f"<urn:uuid:request-<{url}>-{DATE}>"))
    told = {"Content_Type": "text/plain"}
    records.append(record("metadata", b"wget.log", "metadata://gnu.org/software/wget/warc/MANIFEST.txt", **told))
    records.append(record("resource", b"--warc-file", "metadata://gnu.org/software/wget/warc/wget.log", **told))
    return packed(records)


def of_heritrix(url: str, body: str) -> bytes:
    """Heritrix 3: names that were resolved, the answer before its request, metadata, and a revisit of a later crawl."""
    said = b"software: Heritrix/3.4.0 http://crawler.archive.org\r\nrobots: obey\r\n"
    digest = {"WARC_Payload_Digest": "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"}
    revisit = digest | {"WARC_Profile": "http://netpreserve.org/warc/1.0/revisit/identical-payload-digest"}
    revisit |= {"WARC_Refers_To_Target_URI": url, "WARC_Refers_To_Date": DATE, "WARC_Truncated": "length"}
    return packed([
        record("warcinfo", said, Content_Type="application/warc-fields"),
        record("response", b"20240506070809\na.example. 300 IN A 192.0.2.1\n", "dns:a.example"),
        response(url, http(body), **digest),
        request(url, WARC_Concurrent_To=f"<urn:uuid:response-{url}-{DATE}>"),
        record("metadata", b"via: http://a.example/\r\n", url, Content_Type="application/warc-fields"),
        record("revisit", http(), url, date="2024-06-06T07:08:09Z", Content_Type="application/http", **revisit),
    ])  # fmt: skip


def of_browsertrix(url: str, body: str) -> bytes:
    """Browsertrix: WARC 1.1 with fractions of seconds, bodies unpacked under lines that say otherwise, screenshots."""
    said = b"software: Browsertrix-Crawler 1.1.0 (with warcio.js 2.2.1)\r\nformat: WARC File Format 1.1\r\n"
    later = {"version": "1.1", "date": "2024-05-06T07:08:09.123Z"}
    answer = http(
        body, "200", HTML, "x-orig-content-encoding: br", "content-encoding: br", "transfer-encoding: chunked"
    )
    return packed([
        record("warcinfo", said, version="1.1", Content_Type="application/warc-fields"),
        response(url, answer, **later, WARC_Page_ID="4711"),
        request(url, **later),
        response(f"{url}login", http(page("Answer to a form")), **later),
        request(f"{url}login", "POST", **later, WARC_Concurrent_To=f"<urn:uuid:response-{url}login-{later['date']}>"),
        record("resource", b"{}", f"urn:pageinfo:{url}", **later, Content_Type="application/json"),
        record("resource", b"\x89PNG\r\n\x1a\n", f"urn:view:{url}", **later, Content_Type="image/png"),
    ])  # fmt: skip


def arc(url: str, body: str) -> bytes:
    """ARC 1.0, as the Internet Archive wrote it until 2009."""
    info = b"1 0 InternetArchive\nURL IP-address Archive-date Content-type Archive-length\n"
    answer = http(body)
    first = b"filedesc://old.arc 0.0.0.0 20020506070809 text/plain %d\n%s\n" % (len(info), info)
    return first + f"{url} 192.0.2.1 20020506070809 text/html {len(answer)}\n".encode() + answer + b"\n"
