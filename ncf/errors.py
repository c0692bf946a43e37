"""What can go wrong here, said in one clear sentence.

NcfError
├── UsageError   what was asked for makes no sense
├── StoreError   the store cannot be opened, read or written
├── OutputError  the result cannot be written
├── RulesError   a person's rules cannot be read, changed or written
├── EdgesError   an edge list cannot be read, or holds no links
└── SeedsError   none of the seeds could be had
"""

from __future__ import annotations


class NcfError(Exception):
    """The base; its text is for the person who asked."""


class UsageError(NcfError):
    """What was asked for makes no sense."""


class StoreError(NcfError):
    """The store cannot be opened, read or written."""


class OutputError(NcfError):
    """The result cannot be written."""


class SeedsError(NcfError):
    """None of the seeds could be had; the text holds a sentence for each."""


class RulesError(NcfError):
    """A person's rules cannot be read, changed or written."""


class EdgesError(NcfError):
    """An edge list cannot be read, or holds no links."""
