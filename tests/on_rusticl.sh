#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs a test on Mesa's rusticl alone, as llvmpipe: on_rusticl.sh PROGRAM ARGUMENTS… A machine without it skips the test.
vendor=/etc/OpenCL/vendors/rusticl.icd
[ -e $vendor ] || { echo "SKIPPED: no rusticl"; exit 77; }
export OCL_ICD_VENDORS=$vendor RUSTICL_ENABLE=llvmpipe
exec "$@"
