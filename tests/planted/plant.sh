#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Plants faults in a scratch copy of the tree, and says which of them the tests find. README.md is the manual.
exec python3 "$(dirname "${BASH_SOURCE[0]}")/plant.py" "$@"
