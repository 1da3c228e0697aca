"""Directories for texts that only this process shall see. A process that is killed leaves them, and the next one removes them."""

import contextlib
import os
import shutil
import tempfile
from typing import IO, Any, List, Optional

fcntl: Any = None
with contextlib.suppress(ImportError):  # Windows has none, and removes no file that is open
    import fcntl

_PREFIX, _OWNER = "simsearch-python-", "owner"


def _lock(path: str) -> Optional[IO[bytes]]:
    """Lock the file that says that a directory has an owner who lives, and return it, or None if somebody else has it or it is gone."""
    try:
        file = open(path, "ab", opener=lambda path, flags: os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), 0o600))
    except OSError:
        return None
    try:
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(file.fileno()), os.lstat(path)):
            return file
    except OSError:
        pass
    file.close()
    return None


def _clear(path: str) -> None:
    """Remove a directory, its owner last: a process that writes to it still may put something there meanwhile, and the next one goes on."""
    with os.scandir(path) as entries:
        for entry in entries:
            if entry.name != _OWNER:
                shutil.rmtree(entry.path) if entry.is_dir(follow_symlinks=False) else os.unlink(entry.path)
    owner = os.path.join(path, _OWNER)
    os.unlink(owner)
    try:
        os.rmdir(path)
    except OSError:
        open(owner, "ab").close()


def sweep() -> None:
    """Remove what processes of the same user have left that were killed."""
    if fcntl is None:
        return
    with os.scandir(tempfile.gettempdir()) as entries:
        paths = [entry.path for entry in entries if entry.name.startswith(_PREFIX)]
    for path in paths:
        with contextlib.suppress(OSError):
            is_ours = os.lstat(path).st_uid == os.getuid() and not os.path.islink(path) and os.path.lexists(os.path.join(path, _OWNER))
            file = _lock(os.path.join(path, _OWNER)) if is_ours else None
            if file is not None:
                _clear(path)  # still locked, so that nobody takes it for his own
                file.close()


class Private:
    """A directory that only the user can read. remove, or the end of a `with`, removes it. A fork of this process is an owner, too, and so
    is a process that inherits one of descriptors.
    """

    def __init__(self) -> None:
        sweep()
        self._file: Optional[IO[bytes]] = None
        while self._file is None:  # somebody else may have swept it before it was locked
            self.path = tempfile.mkdtemp(prefix=_PREFIX)
            self._file = _lock(os.path.join(self.path, _OWNER))

    def descriptors(self) -> List[int]:
        """Return what a process inherits that writes to the directory, so that it stays as long as that process lives."""
        return [self._file.fileno()] if self._file is not None and fcntl is not None else []

    def remove(self) -> None:
        if self._file is not None:
            self._file.close()  # Windows removes no file that is open
            shutil.rmtree(self.path, ignore_errors=True)

    def __enter__(self) -> "Private":
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()
