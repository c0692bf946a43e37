"""The pages of a person: home, about, diary, articles, links with comments, a guestbook. Societies write so too."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tests.support.demoweb import links, ring, spellings
from tests.support.demoweb.chance import Chance
from tests.support.demoweb.dates import changed
from tests.support.demoweb.markup import Page, a, h, p, relative, table, text, ul
from tests.support.demoweb.people import SOCIETY, sites
from tests.support.demoweb.prose import Voice, upper
from tests.support.demoweb.shelf import Article, Month, shelf
from tests.support.demoweb.spellings import href
from tests.support.demoweb.words import words

if TYPE_CHECKING:
    from tests.support.demoweb.people import Site

DRAFTS = "drafts/"
# Servers that everybody links to and nobody has recorded.
OUTSIDE = {
    "en": (
        ("http://www.google.com/", "Google"),
        ("http://validator.w3.org/check?uri=referer", "Valid HTML, most of the time"),
        ("http://www.almanac.example/tables/", "The Almanac, tables for every day"),
        ("http://counter.example/free/", "Free counters"),
        ("https://en.wikipedia.org/", "Wikipedia"),
        ("http://www.libraries.example/union-catalogue.html", "The union catalogue"),
    ),
    "ja": (
        ("http://www.google.com/", "Google"),
        ("http://www.jikoku.example/", "時刻表"),
        ("http://tenki.example/", "天気予報"),
    ),
    "ru": (
        ("http://www.google.com/", "Google"),
        ("http://gazeta.example/", "Газета"),
        ("http://pogoda.example/", "Погода"),
    ),
}


def voice(site: Site, page: str) -> Voice:
    """The owner of a site, speaking on one page."""
    return Voice(words(site.topic), site.language, shelf(site).things, Chance("page", site.key, page))


def menu(site: Site, path: str) -> list[tuple[str, str]]:
    """The links that stand on every page of a site."""
    plan, speaker = shelf(site), voice(site, "menu")
    entries = [("", "home"), (plan.about, "about"), (plan.diary[0].path, "diary"), (plan.links, "links")]
    entries += [(plan.guestbook, "guestbook")] if plan.guestbook else []
    entries += [("members.html", "contents")] if site.kind == SOCIETY else []
    return [(_inside(site, path, target), speaker.label(name)) for target, name in entries if target != path]


def pages(site: Site) -> list[Page]:
    """All pages of a person's or a society's site."""
    plan = shelf(site)
    found = [*_front(site), _about(site), _links(site)]
    found += [_guestbook(site)] if plan.guestbook else []
    found += [_month(site, number) for number in range(len(plan.diary))]
    found += [_article(site, article) for article in plan.articles]
    found += [_members(site)] if site.kind == SOCIETY else []
    found += [_drafts(site)] if "drafts" in site.traits else []
    return [page if page.frames else _signed(site, page) for page in found]


def _signed(site: Site, page: Page) -> Page:
    """The page with the day of its last change below it."""
    speaker, day = voice(site, page.path), changed(site, page.path)
    line = f"{speaker.label('changed')}: {speaker.date(day.year, day.month, day.day)}"
    return replace(page, blocks=(*page.blocks, p(line)))


def _inside(site: Site, source: str, target: str) -> str:
    return target or "./" if "base" in site.traits else relative(source, target)


def _front(site: Site) -> list[Page]:
    if shelf(site).style != "frames":
        return [_home(site, "")]
    frames = ('<frame src="menu.html" name="menu">', '<frame src="main.html" name="main">')
    speaker = voice(site, "menu.html")
    contents = ul(a(link, label) for link, label in menu(site, "menu.html"))
    return [
        Page("", site.title, frames, frames=True),
        Page("menu.html", speaker.label("contents"), (contents,)),
        _home(site, "main.html"),
    ]


def _home(site: Site, path: str) -> Page:
    plan, speaker = shelf(site), voice(site, "")
    blocks = [p(speaker.text("home", speaker.chance.number(2, 3))), p(speaker.text("home", 2))]
    listing = ul(a(_inside(site, path, one.path), upper(one.thing)) for one in plan.articles)
    parts = [h(speaker.label("articles")) + "\n" + listing, _news(site, speaker)]
    blocks += speaker.chance.some(parts, 2) + _dead(site, path)
    blocks += [f"<p>{a(_inside(site, path, DRAFTS), 'Drafts')}</p>"] if "drafts" in site.traits else []
    blocks += ring.banner(site) + _tram(site)
    mail = a(f"mailto:{site.key}@{site.host}", speaker.label("mail"))
    return Page(path, site.title, (*blocks, f"<p>{mail}. {_visits(speaker)}</p>"))


def _visits(speaker: Voice) -> str:
    return f"{text(speaker.label('visits'))} {speaker.chance.number(300, 9000)}"


def _news(site: Site, speaker: Voice) -> str:
    last = shelf(site).diary[-1]
    days = sorted((speaker.chance.number(1, 28) for _ in range(3)), reverse=True)
    entries = speaker.say("new", 3)
    dates = (speaker.date(last.year, last.month, day) for day in days)
    rows = [f"{text(date)}: {text(entry)}" for date, entry in zip(dates, entries, strict=True)]
    return h(speaker.label("news"), 3) + "\n" + ul(rows)


def _dead(site: Site, path: str) -> list[str]:
    """A link to a page that is gone."""
    name = site.traits.get("dead")
    return [f"<p>{a(_inside(site, path, name), upper(_spoken(name)))}</p>"] if name else []


def _spoken(name: str) -> str:
    return name.partition(".")[0].replace("-", " ")


def _tram(site: Site) -> list[str]:
    """On the free host: the next house, and most people's thanks to their neighbourhood."""
    if site.kind != "freehost":
        return []
    stop = sites()[links.next_stop(site.key)]
    street = site.path.split("/")[1]
    thanks = [] if site.key in links.FEATURED else [f"<p>A home in {a(f'/{street}/', street)}, Lantern Bay</p>"]
    return [*thanks, f"<p>Next stop of the tram: {a(stop.path, stop.path)}</p>"]


