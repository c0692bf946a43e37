"""Edge lists: a graph as a table of two columns, who links and to whom, read as a stream into arrays.

The form. Columns are separated by tabs, commas or semicolons, whichever most of the first lines have; quotes are as CSV
has them, and a quote that is not is a letter. Names are any strings, without the blanks around them. Empty lines and
lines that begin with # are left out, lines without two names are left out and counted. UTF-8, plain or gzip.

A header is optional. The first line is one when it names a source (source, src, from, …) and a target (target, dst,
to, …), alone or with words such as id, node, url or host: `source,target`, `from_id;to_id`. It then also says which
columns they are; without one they are the first two. Other columns are ignored.
"""

from __future__ import annotations

import csv
import gzip
import os
import re
import zlib
from array import array
from collections import defaultdict, deque
from dataclasses import dataclass
from itertools import chain, count, islice
from typing import TYPE_CHECKING, Self

import numpy as np

from ncf.communities.links import Links, distinct, linked
from ncf.errors import EdgesError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from io import BufferedReader
    from pathlib import Path

    from ncf.communities.links import IntArray
    from ncf.sitegraph import MutualGraph

SEPARATORS = ("\t", ",", ";")
SOURCES = frozenset("source src from origin start citing linking referrer referer".split())
TARGETS = frozenset("target tgt dst dest destination to end cited linked".split())
_BESIDE = frozenset("id node vertex name url uri page site host server domain blog".split())  # a header may add these
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")  # of source_id, FromNodeId and :START_ID
_QUOTED = re.compile(r'"[^"]*"')
_SAMPLE = 20  # lines that the separator is decided from
_BLOCK = 1 << 20  # bytes read at once
_LONGEST = 1 << 22  # bytes of a line; a file with a longer one is something else
_SPAN = 100  # lines that a quoted cell may go on for
_BOM, _BOMS_16 = b"\xef\xbb\xbf", (b"\xff\xfe", b"\xfe\xff")
_GZIP = b"\x1f\x8b"


@dataclass(frozen=True, slots=True, eq=False)
class EdgeList:
    """Links between names, as often and in the order that the file has them; an end is an index of `names`."""

    names: list[str]
    sources: IntArray
    targets: IntArray
    skipped: int = 0  # lines without two names
    first_skipped: int = 0  # the number of the first of them
    replaced: int = 0  # places that were not UTF-8

    def remarks(self) -> list[str]:
        """What was wrong with the file and did not matter much, a sentence each."""
        told = []
        if self.skipped:
            one = self.skipped == 1
            lines = "1 line has" if one else f"{self.skipped:,} lines have"
            rest = "counts for nothing; it is" if one else "count for nothing; the first is"
            told.append(f"{lines} fewer than two names and {rest} line {self.first_skipped:,}")
        if self.replaced:
            places = "1 place is" if self.replaced == 1 else f"{self.replaced:,} places are"
            told.append(f"{places} not UTF-8; \ufffd stands there instead")
        return told


@dataclass(slots=True)
class _Tally:
    """What is counted on the way."""

    skipped: int = 0
    first_skipped: int = 0
    replaced: int = 0

    def skip(self, line: int) -> None:
        self.first_skipped = self.first_skipped or line
        self.skipped += 1


def read(path: Path, saw: Callable[[int, int], None] | None = None) -> EdgeList:
    """Read an edge list; `saw` is told how many bytes of how many are read. Raises EdgesError."""
    try:
        with path.open("rb") as file:
            return _Reading(file, str(path), saw).edges()
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise EdgesError(f"the edge list {path} is damaged or not all there: {error}") from error
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "the name is not valid"
        raise EdgesError(f"the edge list {path} cannot be read: {why}") from error


