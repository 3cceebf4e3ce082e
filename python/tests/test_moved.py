# SPDX-License-Identifier: Apache-2.0
"""Arrays that move their memory, or become another, while a plan or a view has them."""

from multiprocessing import reduction

import ml_dtypes
import numpy as np
import pytest
import reference

import clquant

torch = pytest.importorskip("torch")
pytest.importorskip("torch.multiprocessing")


def storage_of(tensor):
    """A tensor's storage, whose size counts bytes; of torch 1, elements."""
    return (tensor.untyped_storage if hasattr(tensor, "untyped_storage") else tensor.storage)()


def share_memory(tensor):
    tensor.share_memory_()


def set_data(tensor):
    tensor.data = tensor.clone()


def set_to_another(tensor):
    tensor.set_(tensor.clone())


def larger_storage(tensor):
    storage_of(tensor).resize_(1 << 20)


def away_and_back(tensor):
    """As what keeps parameters on another device between steps does."""
    kept = tensor.clone()
    storage_of(tensor).resize_(0)
    storage_of(tensor).resize_(kept.numel() * kept.element_size())
    tensor.copy_(kept)


def send_to_a_process(tensor):
    reduction.ForkingPickler.dumps(tensor)  # torch.multiprocessing has said how


def resized_and_back(tensor):
    shape = tensor.shape
    tensor.resize_(1 << 20)
    tensor.resize_(shape)


MOVES = [share_memory, set_data, set_to_another, larger_storage, away_and_back, send_to_a_process, resized_and_back]
NAMES = ["x", "scales", "zero_points", "y"]


def tensors(numbers):
    x = torch.from_numpy(numbers((4, 6))).clone()  # in a storage of torch's, which can be resized
    return {
        "x": x,
        "scales": torch.linspace(0.25, 2, 6),
        "zero_points": torch.arange(6, dtype=torch.float32),
        "y": torch.zeros((4, 6), dtype=torch.int8),
    }


def right(arrays):
    x, scales, zero_points = (arrays[name].numpy() for name in NAMES[:3])
    return reference.quantize(x, scales, zero_points)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("move", MOVES)
def test_a_plan_finds_a_tensor_that_moved(context, numbers, move, name):
    """Whichever it is: the plan reads and writes where it is now, and goes on doing so."""
    arrays = tensors(numbers)
    rest = dict(arrays)
    plan = clquant.plan(clquant.quantize, out=rest.pop("y"), **rest, context=context)
    plan()
    move(arrays[name])
    for _ in range(2):
        arrays["x"].mul_(-0.5)
        arrays["scales"].mul_(2)
        arrays["zero_points"].add_(1)
        arrays["y"].zero_()
        assert plan() is arrays["y"]
        np.testing.assert_array_equal(arrays["y"].numpy(), right(arrays))


@pytest.mark.parametrize("move", MOVES)
def test_a_view_finds_a_tensor_that_moved(context, numbers, move):
    arrays = tensors(numbers)
    views = {name: clquant.view(array, context=context) for name, array in arrays.items()}
    rest = dict(views)
    plan = clquant.plan(clquant.quantize, out=rest["y"], **{name: rest[name] for name in NAMES[:3]})
    for array in arrays.values():
        move(array)
    arrays["x"].mul_(-0.5)
    arrays["y"].zero_()
    np.testing.assert_array_equal(views["x"].numpy(), arrays["x"].numpy())
    np.testing.assert_array_equal(clquant.to_device(views["x"]).numpy(), arrays["x"].numpy())
    np.testing.assert_array_equal(np.from_dlpack(views["x"]), arrays["x"].numpy())
    assert clquant.quantize(views["x"], views["scales"], views["zero_points"], out=views["y"]) is views["y"]
    np.testing.assert_array_equal(arrays["y"].numpy(), right(arrays))
    arrays["y"].zero_()
    assert plan() is views["y"]
    np.testing.assert_array_equal(arrays["y"].numpy(), right(arrays))


