#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the sdist of python/ and the wheel of that, installs it into a fresh virtual environment beside Debian's numpy, torch and pyopencl, and
# passes its checks and tests: ci/python.sh FOLDER. The folder keeps the environment, the build and the kernels.
# CLQ_EXAMPLES names the folder of the examples that were built: its tests compare what they write with the gguf package.
# CLQ_COMMAND names the command: numpy reads the models that it quantizes.
# Packages are ci/setup.sh's, for the purposes build, run and python; those of the line "pip python" are pip's.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$(realpath -m "$1")
mkdir -p "$folder"

# Debian's own Python, which has these; and nothing replaces what it has, for its torch was built for its numpy.
rm -rf "$folder/venv"
/usr/bin/python3 -m venv --system-site-packages "$folder/venv"
python=$folder/venv/bin/python
"$python" -c 'import numpy; print(f"numpy=={numpy.__version__}")' >"$folder/constraints.txt"
read -ra packages <<<"$(sed -n 's/^pip python: //p' ci/packages.txt)"
"$python" -m pip install -q --disable-pip-version-check -c "$folder/constraints.txt" "${packages[@]}"

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

cd python
"$folder/venv/bin/ruff" check --no-cache .
"$folder/venv/bin/ruff" format --no-cache --check -q .
"$folder/venv/bin/mypy" --cache-dir="$folder/mypy"
# The library that is tested is the wheel's, so the tests are not run where the package's source would be found first.
# PoCL's own files alone keep kernels, without the optimizer, which would take most of the time (tests/README.md).
export PYTHONDONTWRITEBYTECODE=1 CLQ_CACHE_DIR=/dev/null POCL_EXTRA_BUILD_FLAGS=-cl-opt-disable
unset CLQUANT_LIBRARY
(cd tests && "$folder/venv/bin/mypy" --strict --cache-dir="$folder/mypy" typed_use.py)
(cd tests && "$folder/venv/bin/pyright" --pythonpath "$python" typed_use.py)
(cd tests && "$python" -m pytest -q -p no:cacheprovider --basetemp="$folder/tmp" .)
