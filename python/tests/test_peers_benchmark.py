# SPDX-License-Identifier: Apache-2.0
"""benchmarks/peers.py runs whole, on few values; its figures are of no interest here."""

import peers


def test_a_row_for_each_work_of_those_that_are_installed():
    found = peers.rows(1)
    names = {row.name.split(":")[0] for row in found}
    assert len(found) == 2 * ("onednn" in names) + 9 * ("torch" in names)
    assert all(min(row[1:]) > 0 for row in found)
