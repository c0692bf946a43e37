"""Names to addresses: looked up once, kept a while, and only such as may be dialled."""

from __future__ import annotations

import asyncio
import socket
import time
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from aiohttp.abc import AbstractResolver, ResolveResult

from crawler.addresses import AddressRefusedError

if TYPE_CHECKING:
    import ssl

    from crawler.addresses import Guard
    from crawler.web import Memory

_THREADS = 32  # a slow name server must not hold up the other hosts
_KEPT = 10_000  # names
_SECONDS = 300.0
# RFC 6761 and 7686: nothing on the Internet answers to these, so nobody is asked.
_NOWHERE = ("invalid", "example", "onion")


class LiveResolver(AbstractResolver):
    """The system's resolver, in threads of our own."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="ncf-dns")

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """Look a name up."""
        if host.rstrip(".").rpartition(".")[2] in _NOWHERE:
            raise OSError(socket.EAI_NONAME, "there is no server of that name")
        loop = asyncio.get_running_loop()
        found = await loop.run_in_executor(
            self._pool, lambda: socket.getaddrinfo(host, port, family, socket.SOCK_STREAM, 0, socket.AI_ADDRCONFIG)
        )
        return [
            ResolveResult(
                hostname=host, host=str(target[0]), port=port, family=fam, proto=proto, flags=socket.AI_NUMERICHOST
            )
            for fam, _, proto, _, target in found
        ]

    async def close(self) -> None:
        """Let the threads go."""
        self._pool.shutdown(wait=False, cancel_futures=True)


class GuardedResolver(AbstractResolver):
    """Asks another resolver once a name, and gives out only what the guard allows.

    The crawl asks first, to be polite to the address, and the client asks again when it connects: both see one answer.
    """

    def __init__(self, inner: AbstractResolver, guard: Guard) -> None:
        self._inner = inner
        self._guard = guard
        self._kept: OrderedDict[tuple[str, int], tuple[float, list[ResolveResult] | OSError]] = OrderedDict()

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """Look a name up, or raise OSError; AddressRefusedError when it leads only where we do not go."""
        kept = self._kept.get((host, port))
        if kept is None or kept[0] < time.monotonic():
            kept = (time.monotonic() + _SECONDS, await self._ask(host, port))
            self._kept[host, port] = kept
            if len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        if isinstance(kept[1], OSError):
            raise kept[1].with_traceback(None)  # the same error for every asker; old tracebacks would pile up on it
        return kept[1]

    async def _ask(self, host: str, port: int) -> list[ResolveResult] | OSError:
        if not self._guard.allows_name(host):
            return AddressRefusedError()
        try:
            found = await self._inner.resolve(host, port)
        except UnicodeError:  # a label that is too long for DNS
            return OSError(socket.EAI_NONAME, "the name is not one that DNS can hold")
        except OSError as error:
            if error.errno == socket.EAI_AGAIN:
                raise  # the name server is out of reach, not the name unknown: ask again
            return error
        allowed = [result for result in found if self._guard.allows(result["host"], result["port"])]
        return allowed or AddressRefusedError()

    async def close(self) -> None:
        """Close the inner resolver."""
        await self._inner.close()


class LiveWeb:
    """The Web as it is (crawler.web.Web)."""

    is_recording = False

    def resolver(self) -> AbstractResolver:
        """The system's resolver."""
        return LiveResolver()

    def tls(self) -> ssl.SSLContext | bool:
        """The system's certificates, verified."""
        return True

    def admits(self, ip: str, port: int) -> bool:
        """No address is an exception."""
        return False

    def remembers(self, address: str) -> Memory | None:
        """The live Web remembers nothing."""
        return None
