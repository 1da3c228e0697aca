#!/bin/sh
# Shows what simsearch does on the sample collection: make demo.
# Arguments: the program, the directory for the index.
set -eu
simsearch=$1
index=$2

run() {
	printf '\n$ simsearch'
	for word in "$@"; do
		case $word in
		*[\ \"]*) printf " '%s'" "$word" ;;
		*) printf ' %s' "$word" ;;
		esac
	done
	printf '\n'
	"$simsearch" "$@" 2>&1
}

run index --index "$index" testdata/sample
run near --index "$index" --k 3 testdata/sample/en/library-hours.txt
run eval --quiet --index "$index" | head -n 10
run near --index "$index" testdata/sample/en/library-hours.txt
run near --index "$index" testdata/sample/de/faehre-aushang.txt testdata/sample/zh/chaguan.txt
run groups --index "$index"
run compare testdata/sample/en/library-hours.txt testdata/sample/en/library-hours-summer.txt --limit 3
printf '\nThe index is in %s: try\n  %s near --index %s FILE\n' "$index" "$simsearch" "$index"
