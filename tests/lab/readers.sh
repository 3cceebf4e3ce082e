#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Do others open what quantize_model writes? By hand, and before each release:
#
#   readers.sh CLQUANT [options of readers.py]    transformers and compressed-tensors open tiny models, and run them
#
# The first run installs the newest of both, with PyTorch, into a Python environment of 5.6 GB, which is kept:
# clquant/readers in the user's folder of caches. To take newer ones, remove it.
# No model is downloaded: each is made from its own configuration, with random weights.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ $# -ge 1 ] || { sed -n 's/^#   //p' "$0" >&2; exit 2; }
folder=${XDG_CACHE_HOME:-$HOME/.cache}/clquant/readers

if [ ! -e "$folder/whole" ]; then
  rm -rf "$folder"
  python3 -m venv "$folder"
  "$folder/bin/pip" install -q transformers compressed-tensors torch accelerate safetensors tokenizers
  touch "$folder/whole"
fi
export TQDM_DISABLE=1 HF_HUB_OFFLINE=1 TRANSFORMERS_VERBOSITY=error HF_HUB_DISABLE_PROGRESS_BARS=1 TOKENIZERS_PARALLELISM=false
exec "$folder/bin/python" -B "$here/readers.py" "$@"
