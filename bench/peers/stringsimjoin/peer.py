"""py_stringsimjoin: the exact join of tables of strings, in Cython.

It has no join of a table with itself: the table is joined with itself as with another, and each pair is found twice.
It takes strings, so that its time includes cutting them into tokens.
"""
import os
import sys

import pandas as pd
from py_stringmatching import WhitespaceTokenizer
from py_stringsimjoin import jaccard_join

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "joins"))
from sets import measure, read

threshold = float(sys.argv[2])
strings = [" ".join(format(x, "x") for x in s.tolist()) for s in read(sys.argv[1])]
table = pd.DataFrame({"id": range(len(strings)), "text": strings})


def join():
    words = WhitespaceTokenizer(return_set=True)
    found = jaccard_join(
        table, table, "id", "id", "text", "text", words, threshold,
        allow_empty=False, out_sim_score=False, show_progress=False,
    )
    once = found[found["l_id"] < found["r_id"]]
    return once[["l_id", "r_id"]].to_numpy(), ""


measure(join, sys.argv[4])
