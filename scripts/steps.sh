#!/bin/sh
# steps.sh CORPUS OUT [JOBS [FLAG...]]: does what simsearch dedup FLAG... --out OUT CORPUS does, by steps that run beside each other:
# kept, removed.jsonl and clusters.jsonl have the same bytes. It is how job arrays run the steps, too; see docs/SCALE.md.
# SIMSEARCH may name the program, and STEPS a directory for the files between steps. PARTS is how many joins there are at least; without
# it, there are none if components can compare all sets itself.
set -eu
[ $# -ge 2 ] || { echo "usage: steps.sh CORPUS OUT [JOBS [FLAG...]]" >&2; exit 2; }
corpus=$1 out=$2 jobs=${3:-$(getconf _NPROCESSORS_ONLN)}
shift 2; [ $# -eq 0 ] || shift
: "${SIMSEARCH:=simsearch}"
if [ -n "${STEPS:-}" ]; then
	work=$STEPS
	mkdir -p "$work"
else
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
fi

# each N COMMAND...: runs COMMAND for 1 to N, with the number in the place of {}.
each() {
	n=$1; shift
	seq "$n" | xargs -P "$jobs" -I{} "$@"
}
# ins N KIND: the files of a kind, as flags.
ins() { seq "$1" | sed "s|.*|--in=$work/&.$2|"; }

each "$jobs" "$SIMSEARCH" step sketch --quiet --threads 1 --share "{}/$jobs" --out "$work/{}.sketch" "$@" "$corpus"
parts=$("$SIMSEARCH" step plan --quiet ${PARTS:+--parts "$PARTS"} $(ins "$jobs" sketch) --out "$work/plan" "$@")
[ "$parts" -eq 0 ] || each "$jobs" "$SIMSEARCH" step scatter --in "$work/plan" --in "$work/{}.sketch" --out "$work/{}.scattered" "$@"
each "$parts" "$SIMSEARCH" step join --quiet --threads 1 --part {} --in "$work/plan" $(ins "$jobs" scattered) --out "$work/{}.pairs" "$@"
"$SIMSEARCH" step components $(ins "$jobs" sketch) $(ins "$parts" pairs) --out "$out" "$@"
each "$jobs" "$SIMSEARCH" step keep --quiet --threads 1 --share "{}/$jobs" --in "$out/removed.jsonl" --out "$out" "$@" "$corpus"
