#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The Python package as users get it: ci/wheel.sh FOLDER builds the sdist of python/ and the wheel of that, makes it one for every
# distribution, installs it into the environment that ci/python.sh made in FOLDER, and passes the tests of what is installed.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$(realpath -m "$1")
python=$folder/venv/bin/python

# The wheel is built of the sdist, as it is where the sdist is installed, in a folder of one name, so that a kept build fits.
rm -rf "$folder/wheel" "$folder/sdist"
mkdir "$folder/sdist"
(cd python && PYTHONDONTWRITEBYTECODE=1 "$python" -c 'import clquant_build as b, sys; b.build_sdist(sys.argv[1])' "$folder/sdist" \
  >"$folder/sdist.log" 2>&1) || { cat "$folder/sdist.log" >&2; exit 1; }
tar -xzf "$folder"/sdist/clquant-*.tar.gz -C "$folder/sdist" --strip-components=1
CMAKE_BUILD_PARALLEL_LEVEL=$(nproc) "$python" -m pip wheel -q --disable-pip-version-check --no-build-isolation --no-deps \
  --config-settings build-dir="$folder/build" -w "$folder/wheel" "$folder/sdist"
# For every distribution that is as new as the one that builds. The loader is the system's.
PATH=$folder/venv/bin:$PATH auditwheel repair --exclude libOpenCL.so.1 -w "$folder/wheel" "$folder"/wheel/clquant-*-py3-none-linux_*.whl \
  >"$folder/auditwheel.log" 2>&1 || { cat "$folder/auditwheel.log" >&2; exit 1; }
"$python" -m pip install -q --disable-pip-version-check --no-deps "$folder"/wheel/clquant-*-py3-none-manylinux_*.whl

# Not where the package's source would be found first.
cd python/tests
export PYTHONDONTWRITEBYTECODE=1 CLQ_CACHE_DIR=/dev/null POCL_EXTRA_BUILD_FLAGS=-cl-opt-disable
unset CLQUANT_LIBRARY CLQ_COMMAND PYTHONPATH
"$python" -m mypy --strict --cache-dir="$folder/mypy" typed_use.py
"$folder/venv/bin/pyright" --pythonpath "$python" typed_use.py
"$python" -m pytest -q -p no:cacheprovider --basetemp="$folder/tmp" test_package.py test_load.py test_typed.py test_examples.py test_quantize_model.py
