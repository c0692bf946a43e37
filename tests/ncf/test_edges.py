"""Edge lists: every form that is promised, and every file that is none."""

from __future__ import annotations

import csv
import gzip
import io
import random
import time
import tracemalloc
from contextlib import suppress
from typing import TYPE_CHECKING

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncf import edges
from ncf.edges import EdgeList
from ncf.errors import EdgesError
from tests.support.shared import SHARED, needs_shared

if TYPE_CHECKING:
    from pathlib import Path

PAIRS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=40)
NAMES = st.text('ab ,;\t"#é', min_size=1, max_size=6).map(str.strip).filter(bool)
AB = [("a", "b")]


def read(folder: Path, content: bytes | str, name: str = "edges.csv") -> EdgeList:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return edges.read(path)


def links(found: EdgeList) -> list[tuple[str, str]]:
    """The links by name, in the file's order."""
    ends = zip(found.sources.tolist(), found.targets.tolist(), strict=True)
    return [(found.names[source], found.names[target]) for source, target in ends]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("a\tb\nc\td\n", [("a", "b"), ("c", "d")]),
        ("a,b", AB),
        ("a;b\n", AB),
        ("a,b\r\nc,d\r\n", [("a", "b"), ("c", "d")]),
        ("a,b\rc,d\r", [("a", "b"), ("c", "d")]),
        ("\n# a,comment\n  \na,b\n\n#end", AB),
        ("  a , b  \n", AB),
        ("a,b,3,more\nc,d\n", [("a", "b"), ("c", "d")]),
        ('"a,1","b ""2"""\n', [("a,1", 'b "2"')]),
        ('"a, 1", "b"\n', [("a, 1", "b")]),
        ('"a\n1",b\nc,d\n', [("a\n1", "b"), ("c", "d")]),
        ('a\t6" disk\nc\t"half\n', [("a", '6" disk'), ("c", '"half')]),
        ('"a\tb\nc\td\n', [('"a', "b"), ("c", "d")]),
        ("\ufeffa,b\n", AB),
        ("\ufeffsource,target\na,b\n", AB),
        ("a,1\tb,2\nc\td\n", [("a,1", "b,2"), ("c", "d")]),
        ("a;1,b\nc,d\n", [("a;1", "b"), ("c", "d")]),
        ("\ta\tb\nc\td\n", [("c", "d")]),
        ("a,a\n", [("a", "a")]),
        ("あ,б\n", [("あ", "б")]),
        ("a\x0b1,b\u2028c\n", [("a\x0b1", "b\u2028c")]),
    ],
)
def test_every_form_is_read(tmp_path: Path, content: str, expected: list[tuple[str, str]]) -> None:
    assert links(read(tmp_path, content)) == expected
    assert links(read(tmp_path, gzip.compress(content.encode()), "edges.csv.gz")) == expected


@pytest.mark.parametrize(
    "head",
    [
        "source,target", "Source;Target", "src\tdst", "from,to", "from_id,to_id", ":START_ID,:END_ID",
        "FromNodeId,ToNodeId", '"Source URL","Target URL"', "citing,cited",
        "# made by hand\nsource,target", "ORIGIN,DESTINATION",
    ],
)  # fmt: skip
def test_a_header_is_no_link(tmp_path: Path, head: str) -> None:
    mark = next(mark for mark in "\t;," if mark in head)
    assert links(read(tmp_path, f"{head}\na{mark}b\n")) == AB


@pytest.mark.parametrize(
    "head", ["weight,target,source", "Id;To;Type;From", "target_url\tsource_url", "x,destination host,origin host"]
)
def test_a_header_says_which_columns_are_meant(tmp_path: Path, head: str) -> None:
    mark = next(mark for mark in "\t;," if mark in head)
    cells = head.lower().split(mark)
    source = next(at for at, cell in enumerate(cells) if cell.startswith(("source", "from", "origin")))
    target = next(at for at, cell in enumerate(cells) if cell.startswith(("target", "to", "destination")))
    row = ["x"] * len(cells)
    row[source], row[target] = "a", "b"
    assert links(read(tmp_path, f"{head}\n{mark.join(row)}\n")) == AB


@pytest.mark.parametrize("first", ["source.example,target.example", "a,to", "from,b", "to,b", "source,source"])
def test_a_link_that_looks_like_a_header_is_a_link(tmp_path: Path, first: str) -> None:
    assert links(read(tmp_path, f"{first}\na,b\n")) == [tuple(first.split(",")), ("a", "b")]


