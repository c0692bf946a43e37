"""What a person types, turned into an address."""

from __future__ import annotations

import re

from crawler import urls
from ncf.errors import UsageError

_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):(?!\d)", re.IGNORECASE)  # `host:8080/` has a port, not a scheme
_HOST = re.compile(r"localhost|\[.*\]|.*\..*")


def address(text: str) -> str:
    """The http(s) address that is meant; `http://` may be left out.

    >>> address("example.org/~x")
    'http://example.org/~x'
    """
    text = text.strip()
    scheme = _SCHEME.match(text)
    if scheme and scheme[1].lower() not in ("http", "https"):
        raise UsageError(f"{text!r} cannot be crawled: only http and https URLs can, not {scheme[1].lower()}:")
    found = urls.address(text if scheme else f"http://{text}")
    if found is None or not (scheme or _HOST.fullmatch(urls.split(found).host)):
        raise UsageError(f"{text!r} is not a URL")
    if len(found) > urls.MAX_LENGTH:
        raise UsageError(f"{text[:60]!r}… is longer than {urls.MAX_LENGTH} characters")
    return found
