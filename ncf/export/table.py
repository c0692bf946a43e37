"""The communities as people read them: who is in each, what links them, what they were made from, and what is missing.

    site (* seed)                        pages  hops  title

 1  3 sites, with your seed
  * http://kepler.example/~anna/            13     0  Anna's observatory
    http://kepler.example/~ben/             10     1  Ben's radio shack
    http://nightsky.example/                12     1  Night Sky
      ~anna/friends.html → ~ben/            ~anna/mars.html ← ~ben/bookmarks.html
      …

Every line is made of `Text`, never of strings: rich would read [/] in a title as markup.
"""

from __future__ import annotations

import io
import re
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import chain, combinations, islice
from typing import TYPE_CHECKING

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from ncf.export import output
from ncf.export.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from crawler.model import Cut
    from ncf.result import Community, HubRow, LinkRow, Result, SiteRow

    _Sides = tuple[tuple[str, str], tuple[str, str]]

FILE_WIDTH = 120  # columns, where no terminal says otherwise
TOP = 20  # communities
_SITES = 30  # of a community
_PAIRS = 3  # of a community's sites, with the pages that link them: all there are of three sites
_HUBS = 8
_DETAILS = 3  # of one kind of cut
_TITLE_LINES = 2
_MIN_TITLE = 22  # columns; an address that leaves less has a line of its own
_SEED, _ADDRESS, _FAINT, _HEAD, _WARNING = "bold green", "cyan", "dim", "bold", "bold yellow"

_INTRODUCTION = (
    "The sites of a community all link to each other; those with your seeds come first, then the nearest."
    " Arrows lead from a page to the page it links to."
)
_OPTIONS = frozenset(("max-pages", "pages-per-site", "sites-per-step", "minutes", "offline"))
_OTHER_CUTS = {
    "stopped": "Stopped",
    "network": "Stopped",
    "max-requests": "Cut off by the limit on requests",
    "max-hops": "Cut off by the limit on depth",
    "limit": "Not all communities",
    "effort": "Not all communities",
}
_GOES_ON = "The same command goes on from here."
_FEWER = "Fewer sites have an end: try a smaller --growth, or --exclude."
_ADVICE = {
    **dict.fromkeys(("max-pages", "max-requests", "minutes", "sites-per-step", "stopped", "network"), _GOES_ON),
    "pages-per-site": "A larger --pages-per-site asks for them.",
    "offline": "Drop --offline to ask for them.",
    "limit": _FEWER,
    "effort": _FEWER,
}
_SCHEME = re.compile(r"^https?://(www\.)?")
_OF_SITE = re.compile(r"(\d+) known pages of (.+) were not asked for")


def write(result: Result, path: Path | None, top: int | None = None) -> None:
    """Draw on the terminal, or write plain text to a file or a pipe."""
    if path is None and sys.stdout.isatty():
        show(result, Console(highlight=False), top)
    else:
        output.write(text(result, top), path)


def show(result: Result, console: Console, top: int | None = None) -> None:
    """Print the communities, what they were made from, and what was cut off."""
    for line in _lines(result, console, top or TOP):
        console.print(line, soft_wrap=True, highlight=False)


def text(result: Result, top: int | None = None) -> str:
    """The same as plain text, for a file."""
    lines = _lines(result, Console(file=io.StringIO(), width=FILE_WIDTH, force_terminal=False), top or TOP)
    return "".join(line.plain.rstrip() + "\n" for line in lines)


def _lines(result: Result, console: Console, top: int) -> Iterator[Text]:
    yield from _listing(result, console, top)
    for sentence in summary(result):
        yield from _broken(sentence, console)


def _broken(sentence: Text, console: Console) -> Iterator[Text]:
    """A sentence in the lines of a terminal. In a file it stays on one line, where a program finds it whole."""
    lines = sentence.wrap(console, max(1, console.width - 2)) if console.is_terminal else [sentence]
    for place, part in enumerate(lines):
        part.rstrip()
        yield Text("  " if place else "").append_text(part)


# The communities


