"""Servers seen from the store, judged, and remembered."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.model import Alias, Failed, Fetched, Link, Page, Reason, Redirect
from filters.base import Rule
from filters.learned import Lesson
from filters.patterns import parse
from ncf import knowledge
from ncf.atlas import Atlas
from ncf.store import lessons
from ncf.store.store import Store
from ncf.store.views import server_view

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from filters.base import ServerView

AT = datetime(2026, 1, 2, tzinfo=UTC)
H = "http://h.example"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "s.sqlite") as kept:
        yield kept


def page(url: str, *links: str, title: str = "") -> Fetched:
    found = Page(title=title, links=tuple(Link(link, link) for link in links))
    return Fetched(url, url, url, 0, 200, AT, content_hash=url, page=found)


def links(seen: ServerView) -> set[tuple[str, str]]:
    ends = zip(seen.sources.tolist(), seen.targets.tolist(), strict=True)
    return {(seen.paths[source], seen.paths[target]) for source, target in ends}


def test_a_view_has_pages_links_and_titles(store: Store) -> None:
    store.keep(page(f"{H}/", f"{H}/a/?x=1", f"{H}/a/?x=2", f"{H}/", "http://other.example/", title="Home"))
    store.keep(page(f"{H}/a/?x=1", f"{H}/b/c.html", title="A"))
    store.keep(page("http://other.example/", f"{H}/a/?x=1", f"{H}/b/c.html"))
    seen = server_view(store, "h.example")
    assert seen.paths == ("/", "/a/", "/b/c.html")
    assert seen.fetched.tolist() == [True, True, False]
    assert links(seen) == {("/", "/a/"), ("/a/", "/b/c.html")}
    assert seen.outside.tolist() == [0, 1, 1]
    assert seen.titles == {"/": "Home", "/a/": "A"}
    assert seen.directories == {"/", "/a/", "/b/"}
    assert not seen.complete


def test_a_link_counts_for_where_it_leads(store: Store) -> None:
    store.keep(page(f"{H}/", f"{H}/old"))
    store.keep(page(f"{H}/new/"))
    store.keep(Alias(f"{H}/old", f"{H}/new/", 1, (Redirect(f"{H}/old", 301, f"{H}/new/"),)))
    assert links(server_view(store, "h.example")) == {("/", "/new/")}


def test_a_redirect_shows_a_directory(store: Store) -> None:
    store.keep(Alias(f"{H}/bob", f"{H}/bob/", 0, (Redirect(f"{H}/bob", 301, f"{H}/bob/"),)))
    assert "/bob/" in server_view(store, "h.example").directories


def test_a_link_to_a_directory_shows_none(store: Store) -> None:
    store.keep(page(f"{H}/", f"{H}/bob/"))
    assert "/bob/" not in server_view(store, "h.example").directories


@pytest.mark.parametrize(
    ("reason", "status", "complete"),
    [(Reason.STATUS, 404, True), (Reason.ROBOTS, None, False), (Reason.TIMEOUT, None, False)],
)
def test_a_server_is_complete_when_nothing_is_left_to_learn(
    store: Store, reason: Reason, status: int | None, complete: bool
) -> None:
    store.keep(page(f"{H}/", f"{H}/a"))
    assert not server_view(store, "h.example").complete
    store.keep(Failed(f"{H}/a", f"{H}/a", 1, reason, "", AT, status))
    assert server_view(store, "h.example").complete is complete


def test_pictures_are_no_pages(store: Store) -> None:
    store.keep(Fetched(f"{H}/pics/x", f"{H}/pics/x", f"{H}/pics/x", 0, 200, AT, content_type="image/gif"))
    seen = server_view(store, "h.example")
    assert (seen.paths, seen.complete) == ((), True)


def test_names_of_one_server_are_seen_together(store: Store) -> None:
    store.keep(page(f"{H}/", f"{H}/a"))
    store.keep(page("http://second.example/b", f"{H}/"))
    seen = server_view(store, "h.example", ["second.example"])
    assert seen.paths == ("/", "/a", "/b")
    assert links(seen) == {("/", "/a"), ("/b", "/")}
    assert seen.outside.sum() == 0


PATHS = st.sampled_from(["/", "/a/", "/a/b", "/c", "/d/e/"])


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(PATHS, PATHS), max_size=10))
def test_a_view_against_a_literal_reading(
    tmp_path_factory: pytest.TempPathFactory, pairs: list[tuple[str, str]]
) -> None:
    found: dict[str, list[str]] = {}
    for source, target in pairs:
        found.setdefault(source, []).append(H + target)
    with Store.open(tmp_path_factory.mktemp("view") / "s.sqlite") as store:
        for source, targets in found.items():
            store.keep(page(H + source, *dict.fromkeys(targets)))
        seen = server_view(store, "h.example")
    assert links(seen) == {(a, b) for a, b in pairs if a != b}
    assert {path for path, had in zip(seen.paths, seen.fetched.tolist(), strict=True) if had} == set(found)
    assert set(seen.paths) == {end for pair in pairs for end in pair}


LESSON = Lesson(4, (Rule("/u/", 3, "backlinks", "because"),))


def test_lessons_last_and_replace_older_ones(store: Store) -> None:
    lessons.learn(store, {"h.example": LESSON, "i.example": Lesson(1, ())})
    assert lessons.lessons(store) == {"h.example": LESSON, "i.example": Lesson(1, ())}
    lessons.learn(store, {"h.example": Lesson(9, ())})
    assert lessons.lessons(store)["h.example"] == Lesson(9, ())


def people(store: Store, *names: str) -> None:
    for name in names:
        store.keep(page(f"{H}/crew/{name}/", f"{H}/crew/{name}/cv.html"))
        store.keep(page(f"{H}/crew/{name}/cv.html", f"{H}/crew/{name}/"))
    # A link that was not followed: a small server that was crawled to its end would be one site by filter 4.
    store.keep(page(f"{H}/list", f"{H}/more", *(f"{H}/crew/{name}/" for name in names)))


CREW = ("ahorn", "bwild", "ckrantz", "dmoll", "eberg", "fkohl", "gstern", "hdorn")


def test_what_is_found_is_learned_and_used_again(store: Store) -> None:
    people(store, *CREW)
    first = Atlas(store, knowledge.filters(store))
    assert first.site(f"{H}/crew/ahorn/cv.html").key == "h.example/crew/ahorn/"
    first.learn()
    second = Atlas(store, knowledge.filters(store))
    assert second.site(f"{H}/crew/new/x.html").key == "h.example/crew/new/"
    assert second.judged == {}


def test_a_server_that_has_grown_by_half_is_judged_again(store: Store) -> None:
    people(store, *CREW[:4])
    lessons.learn(store, {"h.example": Lesson(8, ())})
    assert Atlas(store, knowledge.filters(store)).site(f"{H}/crew/ahorn/").key == "h.example/"
    people(store, *CREW)
    assert Atlas(store, knowledge.filters(store)).site(f"{H}/crew/ahorn/").key == "h.example/crew/ahorn/"


def test_a_persons_rules_leave_no_lesson(store: Store) -> None:
    """What the filters find under a rule would outlive the rule."""
    people(store, *CREW)
    atlas = Atlas(store, knowledge.filters(store, parse("h.example\t1")))
    assert atlas.site(f"{H}/crew/ahorn/").key == "h.example/"
    assert atlas.judged == {}


@pytest.mark.parametrize("mode", ["paper", "off"])
def test_another_correction_neither_learns_nor_believes_lessons(store: Store, mode: str) -> None:
    people(store, *CREW)
    lessons.learn(store, {"h.example": Lesson(17, ())})
    atlas = Atlas(store, knowledge.filters(store, ecfc=mode))
    assert atlas.site(f"{H}/crew/ahorn/").key == "h.example/crew/ahorn/"
    assert atlas.judged == {}
