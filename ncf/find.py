"""The story, in the order the paper tells it: seed graph, growth, sites, mutual links, communities."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

from crawler import urls
from ncf import data, knowledge
from ncf.aliases import Said
from ncf.errors import SeedsError, UsageError
from ncf.exclude import Excluded
from ncf.growth import Access, Ground, Growth, Limits
from ncf.inlinks.stored import Claims, StoreLinks
from ncf.journal import Draft, Journal
from ncf.neighbors import Gate
from ncf.plan import Plan, planned
from ncf.store.copies import DAY, StoredCopies, Terms
from ncf.store.webs import web_id
from ncf.survey import Asked, Survey

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from crawler.model import Record, Stats
    from filters.patterns import Patterns
    from ncf.inlinks.base import InlinkSource
    from ncf.result import Result
    from ncf.store.store import Store

    Sources = Callable[[Store, int, str], list[InlinkSource]]  # by store, Web and question

METHODS = ("cliques",)


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked for."""

    seeds: tuple[str, ...]  # addresses
    growth: int = 1
    method: str = "cliques"
    limits: Limits = field(default_factory=Limits)
    exclude: tuple[str, ...] = ()
    inlinks: tuple[str, ...] = ()  # names of sources besides the store's own links

    def core(self, web: str, ecfc: str) -> dict[str, object]:
        """What makes it the same question: everything but the budgets."""
        seeds = sorted(map(urls.key, self.seeds))
        return {
            "seeds": seeds,
            "growth": self.growth,
            "exclude": self.exclude,
            "inlinks": self.inlinks,
            "web": web,
            "ecfc": ecfc,
        }


@dataclass(frozen=True, slots=True)
class Watch:
    """Who looks on: told of every record, with the counts so far, and of every step."""

    record: Callable[[Record, Stats], None] = lambda record, stats: None
    step: Callable[[int, Growth], None] = lambda number, growth: None
    surveying: Callable[[], None] = lambda: None


@dataclass(frozen=True, slots=True)
class Means:
    """What it is answered with."""

    store: Store
    access: Access
    own: Patterns | None = None  # a person's rules
    ecfc: str = "rules"
    said: Said = field(default_factory=Said)  # what a person said about names of servers
    web: str = ""  # the name of the recording; empty for the live Web
    fresh: float = 30 * DAY  # seconds
    sources: Mapping[str, InlinkSource] = field(default_factory=dict)


async def plan(question: Question, means: Means) -> Plan:
    """What the same question would ask of whom: the graph that the store has of it, and where that ends."""
    journal = Draft(means.store, question.core(means.web, means.ecfc))
    growth = Growth(_ground(question, means, journal, _excluded(question)), question.limits)
    for step in range(question.growth + 1):
        if step == 0:
            await growth.seed(question.seeds, question.growth)
        else:
            await growth.grow(step, question.growth - step)
    return planned(question.growth, question.limits, growth, max(means.access.settings.delay, 0.0))


async def find(question: Question, means: Means, watch: Watch = Watch()) -> Result:
    """Find the communities around the seeds; raises SeedsError when none of them can be had."""
    excluded = _excluded(question)
    store = means.store
    store.lease()
    journal = Journal(store, question.core(means.web, means.ecfc), _manner(question, means))
    growth = Growth(_ground(question, means, journal, excluded), question.limits)
    growth.watch = lambda record: watch.record(record, growth.stats)
    for step in range(question.growth + 1):
        watch.step(step, growth)
        if step == 0:
            await growth.seed(question.seeds, question.growth)
            _check_seeds(question.seeds, growth)
        else:
            await growth.grow(step, question.growth - step)
        if growth.stopped:
            break
    growth.close()
    watch.surveying()
    filters = knowledge.filters(own=means.own, ecfc=means.ecfc, lessons=journal.lasting())
    survey = Survey(store, filters, means.said)
    if not growth.stopped:
        survey.learn()
    asked = Asked(journal.run, question.seeds, question.growth, question.method, _providers(means, question))
    return survey.result(asked, growth, _seed_failures(question.seeds, growth))


def _manner(question: Question, means: Means) -> dict[str, object]:
    """How it is asked. What is asked in the same manner goes on where it stood; other rules may lead elsewhere."""
    manner: dict[str, object] = asdict(question) | {"web": means.web}
    own = sorted(means.own.entries.items()) if means.own else []
    if own or means.said.apart or means.said.same:
        told = repr((own, sorted(means.said.apart), sorted(means.said.same.items())))
        manner["rules"] = hashlib.sha256(told.encode("utf-8", "replace")).hexdigest()[:16]
    return manner


def _excluded(question: Question) -> Excluded:
    """The patterns of what is left out; raises UsageError when they leave out a seed."""
    found = Excluded.parse(question.exclude)
    for seed in question.seeds:
        if pattern := found.matches(urls.canonical(seed) or seed):
            raise UsageError(f"--exclude {pattern} leaves out the seed {seed}: drop one of the two")
    return found


def _ground(question: Question, means: Means, journal: Journal | Draft, excluded: Excluded) -> Ground:
    store, web = means.store, web_id(means.store, means.web)
    terms = Terms(
        journal.run if journal.goes_on else None,
        web,
        means.fresh,
        anew=means.access.recorder is not None,
        is_recording=bool(means.web),
    )
    sources: list[InlinkSource] = [StoreLinks(store, journal.question, web)]
    return Ground(
        store=store,
        filters=knowledge.filters(own=means.own, ecfc=means.ecfc, lessons=journal.lessons()),
        access=means.access,
        journal=journal,
        gate=Gate(data.hubs(), excluded),
        copies=StoredCopies(store, terms),
        web=web,
        said=means.said,
        sources=sources + [means.sources[name] for name in question.inlinks],
    )


def _providers(means: Means, question: Question) -> tuple[str, ...]:
    found = (means.sources[name] for name in question.inlinks)
    return tuple(source.provider for source in found if isinstance(source, Claims))


def _seed_failures(seeds: tuple[str, ...], growth: Growth) -> dict[str, str]:
    ends = {seed: urls.key(growth.led(seed)) for seed in seeds}
    return {seed: growth.outcome.failures[end] for seed, end in ends.items() if end in growth.outcome.failures}


def _check_seeds(seeds: tuple[str, ...], growth: Growth) -> None:
    failures = _seed_failures(seeds, growth)
    if len(failures) == len(set(seeds)):
        raise SeedsError("\n".join(f"{seed} could not be used: {why}" for seed, why in failures.items()))
