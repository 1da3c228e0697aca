"""Runs the program: `python -m simsearch`, `simsearch`, `uvx simsearch`."""

import os
import subprocess
import sys

from ._child import SimsearchError, program


def main() -> None:
    try:
        command = [program(), *sys.argv[1:]]
        if os.name != "nt":
            os.execv(command[0], command)
        process = subprocess.Popen(command)
        while True:
            try:
                sys.exit(process.wait())
            except KeyboardInterrupt:  # the program has it, too, and ends
                pass
    except (SimsearchError, OSError) as e:
        sys.exit(f"simsearch: {e}")


if __name__ == "__main__":
    main()
