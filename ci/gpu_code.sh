#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What a GPU's compiler makes of the kernels, without a GPU: gpu_code.sh [--table] [TEXT] prints the worst and the median of
# each kernel for three GPUs, with --table a row for each variant too; TEXT: only variants that contain it. Where ptxas is
# installed, by PTXAS or on the PATH, it adds the registers of two NVIDIA GPUs. Fails where tests/gpu_code/limits.txt is broken.
set -euo pipefail
exec python3 -B "$(dirname "$0")/../tests/gpu_code/gpu_code.py" "$@"
