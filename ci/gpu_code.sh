#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What GPUs' compilers make of the kernels, without a GPU: gpu_code.sh [--table] [TEXT] prints the worst and the median of
# each kernel for five GPUs and four of Intel's, with --table a row for each variant too; TEXT: only variants that contain it.
# Where ptxas is installed, by PTXAS or on the PATH, it adds the registers of two NVIDIA GPUs. Intel's compiler is got by
# ci/intel.sh, and takes some 40 minutes for all variants on two cores; figures of kernels that did not change are kept. Fails
# where tests/gpu_code/limits.txt is broken.
set -euo pipefail
"$(dirname "$0")/intel.sh" || [ $? -eq 77 ]
exec python3 -B "$(dirname "$0")/../tests/gpu_code/gpu_code.py" "$@"
