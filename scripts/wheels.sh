#!/bin/sh
# wheels.sh DIR PLATFORM...: writes a wheel for each of the platforms, such as linux/amd64, to DIR: the Python package with the program
# in it. The program of this machine must be in bin/simsearch. GO, LDFLAGS and PYTHON may be set.
set -eu
cd "$(dirname "$0")/.."
dir=$1; shift
: "${GO:=go}" "${PYTHON:=python3}"

# As Python writes versions: 0.1.0-dev is 0.1.0.dev0.
SIMSEARCH_VERSION=$(bin/simsearch version --json | sed 's/.*"version":"\([^"]*\)".*/\1/; s/-dev$/.dev0/; s/-rc\.*/rc/')
export SIMSEARCH_VERSION
if ! "$PYTHON" -c 'import hatchling' 2>/dev/null; then
	[ -x bin/hatchling/bin/python ] || "$PYTHON" -m venv bin/hatchling
	PYTHON=$PWD/bin/hatchling/bin/python
	"$PYTHON" -m pip install --quiet --disable-pip-version-check hatchling==1.33.0
fi
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
	program=$PWD/bin/wheels/$os-$arch/simsearch
	[ "$os" != windows ] || program=$program.exe
	CGO_ENABLED=0 GOOS=$os GOARCH=$arch $GO build -trimpath -tags urfave_cli_no_docs -ldflags "-s -w ${LDFLAGS:-}" -o "$program" ./cmd/simsearch
	(cd python && SIMSEARCH_PROGRAM=$program SIMSEARCH_PLATFORMS=$tags "$PYTHON" -m hatchling build --target wheel --directory "$dir")
done