class _Reading:
    """One file on its way into arrays."""

    def __init__(self, file: BufferedReader, name: str, saw: Callable[[int, int], None] | None) -> None:
        self._file, self._name, self._saw = file, name, saw
        self._size = os.fstat(file.fileno()).st_size  # 0 of a pipe
        self._tally = _Tally()

    def edges(self) -> EdgeList:
        """The links as numbers; each name is kept once."""
        ids: defaultdict[str, int] = defaultdict(count().__next__)
        sources, targets = array("q"), array("q")
        for number, source, target in self._named():
            if source and target:
                sources.append(ids[source])
                targets.append(ids[target])
            else:
                self._tally.skip(number)
        if not sources:
            raise self._error("holds no links: no line has two names")
        ends = (np.frombuffer(sources, np.int64), np.frombuffer(targets, np.int64))
        return EdgeList(list(ids), *ends, self._tally.skipped, self._tally.first_skipped, self._tally.replaced)

    def _error(self, what: str) -> EdgesError:
        return EdgesError(f"the edge list {self._name} {what}")

    def _named(self) -> Iterator[tuple[int, str, str]]:
        """Line, source and target; empty where a line has no two names."""
        lines = _Lines(self._lines())
        rows = _rows(lines, self._separator(lines))
        first = next(rows)
        header = _header(first[1])
        source, target = header or (0, 1)
        for number, row in rows if header else chain((first,), rows):
            if len(row) > source and len(row) > target:
                yield number, row[source].strip(), row[target].strip()
            else:
                yield number, "", ""

    def _separator(self, lines: _Lines) -> str:
        """What separates the columns: what most of the first lines have; of two, tab, or else what stands first."""
        lines.skip_to(_counts)
        sample = [line for line in lines.peek(_SAMPLE) if _counts(line)]
        if not sample:
            raise self._error("is empty")
        plain = [_QUOTED.sub("", line) for line in sample]
        having = {mark: sum(mark in line for line in plain) for mark in SEPARATORS}
        if not any(having.values()):
            raise self._error("has no tab, comma or semicolon in its first lines to separate columns")
        head = plain[0] + "".join(SEPARATORS)
        return max(SEPARATORS, key=lambda mark: (having[mark], mark == "\t", -head.index(mark)))

    def _lines(self) -> Iterator[str]:
        packed = self._file.peek(len(_GZIP)).startswith(_GZIP)
        if self._name.endswith(".gz") and not packed:
            raise self._error("ends in .gz and is no gzip file")
        for block in self._blocks(gzip.GzipFile(fileobj=self._file) if packed else self._file):
            text = self._decoded(block)
            if "\r" in text:
                text = text.replace("\r\n", "\n").replace("\r", "\n")
            yield from text.removesuffix("\n").split("\n")  # not splitlines: names may hold what else it splits at

    def _blocks(self, stream: BufferedReader | gzip.GzipFile) -> Iterator[bytes]:
        """Blocks of whole lines, without the byte order mark."""
        rest = stream.read(len(_BOM))
        if rest.startswith(_BOMS_16):
            raise self._error("is UTF-16; save it as UTF-8")
        rest = rest.removeprefix(_BOM)
        while block := stream.read(_BLOCK):
            if b"\0" in block:
                raise self._error("is not text")
            end = (block.rfind(b"\n") if b"\n" in block else block.rfind(b"\r")) + 1
            if end:
                yield rest + block[:end]
                rest = block[end:]
            elif len(rest := rest + block) > _LONGEST:
                raise self._error(f"has a line of more than {_LONGEST:,} bytes: it is no edge list")
            if self._saw and self._size:
                self._saw(self._file.tell(), self._size)
        if rest:
            yield rest

    def _decoded(self, block: bytes) -> str:
        try:
            return block.decode()
        except UnicodeDecodeError:
            text = block.decode(errors="replace")
            self._tally.replaced += text.count("\ufffd") - block.count("\ufffd".encode())
            return text


class _Lines:
    """Lines with their numbers, some of which can be put back."""

    def __init__(self, lines: Iterator[str]) -> None:
        self._lines, self._back, self.number = lines, deque[str](), 0

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> str:
        line = self._back.popleft() if self._back else next(self._lines)
        self.number += 1
        return line

    def back(self, lines: list[str]) -> None:
        """Put the lines that came last back."""
        self._back.extendleft(reversed(lines))
        self.number -= len(lines)

    def peek(self, most: int) -> list[str]:
        """The lines that come next."""
        found = list(islice(self, most))
        self.back(found)
        return found

    def skip_to(self, wanted: Callable[[str], bool]) -> None:
        """Leave lines out until one is wanted."""
        for line in self:
            if wanted(line):
                self.back([line])
                return


def _counts(line: str) -> bool:
    """Whether a line is neither empty nor a comment."""
    return line != "" and line[0] != "#" and not line.isspace()


def _rows(lines: _Lines, separator: str) -> Iterator[tuple[int, list[str]]]:
    """The cells of each line that counts, with its number."""
    for line in lines:
        if _counts(line):
            number = lines.number  # of the first line, where a cell goes on over several
            yield number, _quoted(line, lines, separator) if '"' in line else line.split(separator)


def _quoted(first: str, lines: _Lines, separator: str) -> list[str]:
    """The cells of a line with quotes, and of those it goes on in; where the quotes are no CSV, they are letters."""
    taken: list[str] = []

    def fed() -> Iterator[str]:
        yield first + "\n"
        for line in islice(lines, _SPAN):
            taken.append(line)
            yield line + "\n"

    try:
        return next(csv.reader(fed(), delimiter=separator, strict=True, skipinitialspace=True))
    except csv.Error:
        lines.back(taken)
        return first.split(separator)


def _header(row: list[str]) -> tuple[int, int] | None:
    """The columns of source and target, when a row is a header.

    >>> _header(["Id", "Source URL", "target_url"]), _header(["a.example", "b.example"])
    ((1, 2), None)
    """
    meant = [frozenset(word.lower() for word in _WORD.findall(cell)) - _BESIDE for cell in row]
    sources = [place for place, words in enumerate(meant) if len(words) == 1 and words <= SOURCES]
    targets = [place for place, words in enumerate(meant) if len(words) == 1 and words <= TARGETS]
    return (sources[0], targets[0]) if sources and targets else None


def mutual_pairs(edges: EdgeList) -> IntArray:
    """The pairs that link to each other, both ways: rows of two different indices of `names`, the smaller first."""
    names, sources, targets = len(edges.names), edges.sources, edges.targets
    up, down = sources < targets, sources > targets
    there = distinct(sources[up] * names + targets[up])
    back = distinct(targets[down] * names + sources[down])
    both = np.intersect1d(there, back, assume_unique=True)
    return np.column_stack(np.divmod(both, names))


def mutual_links(edges: EdgeList) -> Links:
    """The mutual-link graph (NCF, definition 4) in arrays, without the names that are in no pair."""
    return linked(edges.names, mutual_pairs(edges))


def mutual_graph(edges: EdgeList) -> MutualGraph:
    """The same for networkx, which needs many times the memory."""
    import networkx as nx  # 0.1 s that a reading of an edge list need not pay

    found = mutual_links(edges)
    graph: MutualGraph = nx.Graph()
    name = found.names.__getitem__
    sources, targets = found.pairs.T.tolist()
    graph.add_edges_from(zip(map(name, sources), map(name, targets), strict=True))
    return graph
