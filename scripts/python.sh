#!/bin/sh
# python.sh: tests the Python package, installed from its wheel, with the newest and the oldest Python at hand, and at the long level with
# Spark, Ray and Daft and the newest. PYTHONS may name others, and arguments are for pytest.
# Where no package can be installed, it says so and tests nothing. If SIMSEARCH_REQUIRE lists python, it fails.
set -eu
cd "$(dirname "$0")/.."
root=$PWD
: "${GO:=go}"
unset PYTHONPATH PYTHONHOME

# absent WHY says what cannot be tested, and ends the script if it must be.
absent() {
	echo "$1"
	case ",${SIMSEARCH_REQUIRE:-}," in *,python,*) exit 1 ;; esac
}

pythons() {
	for n in 9 10 11 12 13 14 15; do
		for python in "$(command -v python3.$n || true)" "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.$n.*/bin/python; do
			# pip must be there, too, and not every command of this name runs.
			if [ -x "$python" ] && "$python" -c 'import ensurepip, venv' 2>/dev/null; then
				echo "$python"
				break
			fi
		done
	done
}
[ -n "${PYTHONS:-}" ] || PYTHONS=$(pythons | sed -n '1p;$p' | uniq | tac)
[ -n "$PYTHONS" ] || { absent "no Python of version 3.9 or newer is here: the tests of the Python package are skipped"; exit 0; }

platform=$($GO env GOOS)/$($GO env GOARCH)
made=$root/bin/python
rm -rf "$made/wheels"
for python in $PYTHONS; do
	version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
	venv=$made/$version
	[ -x "$venv/bin/python" ] || "$python" -m venv "$venv"
	if ! "$venv/bin/python" -m pip install --quiet --disable-pip-version-check -r python/tests/requirements.txt; then
		absent "the packages of python/tests/requirements.txt cannot be installed: the tests of the Python package are skipped with Python $version"
		continue
	fi
	[ -d "$made/wheels" ] || PYTHON=$venv/bin/python sh scripts/wheels.sh 0.0.0-dev "$made/wheels" "$platform" >/dev/null
	wheel=$(echo "$made"/wheels/*.whl)
	"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --force-reinstall --no-deps "$wheel"
	echo "Python $version"
	if "$venv/bin/python" -c 'import mypy' 2>/dev/null; then
		(cd python && "$venv/bin/python" -m mypy)
	fi
	(cd python && SIMSEARCH_INSTALLED=1 SIMSEARCH_WHEEL=$wheel "$venv/bin/python" -m pytest -q -p no:cacheprovider \
		--ignore tests/test_engines.py "$@")
done

# Spark, Ray and Daft take 1.3 GB. Arguments choose other tests.
[ "${SIMSEARCH_TESTS:-}" = long ] && [ $# -eq 0 ] && [ -n "${wheel:-}" ] || exit 0
python=${PYTHONS%%[[:space:]]*}
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' ||
	{ absent "no Python of version 3.10 or newer is here: the tests of Spark and Ray are skipped"; exit 0; }
venv=$made/engines
[ -x "$venv/bin/python" ] || "$python" -m venv "$venv"
uv=$made/$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')/bin/uv # several times faster than pip
if [ -x "$uv" ]; then
	install="$uv pip install --quiet --python $venv/bin/python"
else
	install="$venv/bin/python -m pip install --quiet --disable-pip-version-check"
fi
if ! $install -r python/tests/engines.txt; then
	absent "the packages of python/tests/engines.txt cannot be installed: the tests of Spark and Ray are skipped"
	exit 0
fi
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --force-reinstall --no-deps "$wheel"
echo "Spark, Ray and Daft"
(cd python && SIMSEARCH_INSTALLED=1 SIMSEARCH_REQUIRE="${SIMSEARCH_REQUIRE:+$SIMSEARCH_REQUIRE,}engines" \
	"$venv/bin/python" -m pytest -q -p no:cacheprovider tests/test_engines.py)