@pytest.mark.parametrize("move", [share_memory, set_data, set_to_another])
def test_a_plan_finds_packed_bytes_that_moved(context, numbers, move):
    """Tensors that know what their bytes hold are asked as all others are."""
    q = clquant.quantize(torch.from_numpy(numbers((4, 6))), 2.0, dtype="int4", context=context)
    plan = clquant.plan(clquant.dequantize, q, 2.0, context=context)
    move(q)
    q.bitwise_xor_(0x11)
    right = reference.dequantize(reference.unpack(q.numpy()), 2.0)
    np.testing.assert_array_equal(plan().numpy(), right)


def test_all_layers_find_tensors_that_moved(context, numbers):
    layers = [tensors(numbers) for _ in range(3)]
    plans = [
        clquant.plan(clquant.quantize, layer["x"], layer["scales"], layer["zero_points"], out=layer["y"], context=context)
        for layer in layers
    ]
    for move, layer in zip(MOVES, layers, strict=False):
        for name in NAMES:
            move(layer[name])
    for _ in range(2):
        for layer in layers:
            layer["x"].mul_(-0.5)
            layer["y"].zero_()
        clquant.enqueue_all(plans)
        for layer in layers:
            np.testing.assert_array_equal(layer["y"].numpy(), right(layer))
    layers[1]["x"].data = layers[1]["x"].half()
    with pytest.raises(ValueError, match=r"plans\[1\]: x: an array was torch.float32"):
        clquant.enqueue_all(plans)


def test_a_module_that_moves(context, numbers):
    """The weights of a module that is shared, and of one that becomes another type, which no plan is for."""
    module = torch.nn.Linear(6, 4)
    plan = clquant.plan(clquant.quantize, module.weight, 0.01, context=context)
    module.share_memory()
    module.weight.data.mul_(2)
    np.testing.assert_array_equal(plan().numpy(), reference.quantize(module.weight.detach().numpy(), 0.01))
    module.half()
    with pytest.raises(ValueError, match=r"x: an array was torch.float32 \(4, 6\) .* and is torch.float16 \(4, 6\)"):
        plan()
    module.float()
    np.testing.assert_array_equal(plan().numpy(), reference.quantize(module.weight.detach().numpy(), 0.01))


@pytest.mark.parametrize(
    ("change", "becomes"),
    [
        (lambda x: x.resize_(400, 60), r"torch.float32 \(400, 60\)"),
        (lambda x: x.resize_(2, 6), r"torch.float32 \(2, 6\)"),
        (lambda x: x.t_(), r"torch.float32 \(6, 4\) with strides \(1, 6\)"),
        (lambda x: x.set_(torch.ones(3)), r"torch.float32 \(3,\)"),
        (lambda x: setattr(x, "data", x.data.bfloat16()), r"torch.bfloat16 \(4, 6\)"),
        (lambda x: setattr(x, "data", x.data.view(torch.int32)), r"torch.int32 \(4, 6\)"),
    ],
)
def test_a_tensor_that_became_another_is_refused(context, numbers, change, becomes):
    arrays = tensors(numbers)
    x, y = arrays["x"], arrays["y"]
    view, plan = clquant.view(x, context=context), clquant.plan(clquant.quantize, x, 0.5, out=y, context=context)
    change(x)
    for call in (plan, lambda: clquant.quantize(view, 0.5, out=y)):
        with pytest.raises(ValueError, match=rf"x: an array was torch.float32 \(4, 6\) .* and is {becomes}"):
            call()
    with pytest.raises(ValueError, match=becomes):
        view.numpy()
    assert not y.any()
    other = torch.ones((4, 6))
    plan(x=other)
    assert (y == 2).all()


@pytest.mark.parametrize("begin", [0, 8])
def test_a_storage_that_is_gone_is_refused(context, begin):
    x, y = torch.ones(64)[begin:], torch.zeros(64 - begin, dtype=torch.int8)
    plan = clquant.plan(clquant.quantize, x, 0.5, out=y, context=context)
    for size in (0, 16):
        storage_of(x).resize_(size)
        for call in (plan, lambda: clquant.quantize(x, 0.5, out=y, context=context)):
            with pytest.raises(ValueError, match=r"x: a tensor of torch has a storage of \d+ bytes .* it needs \d+"):
                call()
    assert not y.any()


