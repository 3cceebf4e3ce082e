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


def writes():
    """Make calls that write, and plans of them, each with the name of its argument and the tensor that it writes."""
    x, cache = torch.ones(2, 1, 8), torch.zeros(2, 4, 8, dtype=torch.int8)
    q, y, floats, plan_y = clquant.quantize(x, 0.5), torch.zeros(2, 1, 8), torch.zeros(2, 4, 8), torch.zeros(2, 1, 8)
    packed = clquant.quantize(x, 0.5, dtype="int4")
    scales = torch.zeros(2, 1)
    places = torch.tensor([0, 1])
    plan = clquant.plan(clquant.dequantize, q, 0.5, out=plan_y)
    yield "y", y, lambda: clquant.dequantize(q, 0.5, out=y)
    yield "y", packed, lambda: clquant.quantize(x, 0.5, out=packed)
    yield "y", y, lambda: clquant.dequantize(q, 0.5, out=clquant.view(y))
    yield "y", plan_y, plan
    yield "y", plan_y, lambda: clquant.enqueue_all([plan])
    yield "scales", scales, lambda: clquant.dynamic_quantize(x, symmetric=True, out=(q, scales, None))
    yield "cache", cache, lambda: clquant.quantize_scatter(cache, places, x, 0.5, axis=1)
    yield "dst", floats, lambda: clquant.move_rows(x, floats, dst_indices=places, axis=1)


def test_calls_that_write_raise_the_version():
    for name, written, call in writes():
        before = written._version
        call()
        assert written._version > before, name


def test_gradients_through_what_a_call_wrote():
    """The library of torch refuses them, as it does those of its own calls in place."""
    weight, y = torch.full((2, 8), 2.0, requires_grad=True), torch.ones(2, 8)
    loss = (weight * y).sum()
    clquant.dequantize(torch.full((2, 8), 100, dtype=torch.int8), 1.0, out=y)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_tensors_that_require_grad_are_not_written():
    """They are where no gradients are recorded, as torch has it."""
    for name, written, call in writes():
        if not written.is_floating_point():
            continue
        with torch.no_grad():
            written.fill_(77)
        written.requires_grad_()
        with pytest.raises(
            ValueError, match=rf"^(plans\[0\]: )?{name}: a tensor of torch requires grad: what a call writes must not"
        ):
            call()
        assert (written == 77).all()
        with torch.no_grad():
            call()
        assert not (written == 77).all()


def test_negatives_are_not_written():
    """Their memory has other values than they show."""
    seen = torch.zeros(2, 8, dtype=torch.complex64).conj().imag
    with pytest.raises(ValueError, match=r"^y: a tensor of torch has the negative bit: .* as a copy by resolve_neg\(\) is"):
        clquant.dequantize(torch.ones(2, 8, dtype=torch.int8), 1.0, out=seen)
    assert not seen.any()


def test_inference_tensors_are_written():
    """They have no version."""
    with torch.inference_mode():
        y = torch.zeros(2, 8)
        clquant.dequantize(torch.ones(2, 8, dtype=torch.int8), 1.0, out=y)
    clquant.dequantize(torch.ones(2, 8, dtype=torch.int8), 1.0, out=y)
    assert (y == 1).all()
