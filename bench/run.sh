#!/usr/bin/env bash
# Installs the peers from their package registries, at pinned versions, and compares them with simsearch on the same data in the same
# run. Each section writes its page in docs/measured; figures makes the page of figures of them all.
#
#   bench/run.sh                  all sections in this order, some six hours, and three more for 10 GB on slow disks
#   bench/run.sh all 2            the same, with 2 GB of generated text instead of 10
#   bench/run.sh SECTION ...      one of them, with what follows for the program that measures
#
#   own                           commands and parts of simsearch, by themselves
#   features                      from text to fingerprint
#   hamming                       search by Hamming distance; hamming -n 100000 -k 3 prints one size and distance and writes nothing
#   sketches                      MinHash sketches of sets
#   joins                         all pairs of similar sets; joins -only simsearch keeps the other programs as they were measured before
#   dedup                         a collection without its near duplicates
#   passages                      copied passages, beside Dolos, copydetect and JPlag; tests in training sets, beside decon
#   size [GIGABYTES]              generated collections without their near duplicates, of 10 GB
#   billion [-most NUMBER]        fingerprints, from a million to ten million or NUMBER: index, near, pairs, groups, dedup
#   scale [-price DOLLARS]        what the steps of dedup take for each document, and 10⁹ and 10¹⁰ would cost
#   serve [PART ...]              a server, alone and beside FAISS, PostgreSQL and Lance; serve near texts measures these parts alone
#   evaluation [page|weakest]     which setting, how often wrong; with page, the first two pages alone, with weakest the last one
#   judge                         the weights of package judge, and their page
#   default [manuals=DIR]         what near means by default, and what would be printed of the texts in a directory
#   programs [manuals=DIR]        beside other programs, all with their defaults
#   presets                       prints the pairs of --preset beside those of the programs that it follows, for the table in docs/SETTINGS.md
#   figures                       the page of figures, of what the others have written
#
# Only one run measures at a time. The collections are those of SIMSEARCH_DATA, or ../shared/data.
set -euo pipefail
cd "$(dirname "$0")"
mkdir -p out
measured=../docs/measured
trap 'rm -f "$measured"/*.new' EXIT
data=$(cd "${SIMSEARCH_DATA:-../../shared/data}" 2> /dev/null && pwd || true)
export SIMSEARCH_DATA=$data

# What sections need.

collections() {
	[ -d out/dev ] && return
	[ -e "$data/dev.tar.zst" ] || { echo "the collections are not there: set SIMSEARCH_DATA" >&2; exit 1; }
	zstd -dc --long=27 "$data/dev.tar.zst" | tar -C out -x
}

program() { (cd .. && make --silent build BIN=bench/out/simsearch); }

# python NAME REQUIREMENTS... makes an environment .venv-NAME.
python() {
	[ ! -x ".venv-$1/bin/python" ] || return 0
	python3 -m venv ".venv-$1"
	".venv-$1/bin/pip" install --quiet --disable-pip-version-check "${@:2}"
}

rust() { (cd "peers/$1" && cargo build --quiet --release --locked); }

text_dedup() {
	[ ! -x .venv-default/bin/python ] || return 0
	python default -r peers/default/requirements.txt
	.venv-default/bin/pip install --quiet --disable-pip-version-check --no-deps text-dedup==0.4.0
}

# page NAME COMMAND... writes a page when the command has succeeded.
page() {
	"${@:2}" > "$measured/$1.new"
	mv "$measured/$1.new" "$measured/$1"
}

# The sections.

own() {
	collections
	program
	page OWN.txt own_lines
}

# With each backend that this processor has.
own_lines() {
	local backend
	for backend in avx512 avx2 neon generic; do
		! SIMSEARCH_BACKEND=$backend out/simsearch version > /dev/null 2>&1 || SIMSEARCH_BACKEND=$backend own_lines_here
	done
}

