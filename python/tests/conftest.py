# SPDX-License-Identifier: Apache-2.0
"""What the tests share: contexts, and numbers that are hard to quantize."""

import sys
from pathlib import Path

import numpy as np
import pytest

import clquant

sys.path.append(str(Path(__file__).parents[1] / "benchmarks"))
import ggml_library


@pytest.fixture(params=["in place", "copied"])
def context(request):
    """The default context, and one that takes its device for one that does not work in the host's memory."""
    if request.param == "in place":
        made = clquant.default_context()
        if not made.in_place:
            pytest.skip(f"{made.device_name} does not work in the host's memory")
        return made
    return _copying()


_made = []


def _copying():
    if not _made:
        _made.append(clquant.Context())
        _made[0].__dict__["in_place"] = False
    return _made[0]


@pytest.fixture(scope="session")
def ggml():
    """Open the library of ggml that pywhispercpp brings."""
    try:
        return ggml_library.Ggml()
    except ImportError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """The file of llm_made.py's model."""
    import llm_made

    return llm_made.write(tmp_path_factory.mktemp("llm") / "made.gguf")


@pytest.fixture
def rng():
    """A generator of the same numbers each time."""
    return np.random.default_rng(20)


@pytest.fixture
def numbers(rng):
    """A function that makes floats of a shape: ties, large and small ones, infinities and NaN among them."""

    def make(shape, dtype=np.float32):
        values = rng.normal(0, 20, shape).astype(np.float32)
        strange = rng.random(shape)
        values = np.where(strange < 0.2, np.rint(values) + np.float32(0.5), values)
        for bound, value in ((0.03, np.nan), (0.02, np.inf), (0.01, -np.inf), (0.005, -0.0)):
            values = np.where(strange < bound, np.float32(value), values)
        return values.astype(dtype)

    return make
