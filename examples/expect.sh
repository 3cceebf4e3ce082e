#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs a program and compares what it prints: expect.sh PROGRAM FILE
set -euo pipefail
diff -u "$2" <("$1")
