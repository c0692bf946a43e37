"""What a store holds and remembers, what was imported, and what is forgotten, for people and programs."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from crawler.model import Cut
from filters.base import Rule
from ncf.export.csv import rows_text
from ncf.export.json import SCHEMA, dumps
from ncf.export.parts import add, line, table
from ncf.export.table import count
from ncf.result import Community, HubRow, LinkRow, Result, SiteRow

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ncf.export.parts import Part
    from ncf.imports import Edges, Imported, Recordings
    from ncf.store.holdings import Holdings, Outcome
    from ncf.store.runs import Run
    from ncf.stored import Plan

_SEEDS = 3  # of a run in a list
_UNLIMITED = 1 << 40  # what `find` sets where a recording is the limit
_SITE_PAGES, _SERVER_PAGES = 600, 300  # NCF's own numbers, which need not be said
_RUNS = ("run", "started", "finished", "state", "command", "seeds", "growth", "communities", "sites", "pages")
DONE, STOPPED = "done", "stopped"


# What the store holds


def holdings_json(held: Holdings) -> str:
    """One document."""
    document = {
        "schema": SCHEMA,
        "store": held.path,
        "bytes": held.bytes,
        "format": held.format,
        "sqlite": held.sqlite,
        "pages": {
            "known": held.known,
            "html": held.html,
            "failed": held.failed,
            "unasked": held.unasked,
            "recorded": held.recorded,
            "oldest": held.oldest,
            "newest": held.newest,
        },
        "links": {"count": held.links, "bytes": held.link_bytes, "bytes_a_link": held.bytes_a_link},
        "redirects": held.redirects,
        "servers": held.servers,
        "robots": held.robots,
        "learned": {"servers": held.judged, "rules": held.rules},
        "claims": dict(held.claims),
        "runs": {"all": held.runs, "unfinished": held.unfinished, "waiting": held.waiting},
    }
    return dumps(document) + "\n"


def holdings_csv(held: Holdings) -> str:
    """A line for each number."""
    return rows_text(("what", "value"), _told(held))


def holdings_parts(held: Holdings) -> Iterator[Part]:
    """A table for people."""
    found = table("what", "value")
    for name, value in _told(held):
        add(found, name, f"{value:,}" if isinstance(value, int) else value)
    yield found


def _told(held: Holdings) -> Iterator[tuple[str, object]]:
    yield "store", held.path
    yield "file, bytes", held.bytes
    yield "format", str(held.format)
    yield "SQLite", held.sqlite
    yield "pages: HTML", held.html
    yield "pages: of these from replayed recordings", held.recorded
    yield "pages: failed when last asked for", held.failed
    yield "pages: only known, never asked for", held.unasked
    yield "URLs in all", held.known
    yield "oldest page", held.oldest or "-"
    yield "newest page", held.newest or "-"
    yield "links", held.links
    yield "bytes a link", "-" if held.bytes_a_link is None else str(held.bytes_a_link)
    yield "redirects", held.redirects
    yield "servers", held.servers
    yield "robots.txt answers", held.robots
    yield "servers learned", held.judged
    yield "site rules learned", held.rules
    for provider, claims in held.claims.items():
        yield f"in-link claims: {provider}", claims
    yield "runs", held.runs
    yield "runs that are not finished", held.unfinished
    yield "pages that wait in their frontier", held.waiting


# The runs


@dataclass(frozen=True, slots=True)
class Listed:
    """A run in a list."""

    run: Run
    outcome: Outcome | None

    @property
    def state(self) -> str:
        """Whether it is done."""
        return DONE if self.run.finished else STOPPED

    @property
    def seeds(self) -> list[str]:
        """Where it began."""
        return _words(self.run.settings.get("seeds"))

    @property
    def row(self) -> Sequence[object]:
        """What is told of it in a line."""
        run, came = self.run, self.outcome
        told = (came.communities, came.sites, came.pages) if came else ("", "", "")
        growth = run.settings.get("growth", "")
        return (
            run.id, run.started, run.finished or "", self.state, run.command, " ".join(self.seeds), growth, *told,
        )  # fmt: skip


def _words(value: object) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list) else []


def runs_json(listed: Sequence[Listed], more: int) -> str:
    """One document."""
    rows = [dict(zip(_RUNS, one.row, strict=True)) | {"seeds": one.seeds} for one in listed]
    told = [{name: None if value == "" else value for name, value in row.items()} for row in rows]
    return dumps({"schema": SCHEMA, "runs": told, "not_listed": more}) + "\n"


def runs_csv(listed: Sequence[Listed]) -> str:
    """A line for each run."""
    return rows_text(_RUNS, (one.row for one in listed))


def runs_parts(listed: Sequence[Listed], more: int) -> Iterator[Part]:
    """A table, and what can be done with it."""
    if not listed:
        yield line("The store remembers no runs; `ncf find URL` makes one.")
        return
    numbers = ("run", "growth", "communities", "pages")
    found = table("run", "started", "command", "seeds", "growth", "state", "communities", "pages", right=numbers)
    for one in listed:
        number, started, _, state, command, _, growth, communities, _, pages = one.row
        add(found, number, started, command, _short(one.seeds), growth, state, communities, pages)
    yield found
    if more:
        yield line(f"{count(more, 'older run')} {'is' if more == 1 else 'are'} not listed; --top shows more.")
    if any(one.state == STOPPED for one in listed):
        yield line(
            "A run that is stopped, or still at work, goes on when the same is asked again; `ncf runs N` says how."
        )


def _short(seeds: Sequence[str]) -> str:
    more = [f"and {len(seeds) - _SEEDS} more"] if len(seeds) > _SEEDS else []
    return " ".join((*seeds[:_SEEDS], *more))


# One run


def run_parts(run: Run, *, store: str = "") -> Iterator[Part]:
    """How a run was asked for, and how to ask for it again."""
    found = table("setting", "value")
    add(found, "run", run.id)
    add(found, "started", run.started)
    add(found, "finished", run.finished or "not yet")
    for name, value in _settings(run.settings):
        add(found, name, value)
    yield found
    yield line(_again(run, store))
    yield line()


def _again(run: Run, store: str) -> str:
    """What to type for the same run."""
    whose = ", with the recording that it replayed as PATH" if run.settings.get("web") else ""
    if run.finished is None:
        how = f"It is not finished; it goes on when the same is asked again{whose}"
    elif not run.has_result:
        how = f"It has no result any more: pages that it named were forgotten. To ask again{whose}"
    else:
        how = f"To ask again{whose}"
    return f"{how}: {command_line(run, store)}"


def _settings(settings: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Every setting in a line; what was not said is left out."""
    for name, value in settings.items():
        if isinstance(value, dict):
            yield from _settings(value)
        elif isinstance(value, list):
            if value:
                yield name.replace("_", " "), " ".join(map(str, value))
        elif value is not None and value != "":
            unlimited = isinstance(value, int) and value >= _UNLIMITED
            yield name.replace("_", " "), "no limit" if unlimited else str(value)