def _about(site: Site) -> Page:
    plan, speaker = shelf(site), voice(site, "about")
    first, second = speaker.text("about", 3), speaker.text("about", 2)
    return Page(
        plan.about, f"{speaker.label('about')}: {site.owner}", (p(first), p(second), p(speaker.text("home", 1)))
    )


def _links(site: Site) -> Page:
    """Neighbors with a word on each, and servers that everybody knows."""
    plan, speaker = shelf(site), voice(site, "links")
    entries = [_recommended(site, sites()[key], speaker) for key in links.friends(site.key)]
    known = [a(*one) for one in speaker.chance.some(OUTSIDE[site.language], speaker.chance.number(1, 3))]
    listing = ul(entries) if speaker.chance.of_hundred(70) else "\n".join(f"<p>{entry}</p>" for entry in entries)
    blocks = (p(speaker.label("lead-in")), listing, *_old_name(site), h("WWW", 3), ul(known))
    return Page(plan.links, f"{site.title}: {speaker.label('links')}", blocks)


def _recommended(site: Site, other: Site, speaker: Voice) -> str:
    """A link with a word on it; of what the owner knows little about, only whose it is."""
    comment = speaker.text("comment", 1) if other.topic == site.topic else ""
    said = f": {text(comment)}" if comment else f" ({text(speaker.label('by'))} {text(other.owner)})"
    return a(href(site, other, speaker.chance), other.title) + said


def _old_name(site: Site) -> list[str]:
    """An address that a neighbor has left, for those who still have it on paper."""
    other = spellings.KEEPERS.get(site.key)
    return [f"<p>{a(spellings.OLD_NAMES[other], 'The old address')} still leads there.</p>"] if other else []


