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