def command_line(run: Run, store: str = "") -> str:
    """The command that asks for the same."""
    settings = run.settings
    words = ["ncf", run.command, *_words(settings.get("seeds"))]
    if "growth" in settings:
        words += ["--growth", str(settings["growth"])]
    if settings.get("method", "cliques") != "cliques":
        words += ["--method", str(settings["method"])]
    words += _limits(settings.get("limits") or {})
    for pattern in _words(settings.get("exclude")):
        words += ["--exclude", pattern]
    words += _inlinks(settings)
    words += _ecfc(run.question)
    words += ["--replay", "PATH"] if settings.get("web") else []
    words += ["--store", store] if store else []
    return shlex.join(words)


def _ecfc(question: str) -> Sequence[str]:
    """How cliques corrected filters 5 and 6, which belongs to the question and not to the settings."""
    try:
        said = json.loads(question).get("ecfc", "rules")
    except (ValueError, AttributeError):
        return ()
    return () if said == "rules" else ("--ecfc", str(said))


def _limits(limits: Mapping[str, Any]) -> Iterator[str]:
    site, server = limits.get("site_pages"), limits.get("server_pages")
    said = {
        "max-pages": limits.get("max_pages"),
        "pages-per-site": None if (site, server) == (_SITE_PAGES, _SERVER_PAGES) else site,
        "sites-per-step": limits.get("sites_per_step"),
        "minutes": limits.get("minutes"),
    }
    for name, value in said.items():
        if value is not None and value < _UNLIMITED:
            yield from (f"--{name}", f"{value:g}" if isinstance(value, float) else str(value))


