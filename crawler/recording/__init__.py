"""WARC in and out: `writer` records a crawl, `archive` finds what a recording holds, `replay` serves it as the Web."""
