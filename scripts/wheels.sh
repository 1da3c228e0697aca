#!/bin/sh
# wheels.sh VERSION DIR PLATFORM...: writes a wheel for each of the platforms, such as linux/amd64, to DIR: the Python package with the
# program in it. PROGRAMS names a directory that has the programs, as linux-amd64/simsearch; without it, they are built. NOTICES may name
# a file with the licences of its parts. GO and PYTHON may be set.
set -eu
version=$1 dir=$2; shift 2
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
cd "$(dirname "$0")/.."
: "${GO:=go}" "${PYTHON:=python3}"
programs=${PROGRAMS:-$PWD/bin/programs}
SIMSEARCH_VERSION=$(echo "${version#v}" | sed 's/-dev.*/.dev0/; s/-rc\.*/rc/') # as Python writes versions

if ! "$PYTHON" -c 'import hatchling' 2>/dev/null; then
	[ -x bin/hatchling/bin/hatchling ] || {
		"$PYTHON" -m venv bin/hatchling
		bin/hatchling/bin/python -m pip install --quiet --disable-pip-version-check hatchling==1.33.0
	}
	PYTHON=$PWD/bin/hatchling/bin/python
fi
export SIMSEARCH_VERSION
for platform; do
	case $platform in
	linux/amd64) tags=manylinux_2_17_x86_64.musllinux_1_1_x86_64 ;;
	linux/arm64) tags=manylinux_2_17_aarch64.musllinux_1_1_aarch64 ;;
	darwin/amd64) tags=macosx_12_0_x86_64 ;;
	darwin/arm64) tags=macosx_12_0_arm64 ;;
	windows/amd64) tags=win_amd64 ;;
	windows/arm64) tags=win_arm64 ;;
	*) echo "wheels.sh: there are no wheels for $platform" >&2; exit 2 ;;
	esac
	os=${platform%/*} arch=${platform#*/}
	program=$programs/$os-$arch/simsearch
	[ "$os" != windows ] || program=$program.exe
	[ -n "${PROGRAMS:-}" ] ||
		GOOS=$os GOARCH=$arch make build GO="$GO" BIN="$program"
	(cd python && SIMSEARCH_PROGRAM=$program SIMSEARCH_PLATFORMS=$tags "$PYTHON" -m hatchling build --target wheel --directory "$dir")
done
