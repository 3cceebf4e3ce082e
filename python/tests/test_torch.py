# SPDX-License-Identifier: Apache-2.0
"""torch's tensors in the host's memory: their types, strides and what is made of them."""

import numpy as np
import pytest
import reference

import clquant

torch = pytest.importorskip("torch")


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_torch(context, numbers, dtype):
    x = torch.from_numpy(numbers((4, 6, 8))).to(getattr(torch, dtype))
    for tensor in (x, x.transpose(0, 2), x[:, ::2]):
        y = clquant.quantize(tensor, torch.tensor(0.5), dtype=torch.int8, context=context)
        assert y.dtype == torch.int8
        assert y.shape == tensor.shape
        np.testing.assert_array_equal(y.numpy(), reference.quantize(tensor.float().numpy(), 0.5))
    back = clquant.dequantize(y, 0.5, dtype=getattr(torch, dtype), context=context)
    assert back.dtype == x.dtype


def test_torch_kinds(context, numbers):
    x = torch.from_numpy(numbers((4, 16)))
    y = clquant.quantize(x, 2.0, dtype="int4_words", context=context)
    assert y.dtype == torch.int32
    right = reference.quantize(x.numpy(), 2.0, dtype="int4")
    np.testing.assert_array_equal(reference.unpack(y.numpy().view(np.uint8)), right)
    needing = x.clone().requires_grad_()
    assert clquant.quantize(needing, 2.0, dtype="int4", context=context).dtype == torch.uint8
    with pytest.raises(ValueError, match=r"x.dtype is float64: it must be float32, float16 or bfloat16: x.to\(torch.float32\)"):
        clquant.quantize(x.double(), 2.0, context=context)
    with pytest.raises(ValueError, match="on meta: it must be on the CPU"):
        clquant.quantize(x.to("meta"), 2.0, context=context)
    with pytest.raises(ValueError, match="only arrays of numpy"):
        clquant.quantize(x, 2.0, dtype="int4_elements", context=context)


def test_through_dlpack(context, numbers):
    """bfloat16, which numpy's own from_dlpack does not take."""

    class Foreign:
        def __dlpack__(self):
            return half.__dlpack__()

    half = torch.from_numpy(numbers((4, 6, 8))).bfloat16()
    made = clquant.quantize(Foreign(), 0.5, context=context)
    np.testing.assert_array_equal(made, reference.quantize(half.float().numpy(), 0.5))