def _inlinks(settings: Mapping[str, Any]) -> Iterator[str]:
    named = _words(settings.get("inlinks"))
    default = ["recording"] if settings.get("web") else []
    if named != default:
        for name in named or ["none"]:
            yield from ("--inlinks", name)


# A kept result, read back


def is_found(document: Any) -> bool:
    """Whether a kept document is what `find` finds."""
    return isinstance(document, dict) and isinstance(document.get("communities"), list) and "sites" in document


def from_document(document: Mapping[str, Any]) -> Result:
    """The result that ncf.export.json.document told; what an older ncf did not tell is empty."""
    claims, stats = document.get("claims") or {}, dict.fromkeys(("fetched", "cached", "failed", "refused_by_robots"), 0)
    return Result(
        run=document["run"],
        seeds=tuple(document["seeds"]),
        growth=document["growth"],
        method=document["method"],
        cut=tuple(Cut(one["what"], one["detail"]) for one in document.get("cut", ())),
        sites=tuple(_site(one) for one in document["sites"]),
        aliases=document.get("aliases", {}),
        links=tuple(_link(one) for one in document.get("links", ())),
        communities=tuple(_community(one) for one in document["communities"]),
        stats={**stats, "seconds": 0.0, **document.get("stats", {})},
        seed_failures=document.get("seed_failures", {}),
        hubs=tuple(_hub(one) for name in ("hubs", "excluded") for one in document.get(name, ())),
        claims=(claims.get("asked", 0), claims.get("checked", 0), claims.get("held", 0)),
    )


def _site(row: Mapping[str, Any]) -> SiteRow:
    told = row["rule"]
    rule = Rule(told["prefix"], told["level"], told["filter"], told["reason"])
    return SiteRow(row["site"], row["server"], row["title"], row["pages"], row["hops"], rule)


def _link(row: Mapping[str, Any]) -> LinkRow:
    source, target = row["evidence"]
    return LinkRow(row["source"], row["target"], row["count"], row["mutual"], (source, target))


def _community(row: Mapping[str, Any]) -> Community:
    return Community(row["rank"], tuple(row["sites"]), tuple(row["seeds"]))


def _hub(row: Mapping[str, Any]) -> HubRow:
    return HubRow(row["site"], row.get("kind", ""), row.get("pattern", ""), row.get("linked", 0))


# What was imported


def imported_json(told: Imported) -> str:
    """One document."""
    read = told.recordings
    document = {
        "schema": SCHEMA,
        "store": told.store,
        "recordings": {
            "files": read.files,
            "pages": read.pages,
            "others": read.others,
            "redirects": read.redirects,
            "failures": read.failures,
            "older": read.older,
            "unreadable": read.unreadable,
        },
        "edges": [
            {"file": one.file, "provider": one.provider, "claims": one.claims, "links": one.links,
             "left_out": one.left_out, "names": one.names, "strange": one.strange}
            for one in told.edges
        ],
    }  # fmt: skip
    return dumps(document) + "\n"


def imported_text(told: Imported) -> str:
    """One line for people."""
    parts = [_recordings(told.recordings)] if told.recordings.files else []
    parts += map(_edges, told.edges)
    return f"{'; '.join(parts)}; kept in {told.store}"