def _guestbook(site: Site) -> Page:
    plan, speaker = shelf(site), voice(site, "guestbook")
    last = plan.diary[-1]
    sentences = speaker.say("guest", 5)
    days = sorted((speaker.chance.number(1, last.month), speaker.chance.number(1, 28)) for _ in sentences)
    entries = []
    for day, sentence in zip(reversed(days), sentences, strict=True):
        name, when = speaker.chance.pick(speaker.common.of("person")), speaker.date(last.year, *day)
        entries.append(f"<p><b>{text(name)}</b> ({text(when)}): {text(sentence)}</p>")
    if "spam" in site.traits:
        shop = sites()[links.SPAMMER]
        entries.insert(2, f"<p><b>bestdeals</b>: nice site!! see {a(shop.url, 'cheap watches', 'nofollow ugc')}</p>")
    return Page(plan.guestbook, f"{site.title}: {speaker.label('guestbook')}", (p(speaker.label("sign")), *entries))


def _month(site: Site, number: int) -> Page:
    """A month of the diary, with its neighbors before and after."""
    plan = shelf(site)
    month = plan.diary[number]
    speaker = voice(site, month.path)
    days = sorted(speaker.chance.some(range(1, 29), speaker.chance.number(4, 6)))
    said = [(day, speaker.text("diary", speaker.chance.number(1, 2))) for day in days]
    entries = [_entry(month, day, speaker, told) for day, told in said if told]
    around = [
        (_inside(site, month.path, plan.diary[other].path), speaker.label(name))
        for other, name in ((number - 1, "previous"), (number + 1, "next"))
        if 0 <= other < len(plan.diary)
    ]
    title = f"{speaker.label('diary')}: {speaker.period(month.year, month.month)}"
    return Page(month.path, title, (*entries, "<p>" + " ".join(a(*one) for one in around) + "</p>"))


def _entry(month: Month, day: int, speaker: Voice, told: str) -> str:
    return h(speaker.date(month.year, month.month, day), 3) + "\n" + p(told)


def _article(site: Site, article: Article) -> Page:
    speaker = voice(site, article.path)
    thing = article.thing
    blocks = [p(speaker.joined([*speaker.say("open", 1, thing), *speaker.say("article", 4, thing)]))]
    blocks += [p(speaker.text("article", speaker.chance.number(3, 4), thing))]
    blocks += [_notes(speaker, thing)] if speaker.chance.of_hundred(40) else []
    blocks += _see_also(site, speaker)
    blocks += [p(speaker.joined([*speaker.say("article", 1, thing), *speaker.say("close", 1, thing)]))]
    back = f"<p>{a(_inside(site, article.path, ''), speaker.label('back'))}</p>"
    return Page(article.path, upper(thing), (*blocks, back))


def _notes(speaker: Voice, thing: str) -> str:
    sentences = speaker.say("diary", 3, thing)
    if speaker.chance.of_hundred(50):
        return ul(text(sentence) for sentence in sentences)
    return table((speaker.month(number), text(sentence)) for number, sentence in enumerate(sentences, 4))


def _see_also(site: Site, speaker: Voice) -> list[str]:
    """Sometimes a word about a neighbor in the middle of a page."""
    others = links.friends(site.key)
    if not others or not speaker.chance.of_hundred(30):
        return []
    return [f"<p>{_recommended(site, sites()[speaker.chance.pick(others)], speaker)}</p>"]


def _drafts(site: Site) -> Page:
    """What is not ready, and what robots.txt keeps from robots."""
    return Page(DRAFTS, "Drafts", (p(voice(site, DRAFTS).text("article", 4)),))


def _members(site: Site) -> Page:
    """Who lives on a society's server."""
    speaker = voice(site, "members")
    entries = [a(sites()[key].path, sites()[key].title) for key in links.listed(site)]
    return Page("members.html", f"{site.title}: {speaker.label('contents')}", (ul(entries), p(speaker.text("home", 1))))
