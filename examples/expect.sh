#!/usr/bin/env bash
# Runs a program and compares what it prints: expect.sh PROGRAM FILE
set -euo pipefail
diff -u "$2" <("$1")
