"""Processes of the program that is beside this package. No library is loaded into this process."""

import io
import os
import re
import subprocess
import sys
import threading
import weakref
from pathlib import Path
from typing import Any, BinaryIO, Callable, Dict, List, Optional, Sequence, cast

from ._private import Private


class SimsearchError(Exception):
    """What went wrong: `code` is a word for programs, such as "bad_request", "not_found", "conflict", "read_only", or "failed" if the
    program ended; `where` is the part of the request that is wrong, or "".
    """

    def __init__(self, message: str, code: str = "failed", where: str = "") -> None:
        super().__init__(f"{where}: {message}" if where else message)
        self.code, self.where = code, where

    def __reduce__(self) -> Any:
        return _error, (str(self), self.code, self.where)


# The flags that parameters are, and the names of those that have another one.
_FLAG = re.compile(r"--(jaccard|threshold|k|by|contained|copy|keep|group|spare|features|preset|boilerplate|threads|memory|against|test|truth|"
                   r"passage-words)\b(?!-)")
_PARAMETERS = {"jaccard": "threshold", "test": "tests", "truth": "labels", "passage-words": "words"}
_GUESSED = "simsearch: standard input: Arrow (--format says otherwise)\n"


def _error(text: str, code: str, where: str) -> SimsearchError:
    e = SimsearchError(text, code)
    e.where = where
    return e


def program() -> str:
    """Return the path of the program: SIMSEARCH_PROGRAM, or the one that the package has."""
    given = os.environ.get("SIMSEARCH_PROGRAM")
    if given:
        return given
    path = Path(__file__).parent / "bin" / ("simsearch.exe" if os.name == "nt" else "simsearch")
    if not path.exists():
        raise SimsearchError(f"the program {path} is missing: install a wheel for this system, or name a program by SIMSEARCH_PROGRAM")
    return str(path)


class Child:
    """A process of the program. A signal of the keyboard, or of a notebook, does not reach it: we end it."""

    def __init__(
        self, args: Sequence[str], *, stdout: bool = True, heard: Optional[Callable[[str], None]] = None, tmp: Optional[Private] = None,
        inherit: Sequence[int] = (),
    ) -> None:
        # What a call returns depends on its parameters, and not on the file of the user with other defaults of flags.
        env = {**os.environ, "XDG_CONFIG_HOME": str(Path(__file__).parent)}
        env.pop("SIMSEARCH_INDEX", None)
        if tmp is not None:
            env.update(dict.fromkeys(("TMPDIR", "TMP", "TEMP"), tmp.path))
            inherit = tmp.descriptors()
        apart: Dict[str, Any] = {"start_new_session": True}
        if sys.platform == "win32":
            apart = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
        command = [program(), *args]
        try:
            with _starting:
                self.process = subprocess.Popen(
                    command, bufsize=0, env=env, stdin=subprocess.PIPE, stderr=subprocess.PIPE,
                    stdout=subprocess.PIPE if stdout else subprocess.DEVNULL, pass_fds=inherit, **apart)
                self.owner = os.getpid()
                _children.add(self)
        except OSError as e:
            raise SimsearchError(f"the program {command[0]} cannot be started: {e}") from e
        self.out = io.BufferedReader(cast(io.RawIOBase, self.process.stdout), 1 << 16) if stdout else io.BytesIO()
        self._said: List[str] = []
        self._listener = threading.Thread(target=self._listen, args=(self.process.stderr, heard), daemon=True)
        self._listener.start()

    def _listen(self, stream: BinaryIO, heard: Optional[Callable[[str], None]]) -> None:
        for line in io.TextIOWrapper(io.BufferedReader(cast(io.RawIOBase, stream)), "utf-8", "replace"):
            if heard is not None:
                heard(line.rstrip("\n"))
            if line != _GUESSED:
                self._said = [*self._said[-99:], line.rstrip("\n")]

    def write(self, data: bytes) -> bool:
        """Write all of data, and return whether the process takes it; if not, it has ended."""
        assert self.process.stdin is not None
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[self.process.stdin.write(rest):]
        except OSError:
            return False
        return True

    def end(self, patience: Optional[float] = None) -> int:
        """End the input of the process, wait until it has ended, and return its status. After patience in seconds it is stopped."""
        if os.getpid() != self.owner:
            return 0
        for stop in (self._end_input, self.process.terminate, self.process.kill):
            stop()
            try:
                return self.process.wait(patience)
            except subprocess.TimeoutExpired:
                pass
        return self.process.wait()

    def _end_input(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()

    def kill(self) -> None:
        """End the process at once."""
        if os.getpid() == self.owner:
            self.process.kill()
            self.end()
            self.out.close()

    def said(self) -> List[str]:
        """Return the last lines that the process, which has ended, has written to standard error."""
        self._listener.join(5)
        return self._said

    def error(self) -> SimsearchError:
        """Return the error of the process, which has ended."""
        name, said = "simsearch: ", self.said()
        errors = [line[len(name):] for line in said if line.startswith(name)]  # the rest is progress, unless there is nothing else
        text = "\n".join(errors or said) or f"the program ended with status {self.process.returncode}"
        return SimsearchError(_FLAG.sub(lambda flag: _PARAMETERS.get(flag[1], flag[1]), text))

    def forget(self) -> None:
        """Let go of the process in a fork of this process, without closing what Python objects are going to close."""
        null = os.open(os.devnull, os.O_RDWR)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None and not stream.closed:
                os.dup2(null, stream.fileno(), inheritable=False)
        os.close(null)


# A fork has the pipes of this process, too. If it kept them, a child would wait for the end of its input until the fork ends.
_children: "weakref.WeakSet[Child]" = weakref.WeakSet()
_starting = threading.RLock()


def _forked() -> None:
    for child in list(_children):
        child.forget()
    _children.clear()
    _starting.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_starting.acquire, after_in_parent=_starting.release, after_in_child=_forked)
