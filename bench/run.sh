#!/usr/bin/env bash
# Installs the peers from their package registries, at pinned versions, and compares
# them with simsearch on the same data in the same run. Arguments go to the program:
#
#   bench/run.sh                          the usual sizes; prints the tables
#   bench/run.sh -write ../docs/measured           also writes docs/measured/BENCHMARKS.md and its plots
#   bench/run.sh -n 100000 -k 3           one size, one distance
#   bench/run.sh features                 writes docs/measured/BENCHMARKS-TEXT.md: from text to fingerprint
#   bench/run.sh sketches                 writes docs/measured/BENCHMARKS-MINHASH.md: sketches of sets
#   bench/run.sh joins                    writes docs/measured/BENCHMARKS-JOINS.md: all pairs of similar sets
#   bench/run.sh joins -only simsearch    the same, the other programs as they were measured before
#   bench/run.sh dedup                    writes docs/measured/BENCHMARKS-DEDUP.md: a collection without its near duplicates
#   bench/run.sh evaluation               writes docs/measured/EVALUATION.md, BISWAS.md, EVALUATION-TABLES.md and their plots: which setting, how often wrong
#   bench/run.sh evaluation page          writes the first two alone
#   bench/run.sh default                  writes one section of the tables: what near means by default
#   bench/run.sh programs manuals=DIR     writes one section of them: beside other programs, all with their defaults
#   bench/run.sh default manuals=DIR      the same, and what would be printed of the texts in a directory
set -euo pipefail
cd "$(dirname "$0")"
if [ "${1:-}" = sketches ]; then
	mkdir -p out
	[ -x .venv-sketches/bin/python ] || python3 -m venv .venv-sketches
	.venv-sketches/bin/pip install --quiet --disable-pip-version-check -r peers/sketches/requirements.txt
	go run ./sketches .venv-sketches/bin/python > ../docs/measured/BENCHMARKS-MINHASH.md.new
	mv ../docs/measured/BENCHMARKS-MINHASH.md.new ../docs/measured/BENCHMARKS-MINHASH.md
	exit
fi
if [ "${1:-}" = joins ]; then
	mkdir -p out
	shared=${SIMSEARCH_DATA:-../../shared/data}
	if [ ! -d out/dev ] && [ -e "$shared/dev.tar.zst" ]; then
		zstd -dc --long=27 "$shared/dev.tar.zst" | tar -C out -x
	fi
	(cd peers/gaoya && cargo build --quiet --release --locked)
	if [ ! -x .venv-joins/bin/python ]; then
		python3 -m venv .venv-joins
		.venv-joins/bin/pip install --quiet --disable-pip-version-check -r peers/joins/requirements.txt
	fi
	# It is built from source by an old Cython against an old numpy, so that it stands apart and may fail.
	if [ ! -x .venv-stringsimjoin/bin/python ]; then
		python3 -m venv .venv-stringsimjoin
		{ export CFLAGS="-O3 -march=native"
			.venv-stringsimjoin/bin/pip install --quiet --disable-pip-version-check -r peers/stringsimjoin/requirements.txt &&
			.venv-stringsimjoin/bin/pip install --quiet --disable-pip-version-check --no-build-isolation --no-binary py_stringmatching,py_stringsimjoin py_stringmatching==0.4.6 py_stringsimjoin==0.3.6
		} || { echo "py_stringsimjoin cannot be built: it is left out" >&2; rm -rf .venv-stringsimjoin; }
	fi
	go run ./joins "${@:2}" out/dev > ../docs/measured/BENCHMARKS-JOINS.md.new
	mv ../docs/measured/BENCHMARKS-JOINS.md.new ../docs/measured/BENCHMARKS-JOINS.md
	exit
