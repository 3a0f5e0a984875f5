"""Small PDF and office files, made by hand: each says what a test needs, and nothing else."""

from __future__ import annotations

import io
import zipfile
import zlib

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
CORE = (
    '<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" '
    'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/"><dc:title>{}</dc:title>'
    "<dcterms:created>2026-01-02T03:04:05Z</dcterms:created><dcterms:modified>2026-02-03T04:05:06Z</dcterms:modified>"
    "</cp:coreProperties>"
)
EXTERNAL = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" '
    'Type="hyperlink" Target="{}" TargetMode="External"/></Relationships>'
)


def pdf(*pages: str, title: str = "", link: str = "", catalog: str = "", trailer: str = "", kids: str = "") -> bytes:
    """A PDF with a line of text a page; `catalog` and `trailer` are put into these dictionaries as they are."""
    objects = [f"<< /Type /Catalog /Pages 2 0 R {catalog} >>"]
    numbers = range(len(pages))
    objects += [
        kids or f"<< /Type /Pages /Count {len(pages)} /Kids [{' '.join(f'{5 + 2 * n} 0 R' for n in numbers)}] >>"
    ]
    objects += ["<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"]
    objects += [f"<< /Title ({title}) /CreationDate (D:20260102030405Z) /ModDate (D:20260203040506+01'00') >>"]
    for number, text in enumerate(pages):
        annotation = (
            f"/Annots [<< /Type /Annot /Subtype /Link /Rect [0 0 99 99] /A << /S /URI /URI ({link}) >> >>]"
            if link
            else ""
        )
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents {6 + 2 * number} 0 R "
            f"/Resources << /Font << /F1 3 0 R >> >> {annotation} >>"
        )
        lines = " T* ".join(f"({line}) Tj" for line in text.split("\n"))
        stream = f"BT /F1 12 Tf 14 TL 50 700 Td {lines} ET"
        objects += [f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream"]
    body, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(body))
        body += f"{number} 0 obj\n{content}\nendobj\n".encode("latin-1")
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    end = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}"
    end += f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R /Info 4 0 R {trailer} >>\nstartxref\n{len(body)}\n%%EOF\n"
    return body + end.encode("latin-1")


def million_pages() -> bytes:
    """A PDF of a million pages in two kilobytes: each node of its tree has the next one ten times."""
    kids = "<< /Type /Pages /Count 1000000 /Kids [" + "7 0 R " * 10 + "] >>"
    made = pdf("A page among a million", kids=kids)
    extra, number = b"", 7
    places = []
    at = made.index(b"xref\n0")
    for level in range(5):
        places.append(at + len(extra))
        child = number + level + 1 if level < 4 else 5
        count = 10 ** (5 - level)
        node = f"<< /Type /Pages /Parent 2 0 R /Count {count} /Kids [{f'{child} 0 R ' * 10}] >>"
        extra += f"{number + level} 0 obj\n{node}\nendobj\n".encode()
    head, tail = made[:at], made[at:]
    table = tail.replace(b"xref\n0 7\n", b"xref\n0 12\n").replace(b"/Size 7", b"/Size 12")
    row_end = table.index(b"trailer")
    rows = "".join(f"{place:010} 00000 n \n" for place in places).encode()
    table = table[:row_end] + rows + table[row_end:]
    return (head + extra + table).replace(f"startxref\n{at}\n".encode(), f"startxref\n{at + len(extra)}\n".encode())


def archive(**parts: str | bytes) -> bytes:
    """A ZIP archive; a name has `__` for a slash and `_dot_` for a point."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in parts.items():
            packed.writestr(name.replace("__", "/").replace("_dot_", "."), content)
    return made.getvalue()


def docx(
    *paragraphs: str, title: str = "", heading: str = "", link: str = "", prolog: str = "", document: str = ""
) -> bytes:
    """A Word file: a heading, paragraphs, and a link at the end."""
    styled = f'<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>{heading}</w:t></w:r></w:p>' if heading else ""
    plain = "".join(f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>" for text in paragraphs)
    linked = (
        '<w:p><w:hyperlink r:id="rId1"><w:r><w:t>a </w:t></w:r><w:r><w:t>link</w:t></w:r></w:hyperlink></w:p>'
        if link
        else ""
    )
    content = (
        document or f'<w:document xmlns:w="{W}" xmlns:r="{R}"><w:body>{styled}{plain}{linked}</w:body></w:document>'
    )
    parts = {"word__document_dot_xml": prolog + content, "docProps__core_dot_xml": CORE.format(title)}
    return archive(**parts, word___rels__document_dot_xml_dot_rels=EXTERNAL.format(link))


def odt(*paragraphs: str, title: str = "", heading: str = "", link: str = "") -> bytes:
    """An OpenDocument text."""
    text = "urn:oasis:names:tc:opendocument:xmlns:text:1.0"
    office = "urn:oasis:names:tc:opendocument:xmlns:office:1.0"
    names = f'xmlns:o="{office}" xmlns:t="{text}" xmlns:x="http://www.w3.org/1999/xlink"'
    names += ' xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:m="urn:oasis:names:tc:opendocument:xmlns:meta:1.0"'
    head = f"<t:h>{heading}</t:h>" if heading else ""
    linked = f'<t:p><t:a x:href="{link}">a <t:span>link</t:span></t:a></t:p>' if link else ""
    plain = "".join(f"<t:p>{paragraph}</t:p>" for paragraph in paragraphs)
    content = (
        f"<o:document-content {names}><o:body><o:text>{head}{plain}{linked}</o:text></o:body></o:document-content>"
    )
    meta = f"<o:document-meta {names}><o:meta><dc:title>{title}</dc:title>"
    meta += "<m:creation-date>2026-01-02T03:04:05</m:creation-date>"
    meta += "<dc:date>2026-02-03T04:05:06</dc:date></o:meta></o:document-meta>"
    return archive(content_dot_xml=content, meta_dot_xml=meta)


def pptx(*slides: tuple[str, str], title: str = "") -> bytes:
    """Slides, each with a title and a line."""
    names = 'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
    parts = {
        f"ppt__slides__slide{number}_dot_xml": (
            f'<p:sld {names}><p:cSld><p:spTree><p:sp><p:nvSpPr><p:nvPr><p:ph type="title"/></p:nvPr></p:nvSpPr>'
            f"<p:txBody><a:p><a:r><a:t>{head}"
            f"</a:t></a:r></a:p></p:txBody></p:sp><p:sp><p:txBody><a:p><a:r><a:t>{line}</a:t></a:r></a:p></p:txBody></p:sp>"
            "</p:spTree></p:cSld></p:sld>"
        )
        for number, (head, line) in enumerate(slides, 1)
    }
    return archive(**parts, docProps__core_dot_xml=CORE.format(title))


def bomb(size: int) -> bytes:
    """A Word file whose text unpacks to `size` blanks."""
    return docx(document=f'<w:document xmlns:w="{W}"><w:body><w:p><w:r><w:t>' + " " * size)


def swelling_pdf(size: int) -> bytes:
    """A PDF whose one page unpacks to `size` bytes of drawing."""
    stream = zlib.compress(b"0 0 m 1 1 l S\n" * (size // 14), 1)
    made = pdf("x")
    old = made[made.index(b"6 0 obj") : made.index(b"endobj", made.index(b"6 0 obj"))]
    new = b"6 0 obj\n<< /Filter /FlateDecode /Length %d >>\nstream\n%s\nendstream\n" % (len(stream), stream)
    return made.replace(old, new)
