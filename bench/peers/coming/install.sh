#!/bin/sh
# Installs the programs that docs/COMING-FROM.md runs beside simsearch into an environment of Python. For PyTorch, which imagededup imports
# and its hashes do not use, absent/ stands in.
#
#   install.sh DIRECTORY
set -eu
here=$(cd "$(dirname "$0")" && pwd)
python3 -m venv "$1"
install="$1/bin/pip install --quiet --disable-pip-version-check --no-compile"
$install -r "$here/requirements.txt"
$install --no-deps text-dedup==0.4.0 imagededup==0.3.3.post2
# What is installed must run, too: a module may lack a library of the system.
PYTHONPATH="$here/absent" "$1/bin/python" - "$here/../../../testdata/pictures" <<'END'
import sys
from pathlib import Path

import datasketch, datatrove, simhash, text_dedup  # noqa: F401
from imagededup.methods import PHash

hasher = PHash(verbose=False)
hashes = {file.name: hasher.encode_image(image_file=file) for file in Path(sys.argv[1]).iterdir()}
if not any(hasher.find_duplicates(encoding_map=hashes, max_distance_threshold=10).values()):
    sys.exit("imagededup finds no near pictures")
END