def _recordings(read: Recordings) -> str:
    what = count(read.files, "recording")
    kept = [count(read.pages, "page")]
    kept += [count(read.others, "other answer")] if read.others else []
    kept += [count(read.redirects, "redirect")] if read.redirects else []
    kept += [count(read.failures, "failure")] if read.failures else []
    told = f"{what}: {', '.join(kept)}"
    if read.older:
        told += f"; {count(read.older, 'answer')} left out, of which the store has copies that are as new"
    if read.unreadable:
        told += f"; {count(read.unreadable, 'record')} could not be used"
    return told


def _edges(one: Edges) -> str:
    told = f"{one.file}: {count(one.links, 'link')}, {count(one.claims, 'claim')} of who links where"
    if one.strange:
        verb = "is no URL and was" if one.strange == 1 else "are no URLs and were"
        told += f"; {one.strange} of {count(one.names, 'name')} {verb} left out, with {count(one.left_out, 'link')}"
    return told


# What is forgotten


@dataclass(frozen=True, slots=True)
class Forgetting:
    """What is to be forgotten, or was."""

    store: str
    plan: Plan
    done: bool = False
    scrubbed: bool = True  # whether the file was written anew

    def json_text(self) -> str:
        """One document."""
        tally = self.plan.tally
        document = {
            "schema": SCHEMA,
            "store": self.store,
            "forgotten": self.done,
            "meant": [{"what": one.what.value, "name": one.name, "urls": len(one.pages)} for one in self.plan.meant],
            "pages": tally.pages,
            "urls": tally.known,
            "links": tally.links,
            "claims": tally.claims,
            "links_of_others": tally.pointing,
            "addresses_that_stay": 0 if self.plan.pointing else tally.stay,
            "runs": list(self.plan.kept.runs),
            "results": list(self.plan.kept.results),
        }
        return dumps(document) + "\n"

    def parts(self) -> Iterator[Part]:
        """A table, and what follows from it."""
        found = table("what", "name", "URLs known", right=("URLs known",))
        for one in self.plan.meant:
            add(found, one.what.value, one.name, len(one.pages))
        yield found
        for remark in dict.fromkeys(remark for one in self.plan.meant for remark in one.remarks):
            yield line(remark)
        for sentence in self._sentences():
            yield line(sentence)

    def _sentences(self) -> Iterator[str]:
        tally, kept = self.plan.tally, self.plan.kept
        goes = "Forgotten" if self.done else "To be forgotten"
        yield (
            f"{goes}: {count(tally.pages, 'page')} of {count(tally.known, 'URL')},"
            f" {count(tally.links, 'link')} from them, {count(tally.claims, 'in-link claim')}."
        )
        yield from self._others()
        if kept.runs:
            yield f"{_numbered('Run', kept.runs)} began from there and {_goes(kept.runs, self.done)} too."
        if kept.results:
            whose = _numbered("The result of run", kept.results, "The results of runs")
            verb = "names" if len(kept.results) == 1 else "name"
            yield f"{whose} {verb} them and {_goes(kept.results, self.done)} too; ask again for one without them."
        if self.done and not self.scrubbed:
            yield "Another process reads the store: old text leaves its log when that process ends."

    def _others(self) -> Iterator[str]:
        tally = self.plan.tally
        if self.plan.pointing and tally.pointing:
            yield f"{count(tally.pointing, 'link')} of other pages to them {'went' if self.done else 'go'} too."
        elif tally.stay:
            verb = "stays" if tally.stay == 1 else "stay"
            stay = count(tally.stay, "bare address", "bare addresses")
            yield f"{stay} {verb}, because other pages link there; --links drops these links too."


def _numbered(one: str, numbers: Sequence[int], many: str = "") -> str:
    told = ", ".join(map(str, numbers))
    return f"{one} {told}" if len(numbers) == 1 else f"{many or one + 's'} {told}"


def _goes(numbers: Sequence[int], done: bool) -> str:
    return "went" if done else "goes" if len(numbers) == 1 else "go"
