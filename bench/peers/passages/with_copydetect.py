"""Compares the files of a directory by copydetect with its defaults: with_copydetect.py DIR EXTENSION.

Prints a JSON object for each pair with something in common: the names of both, the share, whether the
report of copydetect shows it, and the spans of both in characters. Files that are no code are not
filtered, since nothing would be left of them.
"""

import json
import os
import sys

from copydetect import CopyDetector

directory, extension = sys.argv[1:]
detector = CopyDetector(test_dirs=[directory], extensions=[extension], autoopen=False, silent=True,
                        disable_filtering=extension == "txt")
detector.run()
files = detector.test_files
for i, a in enumerate(files):
    for j in range(i + 1, len(files)):
        b = files[j]
        share = max(detector.similarity_matrix[i, j])
        if share <= 0:
            continue
        spans = []
        slices = detector.slice_matrix.get((a, b))
        if slices is not None and extension == "txt":
            spans = [[[int(s[0]), int(s[1])] for s in zip(*side)] for side in slices]
        print(json.dumps({"a": os.path.basename(a), "b": os.path.basename(b), "share": float(share),
                          "shown": bool(share > detector.conf.display_t), "spans": spans}))
