# SPDX-License-Identifier: Apache-2.0
"""What the documents show runs, line after line, and says what they say."""

import re
from pathlib import Path

import numpy as np
import pytest
import reference

import clquant

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", ["README.md", "docs/python.md"])
def test_snippets(name):
    snippets = re.findall(r"```python\n(.*?)```", (ROOT / name).read_text(), re.S)
    assert snippets
    known = {}
    for snippet in snippets:
        exec(compile(snippet, name, "exec"), known)
    keys, cache = known["keys"], known["cache"]
    assert cache.any()
    if name == "README.md":
        np.testing.assert_array_equal(cache[2, 7], reference.quantize(keys[2, 0], 0.05))
    else:
        assert known["report"].read() == clquant.Counts(dropped=3, clamped=0, first=0)
        assert np.abs(known["newest"] - keys).max() <= 0.0251
        np.testing.assert_array_equal(cache[2, 8], reference.quantize(keys[2, 0].astype(np.float32) * 2, 0.05))


def test_every_name_is_documented():
    """Each public name has documentation, and stands in docs/python.md."""
    text = (ROOT / "docs" / "python.md").read_text()
    for name in set(clquant.__all__) - {"__version__", "Array", "ElementTypeLike"}:
        assert getattr(clquant, name).__doc__, name
        assert name in text, name