fi
if [ "${1:-}" = dedup ]; then
	mkdir -p out
	[ -d out/dev ] || zstd -dc --long=27 "${SIMSEARCH_DATA:-../../shared/data}/dev.tar.zst" | tar -C out -x
	if [ ! -x .venv-dedup/bin/python ]; then
		python3 -m venv .venv-dedup
		.venv-dedup/bin/pip install --quiet --disable-pip-version-check -r peers/dedup/requirements.txt
	fi
	if [ ! -x .venv-default/bin/python ]; then
		python3 -m venv .venv-default
		.venv-default/bin/pip install --quiet --disable-pip-version-check -r peers/default/requirements.txt
		.venv-default/bin/pip install --quiet --disable-pip-version-check --no-deps text-dedup==0.4.0
	fi
	(cd .. && go build -o bench/out/simsearch ./cmd/simsearch)
	cp out/dev/aclimdb/docs.jsonl out/docs.jsonl
	go run ./dedup out/simsearch out/docs.jsonl > ../docs/measured/BENCHMARKS-DEDUP.md.new
	mv ../docs/measured/BENCHMARKS-DEDUP.md.new ../docs/measured/BENCHMARKS-DEDUP.md
	exit
fi
if [ "${1:-}" = evaluation ] || [ "${1:-}" = default ]; then
	mkdir -p out
	[ -d out/dev ] || zstd -dc --long=27 "${SIMSEARCH_DATA:-../../shared/data}/dev.tar.zst" | tar -C out -x
	if [ "$1" = evaluation ]; then
		go run ./evaluation page out/dev ../docs/measured
		[ "${2:-}" != page ] || exit 0
		go run ./evaluation tables out/dev ../docs/measured
	fi
	go run ./default out/dev ../docs/measured "${@:2}" # a section of the page that the evaluation writes
	exit
fi
if [ "${1:-}" = programs ]; then
	mkdir -p out
	[ -d out/dev ] || zstd -dc --long=27 "${SIMSEARCH_DATA:-../../shared/data}/dev.tar.zst" | tar -C out -x
	if [ ! -x .venv-default/bin/python ]; then
		python3 -m venv .venv-default
		.venv-default/bin/pip install --quiet --disable-pip-version-check -r peers/default/requirements.txt
		.venv-default/bin/pip install --quiet --disable-pip-version-check --no-deps text-dedup==0.4.0
	fi
	(cd .. && go build -o bench/out/simsearch ./cmd/simsearch)
	go run ./default programs out/simsearch .venv-default/bin/python out/dev ../docs/measured "${@:2}"
	exit
fi
(cd peers/mih-rs && cargo build --quiet --release --locked)
if [ ! -x .venv/bin/python ]; then
	python3 -m venv .venv
	.venv/bin/pip install --quiet --disable-pip-version-check -r peers/faiss/requirements.txt -r peers/simhash/requirements.txt
fi
# Its import has the name of that of the package simhash, so that it stands apart.
if [ ! -x .venv-simhash-cpp/bin/python ]; then
	python3 -m venv .venv-simhash-cpp
	CFLAGS="-O3 -march=native" .venv-simhash-cpp/bin/pip install --quiet --disable-pip-version-check --no-binary simhash-pybind -r peers/simhash-cpp/requirements.txt
fi
# Real fingerprints, where the collections that the project is measured on are there.
lists=()
shared=${SIMSEARCH_DATA:-../../shared/data}
mkdir -p out
if [ -e "$shared/fixture.tar.zst" ]; then
	tar --zstd -xOf "$shared/fixture.tar.zst" fixture/hash64.txt > out/image-hashes.txt
	lists+=(out/image-hashes.txt)
fi
if [ -e "$shared/dev.tar.zst" ]; then
	if [ ! -d out/dev ]; then
		zstd -dc --long=27 "$shared/dev.tar.zst" | tar -C out -x
	fi
	rm -rf out/index
	(cd .. && go build -o bench/out/simsearch ./cmd/simsearch)
	out/simsearch index --quiet --skip-bad --index out/index out/dev/*/docs.jsonl 2> /dev/null
	out/simsearch export --quiet --index out/index --as fingerprints > out/simhashes.txt
	lists+=(out/simhashes.txt)
fi
if [ "${1:-}" = features ]; then
	(cd peers/simhash-rs && RUSTFLAGS="-C target-cpu=native" cargo build --quiet --release --locked)
	go run ./features out/dev > ../docs/measured/BENCHMARKS-TEXT.md.new
	mv ../docs/measured/BENCHMARKS-TEXT.md.new ../docs/measured/BENCHMARKS-TEXT.md
	exit
fi
go run . "$@" "${lists[@]}"