@dataclass(frozen=True, slots=True)
class _Layout:
    """Where the columns stand, in all communities alike."""

    rank: int
    address: int
    pages: int
    title: int

    @classmethod
    def of(cls, shown: Sequence[Community], rows: Mapping[str, SiteRow], width: int) -> _Layout:
        """The columns that these communities need, in as much room as there is."""
        sites = {site for community in shown for site in community.sites}
        rank = max(2, len(str(shown[-1].rank)))
        pages = max(len("pages"), *(len(str(rows[site].pages)) for site in sites))
        rest = width - rank - pages - len("* " + "  " + "  hops" + "  ")
        longest = max(cell_len(clean(site)) for site in sites)
        address = max(1, min(longest, rest - min(_MIN_TITLE, rest // 2)))
        return cls(rank, address, pages, max(2, rest - address))

    @property
    def inset(self) -> int:
        """Where addresses begin."""
        return self.rank + 2

    def head(self) -> Text:
        """What the columns hold."""
        site = set_cell_size("site (* seed)", self.address)
        return Text(f"{'':{self.inset}}{site}  {'pages':>{self.pages}}  hops  title", _FAINT)


def _listing(result: Result, console: Console, top: int) -> Iterator[Text]:
    shown = result.communities[:top]
    if not shown:
        return
    rows = {row.site: row for row in result.sites}
    links = {(link.source, link.target): link for link in result.links}
    layout = _Layout.of(shown, rows, console.width)
    yield from _broken(Text(_INTRODUCTION, _FAINT), console)
    yield Text()
    yield layout.head()
    for community in shown:
        yield Text()
        yield _heading(community, len(result.seeds), layout)
        yield from _sites(community, rows, layout, console)
        yield from _evidence(community, links, layout, console.width)
    yield Text()
    if more := len(result.communities) - len(shown):
        yield Text(
            f"… and {more} more: --top {len(result.communities)} lists them all; so do --format json and csv.", _HEAD
        )
        yield Text()


def _heading(community: Community, seeds: int, layout: _Layout) -> Text:
    here = len(community.seeds)
    whose = ", with your seed" if seeds == here == 1 else f", with {here} of your seeds" if here else ""
    return Text(f"{community.rank:>{layout.rank}}  {count(community.size, 'site')}{whose}", _HEAD)


def _sites(community: Community, rows: Mapping[str, SiteRow], layout: _Layout, console: Console) -> Iterator[Text]:
    shown = _first(community)
    for site in shown:
        yield from _site(rows[site], layout, console, is_seed=site in community.seeds)
    if more := community.size - len(shown):
        yield Text(f"{'':{layout.inset}}… and {count(more, 'more site')}", _FAINT)


def _first(community: Community) -> list[str]:
    """The sites that are listed, in their order: of very many the seeds, and the first of the others."""
    if community.size <= _SITES:
        return list(community.sites)
    seeds = frozenset(community.seeds)
    first = frozenset(sorted(community.sites, key=lambda site: site not in seeds)[:_SITES])
    return [site for site in community.sites if site in first]


def _site(row: SiteRow, layout: _Layout, console: Console, *, is_seed: bool) -> Iterator[Text]:
    address = clean(row.site)
    line = Text.assemble(
        (f"{'*' if is_seed else '':>{layout.rank + 1}} ", _SEED), (address, _SEED if is_seed else _ADDRESS)
    )
    if cell_len(address) > layout.address:
        yield line
        line = Text()
    numbers = f"  {row.pages:>{layout.pages}}  {row.hops:>4}  "
    start = layout.inset + layout.address
    line.append(" " * (start - line.cell_len) + numbers)
    for place, part in enumerate(_title(row, layout, console)):
        yield (Text(" " * (start + len(numbers))) if place else line).append_text(part)


def _title(row: SiteRow, layout: _Layout, console: Console) -> list[Text]:
    """The title in a few lines; a dash for a site that has none."""
    title = clean(row.title)
    if not title:
        return [Text("–", _FAINT)]
    lines = list(Text(title).wrap(console, layout.title))
    for line in lines:
        line.rstrip()
    if len(lines) > _TITLE_LINES:
        last = lines[_TITLE_LINES - 1]
        last.truncate(layout.title - 1)
        last.append("…")
    return lines[:_TITLE_LINES]


# What links them


def _evidence(
    community: Community, links: Mapping[tuple[str, str], LinkRow], layout: _Layout, width: int
) -> Iterator[Text]:
    """The two pages of each mutual link, beside each other, or below each other where there is no room."""
    inset = layout.inset + 2
    names = _names(community.sites)
    pairs = list(islice(_pairs(community, links), _PAIRS))
    yield from _laid_out([_both_ways(pair, names, links) for pair in pairs], inset, width)
    if more := community.size * (community.size - 1) // 2 - len(pairs):
        yield Text(f"{'':{inset}}… and {count(more, 'more pair')}", _FAINT)


def _pairs(community: Community, links: Mapping[tuple[str, str], LinkRow]) -> Iterator[tuple[str, str]]:
    """The pairs of a community, those of its seeds first. They are made one by one: a large one has millions."""
    seeds = frozenset(community.seeds)
    others = [site for site in community.sites if site not in seeds]
    of_seeds = chain(combinations(community.seeds, 2), ((seed, site) for seed in community.seeds for site in others))
    for one, other in chain(of_seeds, combinations(others, 2)):
        if (one, other) in links and (other, one) in links:
            yield one, other


def _both_ways(pair: tuple[str, str], names: Mapping[str, str], links: Mapping[tuple[str, str], LinkRow]) -> _Sides:
    """The page that links there and the page it links to; the page that is linked back to and the page that does it."""
    there, back = links[pair], links[pair[1], pair[0]]
    pages = zip((*there.evidence, *reversed(back.evidence)), pair * 2, strict=True)
    one, other, linked, linking = (_page(page, site, names[site]) for page, site in pages)
    return (one, other), (linked, linking)


def _laid_out(sides: Sequence[_Sides], inset: int, width: int) -> Iterator[Text]:
    first = [f"{one} → {other}" for (one, other), _ in sides]
    second = [f"{linked} ← {linking}" for _, (linked, linking) in sides]
    half = _widest(first) + 3
    if inset + half + _widest(second) <= width:
        for there, back in zip(first, second, strict=True):
            yield Text(f"{'':{inset}}{set_cell_size(there, half)}{back}", _FAINT)
        return
    ways = [(arrow, *pages) for pair in sides for arrow, pages in zip("→←", pair, strict=True)]
    left, right = _rooms(ways, max(2, width - inset - len(" → ")))
    for arrow, one, other in ways:
        yield Text(f"{'':{inset}}{set_cell_size(_middle(one, left), left)} {arrow} {_middle(other, right)}", _FAINT)


def _rooms(ways: Sequence[tuple[str, str, str]], room: int) -> tuple[int, int]:
    """The columns on both sides of the arrows; a side that needs less than half leaves the rest to the other."""
    left, right = _widest(way[1] for way in ways), _widest(way[2] for way in ways)
    left = min(left, max(room // 2, room - right))
    return left, min(right, room - left)


def _widest(texts: Iterable[str]) -> int:
    return max(map(cell_len, texts), default=0)


def _names(sites: Sequence[str]) -> dict[str, str]:
    """What sites are called among their neighbors: the last directory, or all of the address where two share it."""
    short = {site: _without_scheme(site).removesuffix("/").rpartition("/")[2] + "/" for site in sites}
    shared = Counter(short.values())
    return {site: name if shared[name] == 1 else _without_scheme(site) for site, name in short.items()}


def _page(page: str, site: str, name: str) -> str:
    """A page's address, short where it stands in its site.

    >>> [_page(page, "http://h.example/~a/", "~a/") for page in ("http://www.h.example/~a/b.html", "http://h.example/~a")]
    ['~a/b.html', '~a/']
    """
    place, front = _without_scheme(page), _without_scheme(site)
    if place + "/" == front:
        return clean(name)
    return clean(name + place.removeprefix(front) if place.startswith(front) else place)


def _without_scheme(address: str) -> str:
    return _SCHEME.sub("", address)


def _middle(words: str, room: int) -> str:
    """An address in so much room: its beginning and its end say most."""
    if cell_len(words) <= room:
        return words
    head = (room - 1) // 3
    return set_cell_size(words, head) + "…" + set_cell_size(words[::-1], room - 1 - head)[::-1]


# What they were made from


def summary(result: Result) -> Iterator[Text]:
    """Counts, what was not grown through, what was cut off and the seeds that could not be had, a line each."""
    yield from _nothing(result)
    yield from _counts(result)
    yield from _passed(result.hubs)
    yield from _claims(result.claims)
    missing = [*_cuts(result.cut), *_unused(result.seed_failures)]
    yield from ([Text(), *missing] if missing else [])


def _nothing(result: Result) -> Iterator[Text]:
    if result.communities:
        return
    among = "the graph has one site" if len(result.sites) == 1 else "no two of its sites link to each other both ways"
    yield Text(f"No communities found: {among}.", _HEAD)
    yield Text(f"Try --growth {result.growth + 1}, another seed, or --inlinks for who links here.")
    yield Text()


def _counts(result: Result) -> Iterator[Text]:
    pairs = sum(link.mutual for link in result.links) // 2
    servers = len({row.server for row in result.sites})
    stats = result.stats
    yield Text(
        f"{count(len(result.communities), 'community', 'communities')} among {count(len(result.sites), 'site')} "
        f"on {count(servers, 'server')}; {count(len(result.links), 'link')} between sites, "
        f"{count(pairs, 'mutual pair')}."
    )
    yield Text(
        f"{count(int(stats['fetched']), 'page')} fetched, {int(stats['cached'])} from the store, "
        f"{int(stats['failed'])} failed ({int(stats['refused_by_robots'])} refused by robots.txt), "
        f"{stats['seconds']} s."
    )


def _passed(hubs: Sequence[HubRow]) -> Iterator[Text]:
    """Hubs, and what was excluded."""
    if hubs:
        told = [f"{_bare(one.site)} ({_why(one)}, linked with {count(one.linked, 'site')})" for one in hubs[:_HUBS]]
        yield _sentence("Not grown through", f"{_joined(told, len(hubs))}.")


def _claims(claims: tuple[int, int, int]) -> Iterator[Text]:
    asked, checked, held = claims
    if asked:
        yield _sentence("In-links", f"{count(asked, 'link')} claimed by other sources, {checked} checked, {held} held.")


def _unused(failures: Mapping[str, str]) -> Iterator[Text]:
    for seed, why in failures.items():
        yield _sentence("Seed not used", f"{clean(seed)}: {clean(why)}", _WARNING)


def _sentence(head: str, rest: str, style: str = _HEAD) -> Text:
    return Text.assemble((f"{head}:", style), " ", rest)


def _bare(site: str) -> str:
    return clean(_without_scheme(site).removesuffix("/"))


def _why(one: HubRow) -> str:
    return clean(one.kind) if one.kind else f"excluded by {clean(one.pattern)}"


def _joined(told: Sequence[str], of: int) -> str:
    more = [f"and {of - len(told)} more"] if of > len(told) else []
    return ", ".join((*told, *more))


def _cuts(cuts: Iterable[Cut]) -> Iterator[Text]:
    """Each kind of cut in one line, with what to do about it."""
    details: dict[str, list[str]] = defaultdict(list)
    for cut in cuts:
        details[cut.what].append(clean(cut.detail))
    for what, found in details.items():
        head = f"Cut off by --{what}" if what in _OPTIONS else _OTHER_CUTS.get(what) or f"Cut off by {clean(what)}"
        told = _of_sites(found) if what == "pages-per-site" else _several(found)
        yield _sentence(head, f"{told}. {_ADVICE.get(what, '')}".rstrip(), _WARNING)


def _several(details: Sequence[str]) -> str:
    more = len(details) - _DETAILS
    return "; ".join((*details[:_DETAILS], *([f"and {more} more of this kind"] if more > 0 else [])))


def _of_sites(details: Sequence[str]) -> str:
    """How many sites had more pages than they may, and which had the most."""
    read = [_OF_SITE.fullmatch(detail) for detail in details]
    found = [(int(one[1]), one[2]) for one in read if one]
    if len(found) < max(2, len(details)):
        return _several(details)
    most = sorted(found, key=lambda one: (-one[0], one[1]))[:_DETAILS]
    told = [f"{site} ({more} not asked for)" for more, site in most]
    return f"{count(len(found), 'site')} had more pages: {_joined(told, len(found))}"


def cut_lines(cuts: Iterable[Cut]) -> list[str]:
    """What budgets cut off, a line each."""
    return [f"Cut off by {cut.what}: {clean(cut.detail)}" for cut in cuts]


def count(number: int, one: str, many: str = "") -> str:
    """A number and its noun.

    >>> count(1, "page"), count(2, "page")
    ('1 page', '2 pages')
    """
    return f"{number} {one if number == 1 else many or one + 's'}"
