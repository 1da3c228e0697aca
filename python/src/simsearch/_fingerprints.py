"""Fingerprints of many texts."""

import sys
from array import array
from typing import Any, List, Optional

from ._child import Child, SimsearchError
from ._dedup import run, text_column
from ._frames import rows
from ._private import Private


def fingerprints(data: Any, *, text: Optional[str] = None) -> List[int]:
    """Return the 64-bit SimHash fingerprint of each text, as `simsearch.fingerprint` does of one. data is of any kind that dedup takes, and
    text names its column of texts. The program is started twice, whatever the number of texts.
    """
    of = rows(data)
    if len(of) == 0:
        return []
    with Private() as private:
        args = ["--format=arrow", "--mode=simhash", "--quiet"]
        path = run("index", of.pieces(text_column(of, text)), len(of), args, private, False, into="index")
        child = Child(["export", f"--index={path}", "--as=u64"], tmp=private)
        try:
            prints = array("Q", child.out.read())
            if child.end() != 0:
                raise child.error()
        finally:
            child.kill()
    if len(prints) != len(of):
        raise SimsearchError(f"{len(of) - len(prints):,} of {len(of):,} texts could not be read")
    if sys.byteorder == "big":
        prints.byteswap()
    return prints.tolist()
