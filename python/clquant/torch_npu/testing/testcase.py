# SPDX-License-Identifier: Apache-2.0
"""The base of op-plugin's tests: assertions on tensors, to the precision that they name."""

from __future__ import annotations

import sys
import unittest
from typing import Any

import numpy as np
import torch


def run_tests() -> None:
    """Run the tests of the program."""
    unittest.main(argv=sys.argv)


def _array(given: Any) -> Any:
    if not isinstance(given, torch.Tensor):
        return np.asarray(given)
    tensor = given.detach()
    try:
        return tensor.numpy()
    except TypeError:  # a type that numpy has not
        return tensor.float().numpy()


class TestCase(unittest.TestCase):
    """Assertions by names that torch_npu's have."""

    def assertRtolEqual(  # noqa: N802 - the name in torch_npu
        self, x: Any, y: Any, prec: float = 1e-4, prec16: float = 1e-3, auto_trans_dtype: bool = False, message: Any = None
    ) -> None:
        """Assert one shape and type, NaN in the same places, and all else apart by prec at most, or by its share.

        Of float16 that is prec16. With auto_trans_dtype types may differ. Lists are compared item by item.
        """
        if isinstance(x, (list, tuple)) and isinstance(y, (list, tuple)):
            self.assertEqual(len(x), len(y), message)
            for one, other in zip(x, y, strict=True):
                self.assertRtolEqual(one, other, prec, prec16, auto_trans_dtype, message)
            return
        left, right = _array(x), _array(y)
        self.assertEqual(left.shape, right.shape, message)
        if not auto_trans_dtype:
            self.assertEqual(left.dtype, right.dtype, message)
        bound = prec16 if left.dtype == np.float16 else prec
        np.testing.assert_allclose(left.astype(np.float64), right.astype(np.float64), bound, bound, err_msg=str(message or ""))

    def assertTensorsSlowEqual(self, x: Any, y: Any, prec: float = 0.0, message: Any = None) -> None:  # noqa: N802
        """Assert one shape, and values that differ by prec at most."""
        left, right = _array(x), _array(y)
        self.assertEqual(left.shape, right.shape, message)
        difference = np.abs(left.astype(np.float64) - right.astype(np.float64))
        self.assertLessEqual(difference.max(initial=0.0), prec, message)

    def assertEqual(self, first: Any, second: Any, msg: Any = None, **_: Any) -> None:  # noqa: N802
        """Assert equality; of tensors of types, shapes and values."""
        if not isinstance(first, torch.Tensor) or not isinstance(second, torch.Tensor):
            super().assertEqual(first, second, msg)
            return
        super().assertEqual((first.dtype, first.shape), (second.dtype, second.shape), msg)
        self.assertRtolEqual(first, second, message=msg)
