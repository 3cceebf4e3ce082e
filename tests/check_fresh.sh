#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# In a fresh clone the build of ci/check.sh has each test that the lists of ci/ and the records of tests/planted name: with its
# own options, not those of the build that is being tested. check_fresh.sh SOURCE SCRATCH.
set -euo pipefail
rm -rf "$2"
CLQ_BUILD_DIR=$2 "$1/ci/check.sh" --names | grep -Fxq planted.named
"$1/tests/planted/named.sh" "$2"
"$1/ci/chosen.sh" "$2" all.txt | grep -q .
