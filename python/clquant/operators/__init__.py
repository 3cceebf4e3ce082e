# SPDX-License-Identifier: Apache-2.0
"""The operators, a module each, named as in C."""
