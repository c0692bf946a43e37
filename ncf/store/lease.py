"""One run at a time writes a store. The lease is a lock on a file beside it; it ends with the process that holds it."""

from __future__ import annotations

import contextlib
import fcntl
import os
from typing import TYPE_CHECKING

from ncf.errors import StoreError

if TYPE_CHECKING:
    from pathlib import Path


class Lease:
    """Held from `take` to `release`; a process that dies lets it go."""

    def __init__(self, path: Path) -> None:
        self._store = path
        self._file = path.with_name(f"{path.name}.lock")
        self._held: int | None = None

    def take(self) -> None:
        """Become the run that writes; raises StoreError when another one does."""
        if self._held is not None:
            return
        try:
            file = os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise StoreError(f"the store {self._store} cannot be written: {error.strerror} ({self._file})") from error
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            holder = os.read(file, 200).decode("utf-8", "replace").strip()
            os.close(file)
            raise StoreError(_taken(self._store, holder)) from error
        with contextlib.suppress(OSError):  # who holds it is told for comfort: a full disk need not stop us here
            os.truncate(file, 0)
            os.write(file, f"{os.getpid()}\n".encode())
        self._held = file

    def release(self) -> None:
        """Let the next one write. The file stays: removing it could take it away from a run that just locked it."""
        if self._held is not None:
            os.close(self._held)
            self._held = None


def _taken(store: Path, holder: str) -> str:
    who = f" (process {holder})" if holder.isdigit() else ""
    return f"another run{who} is writing to the store {store}: wait until it is done, or give another file with --store"
