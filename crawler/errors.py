"""Our own mistakes and the caller's; a dead page is a record, never one of these.

CrawlerError
├── SettingsError   a setting that makes no sense
├── SeedError       a start URL that cannot be crawled
└── RecordingError  a recording that cannot be read or written
"""

from __future__ import annotations


class CrawlerError(Exception):
    """The base; its text is one clear sentence for the person who asked."""


class SettingsError(CrawlerError):
    """A setting that makes no sense."""


class SeedError(CrawlerError):
    """A start URL that cannot be crawled."""


class RecordingError(CrawlerError):
    """A recording that cannot be read or written."""
