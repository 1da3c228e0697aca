#!/bin/sh
# Records a session in a terminal for README.md, and draws it: scripts/session.sh > docs/session.svg.
# It needs Go and the program script of util-linux.
set -eu
cd "$(dirname "$0")/.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
if [ $# -gt 0 ]; then
	mkdir "$scratch/bin" && cp "$1" "$scratch/bin/simsearch"
else
	go build -o "$scratch/bin/" ./cmd/simsearch
fi
ln -s "$PWD/testdata/tutorial/archive" "$scratch/archive"
cat > "$scratch/session" <<'COMMANDS'
stty cols 96
cd "$1"
PATH=$1/bin:$PATH
run() {
	printf '\033[1m$ %s\033[0m\n' "$1"
	eval "$1"
	printf '\n'
}
run 'simsearch index --index idx archive/leaflets archive/minutes archive/web'
run 'simsearch groups --index idx --show'
COMMANDS
TERM=xterm-256color script -qec "sh $scratch/session $scratch" "$scratch/typescript" > /dev/null < /dev/null
grep -v '^Script ' "$scratch/typescript" | go run -C bench ./session "simsearch in a terminal"
