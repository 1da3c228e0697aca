"""Measuring how often a search is wrong."""

import json
import os
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Tuple

from ._dedup import arguments, report, run, text_column
from ._frames import rows
from ._private import Private


class Rate(NamedTuple):
    """How often a search is wrong, by a similarity or by a distance of fingerprints: the other of the two is None."""

    threshold: Optional[float]
    k: Optional[int]
    found: int  # pairs
    false_positives: int
    false_negatives: int
    precision: float
    recall: float


class Evaluation(NamedTuple):
    """What `evaluate` says."""

    rates: List[Rate]  # of each similarity, then of each distance; none if there are no pairs
    advice: List[str]  # sentences on which search to choose, by the flags of the command; its commands are in the report
    warnings: List[str]
    report: Dict[str, Any]  # the report.json of the command
    html: str  # the report as a page


def evaluate(
    data: Any, *, text: Optional[str] = None, labels: Optional[Iterable[Tuple[int, int, bool]]] = None, features: Optional[str] = None,
    preset: Optional[str] = None, threads: Optional[int] = None, memory: Optional[str] = None, progress: Optional[bool] = None,
) -> Evaluation:
    """Measure how many near pairs searches miss in data, and how many of their answers are wrong.

    data is of any kind that dedup takes, and text names its column of texts. labels say of pairs of rows whether they are near in truth,
    such as (0, 7, True); without, that is a Jaccard similarity of 0.8 or more. The other parameters are those of dedup.
    """
    of = rows(data)
    with Private() as private:
        args = ["--format=arrow", "--experiment=pairs,distances,thresholds",
                *arguments(features=features, preset=preset, threads=threads, memory=memory)]
        if labels is not None:
            path = os.path.join(private.path, "truth.jsonl")
            with open(path, "w", encoding="utf-8") as file:
                file.writelines(json.dumps({"a": str(int(a)), "b": str(int(b)), "label": int(near)}) + "\n" for a, b, near in labels)
            args.append(f"--truth={path}")
        said, html = report(run("eval", of.pieces(text_column(of, text)), len(of), args, private, progress))
    rates: List[Rate] = []
    for name in ("thresholds", "distances"):
        tables = next(section["tables"] for section in said["sections"] if section["name"] == name)
        title = "by their labels" if labels is not None else " of 0.8 or more"
        for at, found, positives, negatives, precision, recall, *_ in next((t["rows"] for t in tables or () if title in t["title"]), ()):
            of_k = name == "distances"
            rates.append(Rate(None if of_k else float(at), at if of_k else None, found, positives, negatives, float(precision["share"]),
                              float(recall["share"])))
    return Evaluation(rates, said["verdict"]["text"], said["warnings"], said, html)