def test_an_array_that_numpy_resizes(context, numbers):
    x = np.array(numbers((4, 6)))
    out = np.zeros((4, 6), np.int8)
    plan, view = clquant.plan(clquant.quantize, x, 0.5, out=out, context=context), clquant.view(x, context=context)
    x.resize((1 << 10, 1 << 10), refcheck=False)
    for call in (plan, lambda: clquant.quantize(view, 0.5, out=out), view.numpy):
        with pytest.raises(ValueError, match=r"an array was float32 \(4, 6\) .* and is float32 \(1024, 1024\)"):
            call()
    assert not out.any()
    x.resize((4, 6), refcheck=False)
    np.testing.assert_array_equal(plan(), reference.quantize(x, 0.5))
    np.testing.assert_array_equal(clquant.quantize(view, 0.25), reference.quantize(x, 0.25))
    x.shape = (6, 4)
    with pytest.raises(ValueError, match=r"and is float32 \(6, 4\)"):
        plan()
    packed = np.array(np.ones((4, 6), np.int8).astype(ml_dtypes.int4))
    back = clquant.plan(clquant.dequantize, packed, 0.5, context=context)
    packed.resize((4, 8), refcheck=False)
    with pytest.raises(ValueError, match=r"q: an array was int4 \(4, 6\)"):
        back()


def test_a_view_reads_the_array_itself(context, numbers):
    """Also where no call has given the device its bytes."""
    x = numbers((4, 6))
    view = clquant.view(x[:, ::2], context=context)
    np.testing.assert_array_equal(view.numpy(), x[:, ::2])
    x += 1
    np.testing.assert_array_equal(view.numpy(), x[:, ::2])
    elements = np.arange(-8, 8).reshape(2, 8).astype(np.int8)
    packed = clquant.view(elements.astype(ml_dtypes.int4), context=context).numpy()
    np.testing.assert_array_equal(reference.unpack(packed), elements)
    view = clquant.view(elements.astype(ml_dtypes.int4), context=context)
    foreign = type("Foreign", (), {"__dlpack__": lambda self: view.__dlpack__()})()
    np.testing.assert_array_equal(clquant.dequantize(foreign, 1.0, context=context), elements)


def test_a_buffer_that_is_released(numbers):
    """Views and plans take part in keeping it; an array of pyopencl with another one is asked."""
    pyopencl = pytest.importorskip("pyopencl")
    from pyopencl.array import to_device

    queue = pyopencl.CommandQueue(pyopencl.create_some_context(interactive=False))
    x, other = numbers((4, 6)), numbers((4, 6))
    seen, planned, bound = (to_device(queue, each) for each in (x, x, other))
    scales, made = to_device(queue, np.float32([0.5])), to_device(queue, np.zeros((4, 6), np.int8))
    view, plan = clquant.view(seen), clquant.plan(clquant.quantize, planned, scales, out=made)

    def release(array):
        array.base_data.release()
        for _ in range(8):
            pyopencl.Buffer(queue.context, pyopencl.mem_flags.READ_WRITE, x.nbytes)

    release(seen)
    release(planned)
    np.testing.assert_array_equal(clquant.quantize(view, scales).get(), reference.quantize(x, 0.5))
    np.testing.assert_array_equal(plan().get(), reference.quantize(x, 0.5))
    plan(x=bound)
    release(bound)
    np.testing.assert_array_equal(plan().get(), reference.quantize(other, 0.5))
    for array in (seen, bound):
        array.base_data = to_device(queue, x + 1).base_data
    np.testing.assert_array_equal(plan().get(), reference.quantize(x + 1, 0.5))
    np.testing.assert_array_equal(clquant.quantize(view, scales).get(), reference.quantize(x + 1, 0.5))
