"""Where redirects lead, and which of them nobody follows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawler import urls
from crawler.model import Reason
from crawler.web import Fault

if TYPE_CHECKING:
    from crawler.fetch import Answer
    from crawler.frontier import Job


@dataclass(frozen=True, slots=True)
class Hop:
    """A redirect that was answered, or that the caller remembers."""

    status: int
    target: str | None
    answer: Answer | None = None


def location(answer: Answer) -> str | None:
    """Where a redirect leads; None when that is no place on the Web."""
    text = answer.headers.get("Location", "")
    target = urls.join(answer.address, text) if text else None
    return target if target is not None and len(target) <= urls.MAX_LENGTH else None


def objection(job: Job, hop: Hop, limit: int) -> Fault | None:
    """Why a redirect leads nowhere; None when it leads on."""
    if hop.target is None:
        return Fault(Reason.REDIRECT_BAD, f"HTTP {hop.status} to what is not an http or https URL")
    if hop.target == job.address or any(hop.target == earlier.address for earlier in job.redirects):
        return Fault(Reason.REDIRECT_LOOP, "it redirects in a circle")
    if len(job.redirects) >= limit:
        return Fault(Reason.REDIRECT_LIMIT, f"more than {limit} redirects")
    return None
