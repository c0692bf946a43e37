"""`ncf communities`: the communities of a stored or given graph."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ncf.cli_options import ListChoice, ListFormat, OutputFile, Quiet, RulesFile, StoreFile
from ncf.errors import UsageError

if TYPE_CHECKING:
    from ncf.communities.links import Links
    from ncf.export.communities import Listing

EPILOG = (
    "Examples: ncf communities --min-size 3 · ncf communities --edges friends.tsv --format json"
    " · ncf communities --edges links.csv.gz --min-size 4 --format csv --output communities.csv"
)
LIMIT = 100_000


class Method(StrEnum):
    """How communities are found."""

    CLIQUES = "cliques"


def communities(
    edges: Annotated[
        Path | None,
        typer.Option(help="The links of this file (CSV or TSV, source and target) in place of the store's."),
    ] = None,
    method: Annotated[Method, typer.Option(help="How communities are found.")] = Method.CLIQUES,
    min_size: Annotated[int, typer.Option(min=2, help="Sites that a community has at least.")] = 2,
    limit: Annotated[int, typer.Option(min=1, help="Communities that are looked for.")] = LIMIT,
    top: Annotated[
        int | None, typer.Option(min=1, help="Communities that are listed. [default: 30 in a table, else all]")
    ] = None,
    store: StoreFile = None,
    rules: RulesFile = None,
    format_: ListChoice = ListFormat.TABLE,
    output: OutputFile = None,
    quiet: Quiet = False,
) -> None:
    """The communities of a graph: groups of sites that all link to each other.

    The graph is what the store holds, or any list of links with --edges; the largest groups come first.
    """
    from ncf.export import output as out

    if edges is not None and (store is not None or rules is not None):
        raise UsageError("--edges FILE is in place of the store, so leave out --store and --rules")
    out.check(output)
    links = _of_file(edges, quiet=quiet) if edges is not None else _of_store(store, rules, quiet=quiet)
    told = _found(links, method, min_size, limit, "name" if edges is not None else "site")
    _print(told, format_, output, top, quiet=quiet)


def _of_file(path: Path, *, quiet: bool) -> Links:
    """The mutual links of an edge list."""
    from ncf import edges
    from ncf.progress import Counting, say

    with Counting(f"bytes of {path.name} read", quiet=quiet) as reading:
        found = edges.read(path, reading.saw)
    for remark in () if quiet else found.remarks():
        say(remark)
    return edges.mutual_links(found)


def _of_store(path: Path | None, rules: Path | None, *, quiet: bool) -> Links:
    """The mutual links of the sites in the store."""
    from ncf import sitegraph, stored
    from ncf.cli_store import looked_at, rules_of
    from ncf.communities.links import of_graph

    book = rules_of(rules, quiet=quiet).book
    with looked_at(path, quiet=quiet) as kept:
        return of_graph(sitegraph.mutual(stored.graph_of(kept, book)))


def _found(links: Links, method: Method, min_size: int, limit: int, noun: str) -> Listing:
    from ncf.communities.cliques import cliques
    from ncf.export.communities import Listing

    found = cliques(links, min_size=min_size, limit=limit)
    return Listing(method.value, sorted(found.found, key=lambda sites: (-len(sites), sites)), found.cut, noun)


def _print(told: Listing, form: ListFormat, output: Path | None, top: int | None, *, quiet: bool) -> None:
    from ncf.export import communities, parts
    from ncf.export import output as out
    from ncf.export.table import cut_lines
    from ncf.progress import say

    match form:
        case ListFormat.JSON:
            out.write(communities.json_text(told, top), output)
        case ListFormat.CSV:
            out.write(communities.csv_text(told, top), output)
            for sentence in () if quiet else cut_lines(told.cut):
                say(sentence)
        case ListFormat.TABLE:
            parts.show(communities.parts(told, top), output)
