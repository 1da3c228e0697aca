"""Times Python's simhash package: peer.py TEXTS, a file of JSON strings, one a line.

Words as its users take them, by a regular expression over the lower-case text; the package
counts and hashes them (MD5) and adds up 64 sums. Reading is not timed. Prints
{"seconds": ..., "documents": ...} as JSON.
"""

import json
import re
import sys
import time

from simhash import Simhash

with open(sys.argv[1], encoding="utf-8") as f:
    texts = [json.loads(line) for line in f]
start = time.perf_counter()
for text in texts:
    Simhash(re.findall(r"\w+", text.lower()))
print(json.dumps({"seconds": time.perf_counter() - start, "documents": len(texts)}))