own_lines_here() (
	go run ./own out/simsearch out out/dev/aclimdb/docs.jsonl
	cd ..
	export SIMSEARCH_BENCH_N=10000000
	bench() { go test "./$1" -run '^$' -bench "$2" "${@:3}" | grep ^Benchmark; }
	bench internal/index '^BenchmarkWrite$' -benchtime 1x
	bench internal/index '^BenchmarkNear$'
	bench tables '^BenchmarkNear$/^n=1000000$/^k=3$/^way=(single|batch)$' | sed 's/^BenchmarkNear/&Memory/'
	bench tables '^BenchmarkPairs$/^n=1000000$/^k=3$/^way=join$'
	bench minhash '^BenchmarkSketch$/^variant=super$/^k=128$/^elements=(20|200|5000)$'
	bench internal/features/imagehash '^BenchmarkSum$'
	bench preprocess '^BenchmarkScripts$'
)

features() {
	collections
	python hamming -r peers/faiss/requirements.txt -r peers/simhash/requirements.txt
	(cd peers/simhash-rs && RUSTFLAGS="-C target-cpu=native" cargo build --quiet --release --locked)
	page BENCHMARKS-TEXT.md go run ./features out/dev
}

hamming() {
	rust mih-rs
	python hamming -r peers/faiss/requirements.txt -r peers/simhash/requirements.txt
	# Its import has the name of that of the package simhash, so that it stands apart.
	CFLAGS="-O3 -march=native" python simhash-cpp --no-binary simhash-pybind -r peers/simhash-cpp/requirements.txt
	# Real fingerprints, where the collections that the project is measured on are there.
	local lists=()
	if [ -e "$data/fixture.tar.zst" ]; then
		tar --zstd -xOf "$data/fixture.tar.zst" fixture/hash64.txt > out/image-hashes.txt
		lists+=(out/image-hashes.txt)
	fi
	if [ -d out/dev ] || [ -e "$data/dev.tar.zst" ]; then
		collections
		program
		rm -rf out/index
		out/simsearch index --quiet --skip bad --index out/index out/dev/*/docs.jsonl 2> /dev/null
		out/simsearch export --quiet --index out/index --as fingerprints > out/simhashes.txt
		lists+=(out/simhashes.txt)
	fi
	[ $# -gt 0 ] || set -- -write "$measured"
	go run . "$@" "${lists[@]}"
}

sketches() {
	python sketches -r peers/sketches/requirements.txt
	page BENCHMARKS-MINHASH.md go run ./sketches .venv-sketches/bin/python
}

joins() {
	collections
	rust gaoya
	python joins -r peers/joins/requirements.txt
	# It is built from source by an old Cython against an old numpy, so that it stands apart and may fail.
	if [ ! -x .venv-stringsimjoin/bin/python ]; then
		CFLAGS="-O3 -march=native" python stringsimjoin -r peers/stringsimjoin/requirements.txt &&
			CFLAGS="-O3 -march=native" .venv-stringsimjoin/bin/pip install --quiet --disable-pip-version-check --no-build-isolation \
				--no-binary py_stringmatching,py_stringsimjoin py_stringmatching==0.4.6 py_stringsimjoin==0.3.6 ||
			{ echo "py_stringsimjoin cannot be built: it is left out" >&2; rm -rf .venv-stringsimjoin; }
	fi
	page BENCHMARKS-JOINS.md go run ./joins "$@" out/dev
}

dedup() {
	collections
	python dedup -r peers/dedup/requirements.txt
	text_dedup
	program
	cp out/dev/aclimdb/docs.jsonl out/docs.jsonl
	page BENCHMARKS-DEDUP.md go run ./dedup out/simsearch out/docs.jsonl
}

passages() {
	collections
	python passages -r peers/passages/requirements.txt
	# Its parsers are compiled when it is installed.
	[ -d peers/passages/node_modules ] || (cd peers/passages && npm ci --silent --no-audit --no-fund) ||
		{ echo "Dolos cannot be installed: it is left out" >&2; rm -rf peers/passages/node_modules; }
	if [ ! -e peers/passages/target/WithJPlag.class ]; then
		mvn --batch-mode --quiet -f peers/passages/jplag/pom.xml dependency:copy-dependencies -DoutputDirectory="$PWD/peers/passages/target" &&
			javac -cp 'peers/passages/target/*' -d peers/passages/target peers/passages/jplag/WithJPlag.java ||
			echo "JPlag cannot be installed: it is left out" >&2
	fi
	if [ ! -x .venv-decon/bin/python ]; then # it needs Python 3.12
		for python in python3 python3.14 python3.13 python3.12 ~/.pyenv/versions/3.1[2-9]*/bin/python; do
			"$python" -c 'import sys; sys.exit(sys.version_info < (3, 12))' 2> /dev/null || continue
			"$python" -m venv .venv-decon && .venv-decon/bin/pip install --quiet --disable-pip-version-check -r peers/passages/requirements-decon.txt && break
			rm -rf .venv-decon
		done
		[ -x .venv-decon/bin/python ] || echo "decon cannot be installed: it is left out" >&2
	fi
	program
	page BENCHMARKS-PASSAGES.md go run ./passages out/simsearch out/dev .venv-passages/bin/python .venv-decon/bin/python
}

