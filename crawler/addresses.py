"""Which IP addresses may be dialled: public ones, unless the caller opens the others.

The decision is made where the connection is made, on the address that is dialled: at the resolver, for names, and at
the socket factory, for everything. A check on the text of a URL would miss `0x7f.1`, `127。0。0。1`, redirects, and
names that answer differently the second time.
"""

from __future__ import annotations

import errno
import ipaddress
import socket
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

# IANA's special-purpose registries and the cloud's own corners, written out: what the ipaddress module calls private
# or global differs from one Python release to the next.
_REFUSED = tuple(
    ipaddress.ip_network(block)
    for block in (
        "0.0.0.0/8",  # this network
        "10.0.0.0/8",  # private
        "100.64.0.0/10",  # shared with a carrier's NAT
        "127.0.0.0/8",  # loopback
        "168.63.129.16/32",  # a cloud's metadata service, in public space
        "169.254.0.0/16",  # link-local, metadata services
        "172.16.0.0/12",  # private
        "192.0.0.0/24",  # protocol assignments
        "192.0.2.0/24",  # documentation
        "192.88.99.0/24",  # 6to4 relay
        "192.168.0.0/16",  # private
        "198.18.0.0/15",  # benchmarks
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, broadcast
        "::/96",  # unspecified, loopback, IPv4-compatible
        "::ffff:0:0/96",  # IPv4-mapped
        "::ffff:0:0:0/96",  # IPv4-translated
        "64:ff9b::/96",  # NAT64
        "64:ff9b:1::/48",  # local NAT64
        "100::/64",  # discard
        "100:0:0:1::/64",  # dummy prefix
        "2001::/23",  # protocol assignments: Teredo, ORCHID, benchmarks
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4
        "3fff::/20",  # documentation
        "5f00::/16",  # segment routing
        "fc00::/7",  # unique local
        "fe80::/10",  # link-local
        "fec0::/10",  # site-local
        "ff00::/8",  # multicast
    )
)
AddrInfo: TypeAlias = tuple[int | socket.AddressFamily, int | socket.SocketKind, int, str, tuple]  # type: ignore[type-arg]  # aiohttp's own name for it


class AddressRefusedError(OSError):
    """A connection that our own rules forbid. Its text never holds the address: reports are shared."""

    TEXT = "leads to a private or special address, which is not crawled unless private addresses are allowed"

    def __init__(self) -> None:
        super().__init__(errno.EACCES, self.TEXT)


@lru_cache(maxsize=4096)
def is_public(ip: str) -> bool:
    """Whether an address, in its numeric form, is one of the public Internet.

    >>> is_public("1.1.1.1"), is_public("127.0.0.1"), is_public("::ffff:10.0.0.1"), is_public("not an address")
    (True, False, False, False)
    """
    try:
        address = ipaddress.ip_address(ip.partition("%")[0])
    except ValueError:
        return False
    return not any(address in block for block in _REFUSED if block.version == address.version)


def is_local_name(host: str) -> bool:
    """Whether a name means this machine or its own network by definition, whatever a resolver says (RFC 6761, 6762)."""
    return host.rstrip(".").lower().rpartition(".")[2] in ("localhost", "local")


class Guard:
    """Says which addresses may be dialled, and makes the sockets for those alone."""

    def __init__(self, *, allow_private: bool, admits: Callable[[str, int], bool], admitted_only: bool = False) -> None:
        self._allow_private = allow_private
        self._admits = admits
        self._admitted_only = admitted_only  # in replay: a link to an IP address must not reach the live Web

    def allows(self, ip: str, port: int) -> bool:
        """Whether a connection may be opened."""
        if self._admits(ip, port):
            return True
        return not self._admitted_only and (self._allow_private or is_public(ip))

    def allows_name(self, host: str) -> bool:
        """Whether a name may be looked up."""
        return self._allow_private or not is_local_name(host)

    def make_socket(self, info: AddrInfo) -> socket.socket:
        """The socket factory of the client: it sees the final address of every connection."""
        family, kind, protocol, _, target = info
        if not self.allows(str(target[0]), int(target[1])):
            raise AddressRefusedError
        return socket.socket(family, kind, protocol)
