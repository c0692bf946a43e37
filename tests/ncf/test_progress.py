"""What a person sees while a find works, on a terminal and without one."""

from __future__ import annotations

import os
import pty
import re
import sys
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from crawler.model import Failed, Fetched, Page, Reason, Stats
from ncf import progress
from ncf.growth import Limits
from ncf.progress import FindProgress

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

NOW = datetime(2026, 1, 1, tzinfo=UTC)
_CONTROLS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")  # what a live display draws with
LIMITS = Limits(max_pages=10_000, minutes=15)
STATS = Stats(html=1204, fetched=1300, copies=57, failed=31, queued=3201, active=12, servers=48)


@dataclass
class Graph:
    """A graph that grows, as far as progress looks at it."""

    sites: int = 135
    stats: Stats = field(default_factory=lambda: STATS)


def fetched(url: str = "http://h.example/") -> Fetched:
    return Fetched(url, url, url, 0, 200, NOW, page=Page())


@contextmanager
def terminal(monkeypatch: pytest.MonkeyPatch, width: int = 80) -> Iterator[list[bytes]]:
    """Standard error is a terminal; the list fills with what it gets."""
    ours, theirs = pty.openpty()
    seen: list[bytes] = []

    def read() -> None:
        try:
            while some := os.read(ours, 4096):
                seen.append(some)
        except OSError:  # the other side is closed
            pass

    reader = threading.Thread(target=read)
    reader.start()
    with os.fdopen(theirs, "w", encoding="utf-8") as stream, monkeypatch.context() as patched:
        patched.setattr(sys, "stderr", stream)
        patched.setenv("TERM", "xterm")
        patched.setenv("COLUMNS", str(width))
        yield seen
    reader.join(5)
    os.close(ours)


def watched(watch: FindProgress, records: int = 50, url: str = "http://h.example/") -> None:
    """A short find."""
    with watch.shown():
        watch.step(1, Graph())
        for _ in range(records):
            watch.record(fetched(url), STATS)
        time.sleep(0.6)  # two looks at the counts


def test_a_terminal_shows_live_lines_and_is_left_clean(monkeypatch: pytest.MonkeyPatch) -> None:
    with terminal(monkeypatch) as seen:
        watched(FindProgress(2, LIMITS))
    raw = b"".join(seen).decode()
    lines = [line.strip() for line in _CONTROLS.sub("", raw).replace("\r", "\n").splitlines()]
    assert "growth step 1 of 2 · 135 sites on 48 servers" in lines
    assert any(line.startswith("1,204 of 10,000 pages · 57 from the store · 31 errors · ") for line in lines)
    assert any(re.fullmatch(r"3,201 queued · 12 under way · 1[45]:\d\d left of 15 minutes", line) for line in lines)
    assert raw.count("growth step") <= 8  # drawn a few times, however many records there were
    assert raw.rstrip().endswith("\x1b[2K")  # and wiped


def test_a_narrow_terminal_gets_no_broken_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    with terminal(monkeypatch, width=30) as seen:
        watched(FindProgress(2, LIMITS))
    lines = _CONTROLS.sub("", b"".join(seen).decode()).replace("\r", "\n").splitlines()
    assert max(map(len, lines)) <= 30


def test_strangers_cannot_steer_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    with terminal(monkeypatch) as seen:
        watched(FindProgress(2, LIMITS, verbose=True), 3, "http://h.example/\x1b]0;title\x07[red]\u202e\x9b31m")
    raw = b"".join(seen).decode()
    assert raw.count("200 http://h.example/]0;title[red]31m (0 links)") == 3
    assert not set(_CONTROLS.sub("", raw)) & {"\x1b", "\x07", "\x9b", "\u202e"}


def test_stopping_is_said_above_the_live_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    with terminal(monkeypatch, width=100) as seen:
        watch = FindProgress(2, LIMITS)
        with watch.shown():
            watch.step(1, Graph())
            watch.stopping()
            time.sleep(0.4)
    raw = b"".join(seen).decode()
    assert "finishing the pages in hand, then showing what there is; Ctrl-C again stops at once" in raw
    assert "growth step 1 of 2, stopping" in raw


def test_a_terminal_that_cannot_redraw_gets_plain_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    with terminal(monkeypatch) as seen:
        monkeypatch.setenv("TERM", "dumb")
        with FindProgress(2, LIMITS).shown():
            pass
        watched(FindProgress(2, LIMITS))
    assert "\x1b" not in b"".join(seen).decode()


def test_without_a_terminal_each_step_is_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    watch = FindProgress(2, LIMITS)
    with watch.shown():
        for number in range(3):
            watch.step(number, Graph(sites=number))
            for _ in range(1000):
                watch.record(fetched(), STATS)
        watch.surveying()
    told = capsys.readouterr()
    assert told.out == ""
    lines = told.err.splitlines()
    assert [line.split(" · ")[0] for line in lines] == [
        "seed graph",
        "growth step 1 of 2",
        "growth step 2 of 2",
        "dividing servers into sites, finding communities",
    ]
    assert lines[2].startswith("growth step 2 of 2 · 2 sites on 48 servers · 1,204 of 10,000 pages")
    assert lines[2].endswith("left of 15 minutes")


def test_without_a_terminal_a_line_comes_now_and_then(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "_PLAIN_EVERY", 0.05)
    watch = FindProgress(2, LIMITS)
    watch.step(1, Graph())
    for _ in range(4):
        time.sleep(0.06)
        watch.record(fetched(), STATS)
        watch.record(fetched(), STATS)
    assert len(capsys.readouterr().err.splitlines()) == 5


def test_quiet_says_nothing_but_what_was_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever presses Ctrl-C must learn that something happens: a second one would throw the result away."""
    watch = FindProgress(2, LIMITS, quiet=True, verbose=True)
    with watch.shown():
        watch.step(1, Graph())
        watch.record(fetched(), STATS)
        watch.surveying()
    assert capsys.readouterr().err == ""
    watch.stopping()
    assert "Ctrl-C again stops at once" in capsys.readouterr().err


def test_verbose_tells_every_record(capsys: pytest.CaptureFixture[str]) -> None:
    watch = FindProgress(2, LIMITS, verbose=True)
    watch.record(fetched("http://h.example/\x1b[2J"), STATS)
    watch.record(Failed("http://i.example/", "http://i.example/", 0, Reason.STATUS, "HTTP 404\x07", NOW), STATS)
    assert capsys.readouterr().err == "200 http://h.example/[2J (0 links)\n-   http://i.example/ (HTTP 404)\n"


def test_what_has_no_budget_shows_none() -> None:
    watch = FindProgress(1, Limits(max_pages=1 << 40))
    watch.step(0, Graph())
    assert watch.lines() == [
        "seed graph · 135 sites on 48 servers",
        "1,204 pages · 57 from the store · 31 errors · 0.0 a second",
        "3,201 queued · 12 under way",
    ]


def test_a_record_costs_next_to_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A crawl gives a thousand a second; all of them together may take a hundredth of it."""
    with terminal(monkeypatch):
        watch, record = FindProgress(2, LIMITS), fetched()
        with watch.shown():
            watch.step(1, Graph())
            began = time.process_time()
            for _ in range(10_000):
                watch.record(record, STATS)
            assert time.process_time() - began < 0.1
