"""From a URL to a page with its links: a polite, safe, recordable crawler that knows nothing of sites.

Begin at `crawler.crawl.Crawl`; the records it gives are in `crawler.model`.
"""