size() {
	collections
	program
	page BENCHMARKS-SIZE.md go run ./size out/simsearch out "${1:-10}" out/dev/{aclimdb,reuters21578,powershell-docs,scoop-news}/docs.jsonl
}

serve() {
	# FAISS and Lance stand behind a server in Python. PostgreSQL is Debian's package, where it is installed.
	python serve -r peers/serve/requirements.txt
	program
	page BENCHMARKS-SERVE.md go run ./serve out/simsearch .venv-serve/bin/python out/serve "$@"
}

evaluation() {
	collections
	for part in ${1:-page tables weakest}; do
		go run ./evaluation "$part" out/dev "$measured"
	done
}

judge() {
	collections
	go run ./judge out/dev ../internal/match/judge/weights.json "$measured"
}

default() { # a section of the page that the evaluation writes
	collections
	go run ./default out/dev "$measured" "$@"
}

programs() { # another one
	collections
	text_dedup
	program
	go run ./default programs out/simsearch .venv-default/bin/python out/dev "$measured" "$@"
}

presets() { # prints lines of JSON; no page
	collections
	[ -x .venv-coming/bin/python ] || peers/coming/install.sh "$PWD/.venv-coming"
	program
	head -n "${1:-6000}" out/dev/reuters21578/docs.jsonl > out/presets.jsonl
	.venv-coming/bin/python peers/presets/pairs.py out/simsearch out/presets.jsonl
}

billion() {
	program
	page BENCHMARKS-BILLION.md go run ./billion -program out/simsearch "$@"
}

scale() {
	program
	page BENCHMARKS-SCALE.md go run ./scale -program out/simsearch "$@"
}

figures() { page FIGURES.md go run ./figures "$measured"; }

all() {
	local failed=() manuals=() with section
	[ ! -d /usr/share/man ] || manuals=("manual pages=/usr/share/man")
	for section in own features hamming sketches joins dedup passages size billion scale serve evaluation judge default programs figures; do
		case $section in
		size) with=("$@") ;;
		default | programs) with=("${manuals[@]}") ;;
		*) with=() ;;
		esac
		echo "$(date +%H:%M) $section" >&2
		SIMSEARCH_BENCH_LOCKED=1 ./run.sh "$section" "${with[@]}" || failed+=("$section")
	done
	[ ${#failed[@]} -eq 0 ] || { echo "these failed, and their pages are as they were: ${failed[*]}" >&2; exit 1; }
}

sections="own features hamming sketches joins dedup passages size billion scale serve evaluation judge default programs presets figures all"
section=${1:-all}
[ $# -eq 0 ] || shift
case " $sections " in
*" $section "*) ;;
*)
	echo "no section $section: want one of $sections" >&2
	exit 2
	;;
esac
if [ -z "${SIMSEARCH_BENCH_LOCKED:-}" ]; then # by all
	exec 9> out/lock
	flock --nonblock 9 || { echo "another run measures: it has $PWD/out/lock" >&2; exit 1; }
fi
"$section" "$@"
