"""What a real browser says the links of a page are."""

from __future__ import annotations

import pytest

from crawler import urls
from crawler.extract import extract
from tests.support.browser import browser_page, needs_browser
from tests.support.fakeweb import FakeWeb, Reply

PAGES = {
    "slashes": '<a href="///h.test/x">x</a><a href="http:\\\\h.test\\y">x</a>',
    "spaces": '<a href=" \t/a\n/b ">x</a><a href="\\c\\d">x</a>',
    "relative": '<a href="//h.test/z">x</a><a href="?q=1">x</a><a href="../up/./here">x</a><a href="http:same">x</a>',
    "base": '<base href="/other/dir/"><base href="/second/"><a href="x">x</a>',
    "bad base": '<base href="javascript:x"><a href="x">x</a>',
    "broken": '<p><a href=one>1<a href=two>2</p><table><tr><a href=three>3</table><a href="four>4</a><a href=five">',
    "entities": '<a href="/x?a=1&amp;b=2&copy=3">x</a><a href="/&#x7e;bob/">x</a>',
    "hidden": '<template><a href="/t">t</a></template><svg><a href="/svg"><text>s</text></a></svg><area href="/area">',
    "odd": '<a href="http://[::1">x</a><a href="mailto:a@b">x</a><a href="/%zz">x</a>',
    "port": '<a href="http://h.test:99999/">x</a><a href="http://h.test:80/">x</a>',
    "umlauts": '<a href="/ä?ö=ü">x</a><a href="http://b\u00fccher.test/">x</a>',
    "comment": '<!-- <a href="/no">no</a> --><a href="/yes">yes</a><!-- -- > <a href="/no2"> -->',
}


@needs_browser
@pytest.mark.browser
async def test_our_links_are_the_browsers() -> None:
    """The http(s) targets of a, area and SVG a, as chromium resolves them, are the addresses that we would fetch."""
    async with FakeWeb() as web, browser_page() as page:
        for name, html in PAGES.items():
            address = f"http://127.0.0.1:{web.port}/dir/page"
            text = f"<!DOCTYPE html><title>{name}</title>{html}"
            web.routes[address] = Reply(text, headers={"Content-Type": "text/html; charset=utf-8"})
            await page.goto(address)
            theirs = await page.eval_on_selector_all(
                "a, area",
                "nodes => nodes.map(node => node.href.baseVal !== undefined ? "
                "new URL(node.href.baseVal, document.baseURI).href : node.href)",
            )
            expected = {found for found in map(urls.address, theirs) if found and found != address}
            assert {link.address for link in extract(text, address, "utf-8").links} == expected, name