@given(st.lists(st.tuples(NAMES, NAMES), min_size=1, max_size=30), st.sampled_from(edges.SEPARATORS))
def test_any_names_come_back_when_they_are_quoted(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]], separator: str
) -> None:
    text = io.StringIO()
    csv.writer(text, delimiter=separator, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(rows)
    assert links(read(tmp_path_factory.mktemp("edges"), text.getvalue())) == rows


@given(st.binary(max_size=300))
def test_any_bytes_are_links_or_one_clear_error(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    """Nothing else is ever raised."""
    with suppress(EdgesError):
        found = read(tmp_path_factory.mktemp("edges"), content)
        assert len(found.sources) == len(found.targets) > 0


@pytest.mark.parametrize(
    ("content", "name", "sentence"),
    [
        (b"", "e.csv", "is empty"),
        (b"\n#x,y\n \n", "e.csv", "is empty"),
        (b"a b\nc d\n", "e.csv", "no tab, comma or semicolon"),
        (b"a,\n,b\n", "e.csv", "no line has two names"),
        (b"source,target\n", "e.csv", "no line has two names"),
        (b"a,b\n\0", "e.csv", "is not text"),
        ("a,b\n".encode("utf-16"), "e.csv", "UTF-16; save it as UTF-8"),
        ("a,b\n".encode("utf-16-be"), "e.csv", "is not text"),
        (b"x" * 6_000_000, "e.csv", "a line of more than 4,194,304 bytes"),
        (gzip.compress(b"x" * 6_000_000), "e.csv.gz", "a line of more than"),
        (b"a,b\n", "e.csv.gz", "ends in .gz and is no gzip file"),
        (gzip.compress(b"a,b\n" * 9_999)[:-20], "e.csv.gz", "damaged or not all there"),
        (gzip.compress(b"a,b\n")[:12] + b"\xff" * 9, "e.csv.gz", "damaged or not all there"),
        (gzip.compress(b"a,b\n") + b"rest", "e.csv.gz", "damaged or not all there"),
    ],
)
def test_what_is_no_edge_list_is_said(tmp_path: Path, content: bytes, name: str, sentence: str) -> None:
    with pytest.raises(EdgesError, match=sentence) as caught:
        read(tmp_path, content, name)
    assert str(tmp_path / name) in str(caught.value)


@pytest.mark.parametrize(("name", "sentence"), [("none.csv", "No such file"), (".", "directory"), ("\0", "not valid")])
def test_what_cannot_be_opened_is_said(tmp_path: Path, name: str, sentence: str) -> None:
    with pytest.raises(EdgesError, match=sentence):
        edges.read(tmp_path / name)


def test_gzip_is_known_by_its_bytes(tmp_path: Path) -> None:
    assert links(read(tmp_path, gzip.compress(b"a,") + gzip.compress(b"b\n"), "edges.csv")) == AB


def test_lines_without_two_names_are_counted(tmp_path: Path) -> None:
    found = read(tmp_path, 'a,b\n\n#\nonly\n,c\n"d\nd",e\nlast,\n')
    assert links(found) == [("a", "b"), ("d\nd", "e")]
    assert (found.skipped, found.first_skipped) == (3, 4)
    assert found.remarks() == ["3 lines have fewer than two names and count for nothing; the first is line 4"]


def test_what_is_not_utf_8_is_counted(tmp_path: Path) -> None:
    found = read(tmp_path, b"a,caf\xe9\n\xef\xbf\xbd,b\n")
    assert links(found) == [("a", "caf\ufffd"), ("\ufffd", "b")]
    assert found.remarks() == ["1 place is not UTF-8; \ufffd stands there instead"]


def test_a_good_file_has_no_remarks(tmp_path: Path) -> None:
    assert read(tmp_path, "a,b\n").remarks() == []


def test_a_file_of_several_blocks_is_one(tmp_path: Path) -> None:
    """Names and lines may lie across the blocks that a file is read in."""
    rows = [(f"é{number:07}", f"ö{number % 1000:04}") for number in range(150_000)]
    text = "source,target\n" + "".join(f"{source},{target}\n" for source, target in rows)
    assert len(text.encode()) > 2 << 20
    assert links(read(tmp_path, text)) == rows
    assert links(read(tmp_path, text.replace("\n", "\r"))) == rows


def test_it_tells_how_far_it_is(tmp_path: Path) -> None:
    path = tmp_path / "edges.tsv"
    path.write_text("a\tb\n" * 1_000_000)
    seen: list[tuple[int, int]] = []
    edges.read(path, lambda done, total: seen.append((done, total)))
    assert seen == sorted(seen)
    assert seen[-1] == (4_000_000, 4_000_000)
    assert len(seen) > 2


def test_a_long_file_streams(tmp_path: Path) -> None:
    """Beyond the links themselves, 16 bytes each, and the names, a few blocks."""
    path = tmp_path / "edges.tsv"
    path.write_text("".join(f"some.blog.example{n % 100}\tother.blog.example{n % 90}\n" for n in range(200_000)))
    assert path.stat().st_size > 7_000_000
    tracemalloc.start()
    found = edges.read(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (len(found.sources), len(found.names)) == (200_000, 190)
    # The lines of one block, as text and taken apart, are the most of it.
    assert peak < 16_000_000


@pytest.mark.parametrize(
    "line",
    ['"a\tb', '"a\tb""', '"', '""\t"', 'a\t"b', '"a"b\tc', "\t", "#", "a\tb\t" * 50, '"' * 999 + "\tb"],
)
def test_hostile_quotes_cost_little(tmp_path: Path, line: str) -> None:
    """A quote that never closes is looked for in a hundred lines, not to the end of the file."""
    content = ("a\tb\n" + f"{line}\n" * (300_000 // len(line))).encode()
    started = time.process_time()
    assert links(read(tmp_path, content))[0] == ("a", "b")
    assert time.process_time() - started < 10


@given(PAIRS)
def test_mutual_pairs_are_their_literal_reading(given_links: list[tuple[int, int]]) -> None:
    names = list("gfedcba")
    sources, targets = (np.array([pair[end] for pair in given_links], dtype=np.int64) for end in (0, 1))
    found = EdgeList(names, sources, targets)
    expected = [
        (one, other)
        for one in range(7)
        for other in range(one + 1, 7)
        if (one, other) in given_links and (other, one) in given_links
    ]
    assert [tuple(pair) for pair in edges.mutual_pairs(found).tolist()] == expected
    by_name = {frozenset((names[one], names[other])) for one, other in expected}
    assert {frozenset(pair) for pair in edges.mutual_graph(found).edges} == by_name
    arrays = edges.mutual_links(found)
    assert list(arrays.names) == sorted({name for pair in by_name for name in pair})
    assert {frozenset(arrays.names[end] for end in pair) for pair in arrays.pairs.tolist()} == by_name


def test_mutual_pairs_are_quick() -> None:
    """A sort, and not a set of pairs."""
    chance = np.random.default_rng(1)
    found = EdgeList([str(n) for n in range(50_000)], *chance.integers(0, 50_000, (2, 500_000)))
    started = time.process_time()
    pairs = edges.mutual_pairs(found)
    assert time.process_time() - started < 3
    both = set(zip(found.sources.tolist(), found.targets.tolist(), strict=True))
    assert len(pairs) == sum(one < other and (other, one) in both for one, other in both)


@needs_shared
def test_the_friend_links_are_read() -> None:
    """37,807 hosts, 97,024 links, 11,199 of them mutual, as the data's own page says of the last two."""
    found = edges.read(SHARED / "data/friendlinks/edges_host.tsv")
    assert (len(found.names), len(found.sources), found.remarks()) == (37_807, 97_024, [])
    graph = edges.mutual_graph(found)
    assert graph.number_of_edges() == len(edges.mutual_pairs(found)) == 11_199
    assert nx.number_of_selfloops(graph) == 0


@needs_shared
def test_the_order_of_lines_makes_no_difference(tmp_path: Path) -> None:
    lines = (SHARED / "data/friendlinks/edges_host.tsv").read_text("utf-8").splitlines()
    shuffled = random.Random(1).sample(lines, len(lines))
    one, other = (edges.mutual_links(read(tmp_path, "\n".join(some))) for some in (lines, shuffled))
    assert one.names == other.names
    assert {frozenset(pair) for pair in one.pairs.tolist()} == {frozenset(pair) for pair in other.pairs.tolist()}
