"""Near pictures of a directory."""

import json
import os
from typing import Dict, List, Optional, Union

from ._child import Child
from ._dedup import arguments
from ._index import Match
from ._private import Private


def near_pictures(
    path: Union[str, "os.PathLike[str]"], *, k: Optional[int] = None, threads: Optional[int] = None, memory: Optional[str] = None,
) -> Dict[str, List[Match]]:
    """Return, of each picture in a directory, the others that are near it, the nearest first, by the paths of their files. Two are near
    if their hashes differ in k bits (10) or fewer. Pictures that are turned by quarters, mirrored or inside a border are found, too.

        {file: [match.id for match in near] for file, near in simsearch.near_pictures("photos").items() if near}
    """
    near: Dict[str, List[Match]] = {}
    with Private() as private:
        line = ["near", "--format=image", "--json", "--quiet", "--skip=bad,binary", *arguments(k=k, threads=threads, memory=memory)]
        child = Child([*line, "--", os.fspath(path), os.fspath(path)], tmp=private)
        try:
            for row in map(json.loads, child.out):
                matches = near.setdefault(row["query"], [])
                if row["id"] is not None:
                    matches.append(Match(row["id"], None, row["distance"], None, None, {}, None, [], row.get("turned", False)))
            if child.end() > 1:  # 1: none is near another one
                raise child.error()
        finally:
            child.kill()
    return near
