"""The lens: the store seen as if it held only what a run has taken, against a store that does hold only that."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from crawler import urls
from crawler.model import Alias, Failed, Fetched, Link, Page, Reason, Record, Redirect
from ncf import aliases
from ncf.store import claims, graph, taken
from ncf.store.rows import keys
from ncf.store.store import Store
from ncf.store.views import server_view
from tests.ncf.test_store import AT

ADDRESSES = [f"http://{host}.test/{path}" for host in "ab" for path in ("", "u/", "u/x/", "u/x/1", "u/y/", "u/y/2")]
URLS = st.sampled_from(ADDRESSES)


def page(url: str, targets: list[str]) -> Fetched:
    found = Page(title=url, links=tuple(Link(target, target) for target in dict.fromkeys(targets)))
    return Fetched(url, url, url, 0, 200, AT, content_hash=url, page=found)


def moved(old: str, new: str) -> Alias:
    return Alias(old, new, 0, (Redirect(old, 301, new),))


PAGES = st.builds(page, URLS, st.lists(URLS, max_size=4))
MOVES = st.tuples(URLS, URLS).filter(lambda pair: pair[0] != pair[1]).map(lambda pair: moved(*pair))
GONE = URLS.map(lambda url: Failed(url, url, 0, Reason.STATUS, "HTTP 404", AT, 404))
RECORDS = st.lists(st.one_of(PAGES, PAGES, MOVES, GONE), max_size=8, unique_by=lambda record: record.url)


@given(RECORDS, RECORDS)
def test_the_lens_hides_what_was_not_taken(mine: list[Record], others: list[Record]) -> None:
    """Every server looks through it as it looks in a store that never had more; so do the names of servers."""
    met = {key for record in mine for key in keys(record)}
    later = [record for record in others if met.isdisjoint(keys(record))]
    with TemporaryDirectory() as folder, Store.open(Path(folder) / "a") as full, Store.open(Path(folder) / "b") as bare:
        full.keep_all([*mine, *later])
        bare.keep_all(mine)
        for store in (full, bare):
            taken.begin(store)
            taken.add(store, [(key, 0) for key in sorted(met)])
        with taken.lens(full):
            for server in ("a.test", "b.test"):
                one, other = server_view(full, server), server_view(bare, server)
                assert one.paths == other.paths
                for name in ("fetched", "sources", "targets", "outside"):
                    assert np.array_equal(getattr(one, name), getattr(other, name)), name
                assert (one.directories, one.titles, one.complete) == (other.directories, other.titles, other.complete)
            assert aliases.of_store(full) == aliases.of_store(bare)
        assert [node.url for node in graph.pages(full)] == [node.url for node in graph.pages(bare)]


def test_a_claim_is_no_link_through_the_lens(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s") as store:
        store.keep(page(ADDRESSES[0], []))
        taken.begin(store)
        taken.add(store, [(urls.key(ADDRESSES[0]), 0)])
        claims.add(store, "somebody", [(ADDRESSES[1], ADDRESSES[0])])
        with taken.lens(store):
            assert server_view(store, "a.test").paths == ("/",)
        assert len(server_view(store, "a.test").paths) == 2


def test_the_first_step_that_met_a_page_counts(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s") as store:
        store.keep(page(ADDRESSES[0], []))
        taken.begin(store)
        for hops in (1, 0):
            taken.add(store, [(urls.key(ADDRESSES[0]), hops)])
        assert [(url, hops) for url, hops, _ in graph.taken(store)] == [(ADDRESSES[0], 1)]
