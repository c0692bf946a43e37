"""The one URL parser: what is fetched, compared and stored is decided here, by the WHATWG rules.

Three forms of a URL are used:

- an *address* is what we fetch: a parsed http(s) URL without fragment and user information;
- its *canonical* form is the identity of the page (SPEC section 2): escapes of unreserved characters decoded, default
  documents folded into their directory, tracking parameters and session ids dropped;
- its *key* is the canonical form without scheme and `www.`, because http and https, and `www.` and the bare host, are
  the same page.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import quote_from_bytes

import ada_url
import webencodings

if TYPE_CHECKING:
    import tldextract

MAX_LENGTH = 2083  # characters: what Scrapy and Heritrix allow; longer ones are traps, not pages
_WEB_SCHEMES = ("http://", "https://")
# WHATWG Fetch, "bad ports": services that speak something else than HTTP and could be confused by it.
# fmt: off
BAD_PORTS = frozenset((
    0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109,
    110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531,
    532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3306, 3389, 3659, 4045,
    4190, 5060, 5061, 5432, 6000, 6379, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 9200, 10080, 11211, 27017,
))
# fmt: on

_UNRESERVED_ESCAPE = re.compile(r"%(?:2[dDeE]|3[0-9]|4[1-9a-fA-F]|5[0-9aAfF]|6[1-9a-fA-F]|7[0-9aAeE])")
_ESCAPE = re.compile(r"%[0-9a-fA-F]{2}")
_DEFAULT_DOCUMENT = re.compile(
    r"(?<=/)(?:index\.(?:html?|shtml|xhtml|php[345]?|cgi|aspx?|jsp)|default\.(?:html?|aspx?))$", re.IGNORECASE
)
_TRACKING = re.compile(
    r"(?:utm_[a-z_]+|fbclid|gclid|gclsrc|dclid|gbraid|wbraid|msclkid|yclid|twclid|ttclid|igshid|igsh|mc_cid|mc_eid"
    r"|_ga|_gl|_hsenc|_hsmi|mkt_tok|oly_anon_id|oly_enc_id|vero_id|wickedid|s_cid|ref_src|ref_url)$",
    re.IGNORECASE,
)
_SESSION = re.compile(
    r"(?:phpsessid|jsessionid|aspsessionid[a-z]*|sessionid|session_id|oscsid|zenid|cfid|cftoken|sessid)=[^=]*$"
    r"|(?:sid|s|session)=[0-9a-f]{32}$",  # short names are session ids only when their value looks like one
    re.IGNORECASE,
)
_PATH_SESSION = re.compile(r";jsessionid=[^/;]*|/\((?:[ASF]\([0-9a-z]{8,}\))+\)(?=/)", re.IGNORECASE)
_ROOT_DOT = re.compile(r"(?<=[^.])\.+(?=:[0-9]+$|$)")
_NON_ASCII = re.compile(r"[^\x00-\x7f]+")


@dataclass(frozen=True, slots=True)
class Parts:
    """An address, taken apart."""

    scheme: str
    host: str  # A-labels, lower case; IPv6 in brackets
    port: int | None  # None: the scheme's default
    path: str
    query: str  # without the question mark

    @property
    def authority(self) -> str:
        """Scheme, host and port: what robots.txt belongs to."""
        return f"{self.scheme}://{self.netloc}"

    @property
    def netloc(self) -> str:
        """Host, and port unless it is the default."""
        return self.host if self.port is None else f"{self.host}:{self.port}"


def parse(text: str, base: str | None = None) -> str | None:
    """Parse a URL of any scheme as a browser does; None when it is none.

    >>> parse("HTTP://Example.COM:80/a/../b")
    'http://example.com/b'
    >>> parse("../c?x", "http://h/a/b/d")
    'http://h/a/c?x'
    >>> parse("http://h:99999/") is None
    True
    """
    try:
        return str(ada_url.join_url(base, text) if base is not None else ada_url.normalize_url(text))
    except (ValueError, UnicodeError):
        return None


def join(base: str, reference: str, encoding: str = "utf-8") -> str | None:
    """The http(s) address that a reference on a page means; None when it is not one.

    `encoding` is the page's: WHATWG encodes the query, and only the query, with it.

    >>> join("http://h/a/b", "c?q=\u3042#f", "shift_jis")
    'http://h/a/c?q=%82%A0'
    >>> join("http://h/", "mailto:x@h") is None
    True
    """
    if encoding != "utf-8" and not reference.isascii():
        reference = _encode_query(reference, encoding)
    return address(reference, base)


def _encode_query(reference: str, encoding: str) -> str:
    before, mark, rest = reference.partition("?")
    if not mark or "#" in before:
        return reference
    query, hash_mark, fragment = rest.partition("#")
    return before + mark + _NON_ASCII.sub(lambda run: _escape(run[0], encoding), query) + hash_mark + fragment


def _escape(text: str, encoding: str) -> str:
    """Percent-encode with a legacy encoding; what it lacks becomes an escaped character reference."""
    codec = webencodings.lookup(encoding)
    if codec is None or codec.name.startswith("utf-16"):
        return text
    out = []
    for char in text if codec.name != "iso-2022-jp" else [text]:
        try:
            out.append(quote_from_bytes(codec.codec_info.encode(char, "strict")[0], safe=""))
        except UnicodeError:
            out.append("".join(f"%26%23{ord(c)}%3B" for c in char))
    return "".join(out)


def address(text: str, base: str | None = None) -> str | None:
    """An http(s) URL that can be fetched: parsed, without fragment and user information; None when it is not one."""
    href = parse(text, base)
    if href is None or not href.startswith(_WEB_SCHEMES):
        return None
    href = href.partition("#")[0]
    start = href.index("//") + 2
    end = href.index("/", start)
    netloc = href[start:end]
    if "@" not in netloc and netloc[-1:] != "." and ".:" not in netloc:
        return href
    plain = _ROOT_DOT.sub("", netloc.rpartition("@")[2])  # `host.` is the same host, said with its root
    # Parsed again, because a host without its dots can be a number: `0x7f.1..` is 127.0.0.1.
    return href if plain == netloc else parse(href[:start] + plain + href[end:])


@lru_cache(maxsize=65536)
def split(url: str) -> Parts:
    """Take an address or canonical URL apart.

    >>> split("http://h:81/a/b?c=d")
    Parts(scheme='http', host='h', port=81, path='/a/b', query='c=d')
    """
    scheme, _, rest = url.partition("://")
    rest, _, query = rest.partition("?")
    netloc, _, path = rest.partition("/")
    host, port = netloc, None
    if netloc.rfind(":") > netloc.rfind("]"):
        host, _, digits = netloc.rpartition(":")
        port = int(digits)
    return Parts(scheme, host, port, "/" + path, query)


@lru_cache(maxsize=65536)
def canonical(url: str) -> str | None:
    """The identity of a page (SPEC section 2); None when the text is no http(s) URL. Idempotent.

    >>> canonical("http://H/%7Ealice/index.html?utm_source=x&b=2&a=1#top")
    'http://h/~alice/?b=2&a=1'
    """
    found = address(url)
    # Decoding one escape can make another, and dropping a segment can bring a default document to the end: to a fixed
    # point, at most as many rounds as there are escapes.
    while found is not None:
        simple = _simplify(found)
        parsed = found if simple == found else address(simple)  # mostly there is nothing to parse again
        if parsed == found:
            break
        found = parsed
    return found


def _simplify(href: str) -> str:
    href, mark, query = href.partition("?")
    if "%" in href:
        href = _decode_unreserved(href)
    if ";" in href or "/(" in href:
        href = _PATH_SESSION.sub("", href)
    if mark and query:
        query = "&".join(part for part in _decode_unreserved(query).split("&") if not _is_noise(part))
    start = href.index("/", href.index("//") + 2)
    href = href[:start] + _DEFAULT_DOCUMENT.sub("", href[start:])
    return f"{href}?{query}" if query else href


def _decode_unreserved(text: str) -> str:
    text = _UNRESERVED_ESCAPE.sub(lambda found: chr(int(found[0][1:], 16)), text)
    return _ESCAPE.sub(lambda found: found[0].upper(), text)


def _is_noise(parameter: str) -> bool:
    return bool(_TRACKING.match(parameter.partition("=")[0]) or _SESSION.match(parameter))


def key(url: str) -> str:
    """What two addresses of one page share: the canonical form without scheme and `www.`.

    >>> key("https://www.h.org/~alice/index.html") == key("http://h.org/%7Ealice/")
    True
    """
    rest = (canonical(url) or url).partition("://")[2]
    return _bare(rest)


def server(url: str) -> str:
    """The server of an address: host and non-default port, `www.` left out.

    >>> server("https://www.example.org:8080/x")
    'example.org:8080'
    """
    return _bare(split(url).netloc)


def place(url: str) -> tuple[str, str]:
    """The server and the path of an address, and nothing else: for millions of them.

    >>> place("https://www.example.org:8080/a/b?c=/d")
    ('example.org:8080', '/a/b')
    """
    start = url.index("//") + 2
    end = url.index("/", start)
    query = url.find("?", end)
    return _bare(url[start:end]), url[end:] if query < 0 else url[end:query]


def _bare(netloc: str) -> str:
    bare = netloc.removeprefix("www.")
    return bare if "." in bare.partition("/")[0] else netloc  # www.com is a host of its own


def directories(url: str) -> tuple[str, ...]:
    """The directories of a page from the root down, each ending in a slash.

    >>> directories("http://h/a/b/c.html")
    ('/', '/a/', '/a/b/')
    """
    segments = split(url).path.split("/")[1:-1]
    return ("/", *("/" + "/".join(segments[: n + 1]) + "/" for n in range(len(segments))))


def registered_domain(host: str) -> str | None:
    """The name that was registered under a public suffix, private ones included; None for a suffix or an IP address.

    >>> registered_domain("www.alice.github.io")
    'alice.github.io'
    """
    if host.startswith("."):
        return None
    found = _suffix_list()(host)
    if not found.suffix and not found.ipv4 and not found.ipv6 and "." in host:  # the list's default rule is `*`
        return ".".join(host.lower().rsplit(".", 2)[-2:])
    return found.top_domain_under_public_suffix.lower() or None


@lru_cache(maxsize=1)
def _suffix_list() -> tldextract.TLDExtract:
    # tldextract loads requests, 90 ms that most commands need not pay; its list is the packaged one, never fetched.
    import tldextract

    return tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None, include_psl_private_domains=True)
