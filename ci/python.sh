#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes a virtual environment beside Debian's numpy, torch and pyopencl, and passes the checks and tests of python/ with what BUILD
# has: its library, command and examples: ci/python.sh FOLDER BUILD. The folder keeps the environment. (The wheel, and the examples of
# python/examples, which bring other packages: ci/wheel.sh.)
# Packages are ci/setup.sh's, for the purposes build, run and python; those of the line "pip python" are pip's.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$(realpath -m "$1") build=$(realpath "$2")
mkdir -p "$folder"

# Debian's own Python, which has these; and nothing replaces what it has, for its torch was built for its numpy.
rm -rf "$folder/venv"
/usr/bin/python3 -m venv --system-site-packages "$folder/venv"
python=$folder/venv/bin/python
"$python" -c 'import numpy; print(f"numpy=={numpy.__version__}")' >"$folder/constraints.txt"
read -ra packages <<<"$(sed -n 's/^pip python: //p' ci/packages.txt)"
"$python" -m pip install -q --disable-pip-version-check -c "$folder/constraints.txt" "${packages[@]}"

cd python
"$folder/venv/bin/ruff" check --no-cache .
"$folder/venv/bin/ruff" format --no-cache --check -q .
"$folder/venv/bin/mypy" --cache-dir="$folder/mypy"
# PoCL's own files alone keep kernels, without the optimizer, which would take most of the time (tests/README.md).
export PYTHONDONTWRITEBYTECODE=1 CLQ_CACHE_DIR=/dev/null POCL_EXTRA_BUILD_FLAGS=-cl-opt-disable PYTHONPATH=$PWD
export CLQUANT_LIBRARY=$build/libclquant.so CLQ_COMMAND=$build/clquant CLQ_EXAMPLES=$build/examples
cd tests
"$python" -m pytest -q -n "$(nproc)" --dist loadfile -p no:cacheprovider --basetemp="$folder/tmp" --ignore test_examples.py .
