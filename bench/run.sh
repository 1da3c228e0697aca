#!/usr/bin/env bash
# Installs the peers from their package registries, at pinned versions, and compares
# them with simsearch on the same data in the same run. Arguments go to the program:
#
#   bench/run.sh                          the usual sizes; prints the tables
#   bench/run.sh -write ../docs           also writes docs/BENCHMARKS.md and its plots
#   bench/run.sh -n 100000 -k 3           one size, one distance
set -euo pipefail
cd "$(dirname "$0")"
(cd peers/mih-rs && cargo build --quiet --release --locked)
if [ ! -x .venv/bin/python ]; then
	python3 -m venv .venv
	.venv/bin/pip install --quiet --disable-pip-version-check -r peers/faiss/requirements.txt
fi
go run . "$@"
