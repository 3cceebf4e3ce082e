#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs a program and compares what it prints, but for times: expect.sh PROGRAM FILE
set -euo pipefail
diff -u "$2" <("$1" | grep -v microseconds)
