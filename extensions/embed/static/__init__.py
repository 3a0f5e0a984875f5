"""How does a site search without a server? Its index is a folder of small files, of which a query loads a few.

    index.bin    what every search needs: fields, weights, stop words, and with which word each piece of terms begins
    pages.bin    the numbers of all pages: lengths of fields, links, places of sections
    terms-N      words in the order of their characters, each with its postings and positions
    records-N    titles, URLs and sections of pages in the order of the index
    text-N       passages of the pages, for snippets
    names-N      titles, headings and pairs of their words, for suggestions

Each is packed by gzip. The names end in `.bin`, since some servers send `.gz` as packed text. Numbers are packed as in
the segments of the index (indexer/segments/postings.py). The scripts in `web/` search them in a browser by the same
formula as the gateway: search.js loads, analysis.js reads queries, ranking.js scores pages, excerpts.js makes snippets.
"""
