"""Content-Encoding: every coding comes out right, cut ones are noticed, bombs stay small."""

from __future__ import annotations

import gzip
import tracemalloc
import zlib

import brotli
import pytest
from backports import zstd
from hypothesis import given
from hypothesis import strategies as st

from crawler.codings import Body, CodingError

MIB = 1024 * 1024


def raw_deflate(data: bytes) -> bytes:
    engine = zlib.compressobj(wbits=-15)
    return engine.compress(data) + engine.flush()


CODERS = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstd.compress,
    "identity": bytes,
}


def undo(encoding: str, wire: bytes, *, cap: int = MIB, step: int = 100) -> Body:
    body = Body([encoding], cap=cap, max_codings=2)
    for start in range(0, len(wire), step):
        body.feed(wire[start : start + step])
        if body.full:
            break
    return body


@pytest.mark.parametrize("name", sorted(CODERS))
@given(data=st.binary(max_size=5000), step=st.integers(1, 400))
def test_round_trip(name: str, data: bytes, step: int) -> None:
    body = undo(name, CODERS[name](data), step=step)
    assert body.bytes() == data
    assert body.whole
    assert not body.full


def test_deflate_without_its_header() -> None:
    assert undo("deflate", raw_deflate(b"hello " * 100)).bytes() == b"hello " * 100


def test_two_codings() -> None:
    assert undo("gzip, br", brotli.compress(gzip.compress(b"x" * 1000))).bytes() == b"x" * 1000


def test_members_and_frames_follow_each_other() -> None:
    assert undo("gzip", gzip.compress(b"a") + gzip.compress(b"b")).bytes() == b"ab"
    assert undo("zstd", zstd.compress(b"a") + zstd.compress(b"b")).bytes() == b"ab"


def test_garbage_behind_the_end_is_ignored() -> None:
    assert undo("gzip", gzip.compress(b"a") + b"garbage").bytes() == b"a"


@pytest.mark.parametrize("name", ["gzip", "deflate", "br", "zstd"])
def test_cut_stream_is_noticed(name: str) -> None:
    data = bytes(range(256)) * 40
    wire = CODERS[name](data)
    body = undo(name, wire[: len(wire) // 2])
    assert not body.whole
    assert data.startswith(body.bytes())


@pytest.mark.parametrize("name", ["gzip", "deflate", "br", "zstd"])
def test_wrong_coding_is_an_error(name: str) -> None:
    with pytest.raises(CodingError):
        undo(name, b"<html>this is plain text, whatever the header says</html>" * 20)


def test_unknown_and_too_many_codings() -> None:
    with pytest.raises(CodingError):
        Body(["rot13"], cap=MIB, max_codings=2)
    with pytest.raises(CodingError):
        Body(["gzip, gzip", "gzip"], cap=MIB, max_codings=2)


BOMBS = {
    "gzip": gzip.compress(bytes(64 * MIB)),
    "br": brotli.compress(bytes(64 * MIB)),
    "zstd": zstd.compress(bytes(64 * MIB)),
    "gzip, gzip": gzip.compress(gzip.compress(bytes(64 * MIB))),
    "br, gzip": gzip.compress(brotli.compress(bytes(64 * MIB))),
}


@pytest.mark.parametrize("name", sorted(BOMBS))
def test_bomb_stays_small(name: str) -> None:
    """64 MiB of zeros in a few bytes: one MiB is kept, and no more than a few are ever held."""
    tracemalloc.start()
    body = undo(name, BOMBS[name], step=65536)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (body.full, body.length) == (True, MIB)
    assert peak < 8 * MIB


def test_cap_is_exact() -> None:
    assert not undo("gzip", gzip.compress(b"x" * 100), cap=100).full
    assert undo("gzip", gzip.compress(b"x" * 101), cap=100).full
