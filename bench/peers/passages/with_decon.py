"""Looks for the items of a test in training documents by decon: with_decon.py TRAIN TEST OUT [NAME=NUMBER ...].

TRAIN and TEST are directories of JSON Lines. The settings that are not named are the defaults. Writes to
OUT/hits.jsonl a JSON object for each item and document that decon reports: the number of the item, and
the line of the document, from 0.
"""

import glob
import json
import os
import sys

import decon

train, test, out = sys.argv[1:4]
settings = {name: float(x) if "." in x else int(x) for name, x in (s.split("=") for s in sys.argv[4:])}
decon.detect(decon.Config(training_dir=train, evals_dir=test, report_output_dir=out, **settings))
reports = glob.glob(os.path.join(out, "*.jsonl"))
with open(os.path.join(out, "hits.jsonl"), "w", encoding="utf-8") as hits:
    for path in reports:
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                hit = json.loads(line)
                print(json.dumps({"item": str(hit["eval_instance_index"]), "document": str(hit["training_line"])}), file=hits)
