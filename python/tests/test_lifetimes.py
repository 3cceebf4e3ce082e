# SPDX-License-Identifier: Apache-2.0
"""What lives how long: use at exit, in finalizers, cycles and threads; copies; children of fork."""

import copy
import gc
import pickle

import numpy as np
import pytest
import reference
from processes import run

import clquant
from clquant import _handles, _opencl

# An object that is used by whatever comes last, and each of the objects that hold something of C.
START = """
import atexit, copy, gc, os, sys, threading, time, weakref, numpy as np, clquant
x = np.ones((8, 8), np.float32)
class Kept:
    def __init__(self):
        self.context = clquant.Context()
        self.tensor = clquant.to_device(x, context=self.context)
        self.view = clquant.view(x, context=self.context)
        self.plan = clquant.plan(clquant.quantize, self.tensor, 0.5)
        self.report, self.room = clquant.Report(self.context), clquant.Workspace(64, self.context)
        self.events = []
        self.plan(events=self.events)
        self.me = self
    def use(self):
        assert (self.plan().numpy() == 2).all()
        assert (clquant.quantize(self.view, .5) == 2).all()
        assert (clquant.quantize(self.tensor, .5, context=self.context).numpy() == 2).all()
        assert self.report.read().dropped == 0
        self.events[0].wait()
        self.context.finish()
        print("used", flush=True)
"""


@pytest.mark.parametrize(
    "script",
    [
        "atexit.register(clquant.quantize, x, .5); clquant.quantize(x, .5); print('used')",
        "atexit.register(Kept().use)",
        "kept = Kept(); atexit.register(lambda: kept.use())",
        "kept = Kept(); weakref.finalize(kept, Kept().use); kept = None; gc.collect()",
        "class Last: pass\nlast = Last(); weakref.finalize(last, Kept().use)",
    ],
)
def test_used_at_exit(script):
    """Whenever the use was registered, before or after the first context was made."""
    assert run(START + script) == (0, "used\n", "")


@pytest.mark.parametrize("collect", ["kept = None; gc.collect()", "sys.kept = kept", "pass"])
@pytest.mark.parametrize("last", [False, True])
def test_used_by_finalizers_of_a_cycle(last, collect):
    """All that the cycle holds is still there, whichever finalizer runs first. At the end of all, modules may be gone."""
    script = """
class Last:
    def __init__(self, kept): self.kept = kept
    def __del__(self): self.kept.use()
kept = Kept()
kept.last = Last(kept)
"""
    script = START + (script if last else "Kept.__del__ = Kept.use\nkept = Kept()\n") + collect
    code, said, wrong = run(script)
    assert code == 0
    if collect == "kept = None; gc.collect()":
        assert (said, wrong) == ("used\n", "")


def test_used_by_threads_that_the_end_cuts_off():
    """Of daemon threads, wherever they are at the end."""
    script = """
def forever(kept):
    while True:
        kept.plan(); clquant.quantize(kept.view, .5); clquant.quantize(x, .5)
for _ in range(3):
    threading.Thread(target=forever, args=(Kept(),), daemon=True).start()
time.sleep(.2)
"""
    for _ in range(5):
        assert run(START + script) == (0, "", "")


def test_interrupted_by_signals_wherever_a_call_is():
    """What a handler raises is never lost, for nothing of Python runs where an exception would be; and no object stays."""
    script = """
import ctypes, random, signal
from clquant import _context, _handles, _library
def interrupt(*_):
    global count
    count += 1
    raise KeyboardInterrupt
clquant.dequantize(clquant.dynamic_quantize(x, dtype="int4"))
gc.collect()
context = clquant._context.default_context()
def objects(): # each of OpenCL's keeps the context
    number = ctypes.c_uint()
    assert not clGetContextInfo(context.int_ptr, 0x1080, 4, ctypes.addressof(number), None)
    return number.value
clGetContextInfo = clquant._library.function("clGetContextInfo", ctypes.c_int, *[ctypes.c_void_p] * 5)
alive, made, lost, late, count, chance = len(_handles._ends), objects(), 0, [], 0, random.Random(20)
sys.unraisablehook = late.append
signal.signal(signal.SIGALRM, interrupt)
def calls(before): # Python 3.13 has the jump of a loop outside of the try that the loop is in
    while count == before:
        clquant.dequantize(clquant.dynamic_quantize(x, dtype="int4"))
for _ in range(1500):
    try:
        signal.setitimer(signal.ITIMER_REAL, chance.uniform(2e-5, 8e-4))
        calls(count)
        lost += 1
    except KeyboardInterrupt:
        pass
gc.collect()
print(count, lost, len(late), len(_handles._ends) - alive, objects() - made)
"""
    assert run(START + script) == (0, "1500 0 0 0 0\n", "")


def test_what_ends_a_handle_takes_no_part_in_cycles(context):
    """The collector of cycles does not know it, and so it ends behind all finalizers."""
    report, events = clquant.Report(context), []
    clquant.quantize(clquant.to_device(np.ones(4, np.float32), context=context), 0.5, events=events)
    plan = clquant.plan(clquant.quantize, np.ones(4, np.float32), 0.5, context=context)
    for handle in (context.handle, context.queue, report.int_ptr, events[0].int_ptr, plan._handle):
        assert isinstance(handle, _handles.Handle)
        assert not gc.is_tracked(handle._life)


def test_what_a_plan_was_made_on_is_let_go():
    """The queue, a buffer and the context are kept by those who use them."""
    pyopencl = pytest.importorskip("pyopencl")
    own = pyopencl.create_some_context(interactive=False)
    queue, mem = pyopencl.CommandQueue(own), pyopencl.Buffer(own, pyopencl.mem_flags.READ_WRITE, 64)
    pyopencl.enqueue_copy(queue, mem, np.full(16, 3, np.float32))
    room = pyopencl.Buffer(own, pyopencl.mem_flags.READ_WRITE, 16)
    pyopencl.enqueue_fill_buffer(queue, room, np.zeros(1, np.uint8), 0, 16).wait()
    context = clquant.Context(queue.device, context=own)
    x = clquant.Tensor(mem, "float32", (2, 8), context=context)
    cache = clquant.to_device(np.zeros((1, 4, 8), np.int8), context=context)
    places = clquant.to_device(np.zeros((2, 2), np.int64), context=context)
    updates = clquant.Tensor(mem, "float32", (2, 1, 8), context=context)
    plans = [
        clquant.plan(clquant.quantize, x, 1.0, queue=queue),
        clquant.plan(clquant.quantize_scatter, cache, places, updates, 1.0, axis=1, report=room, queue=queue),
    ]
    mem.release()
    room.release()
    del queue, mem, room, context, own, x, updates
    gc.collect()
    for plan in plans:
        made = plan()
        _opencl.finish(plan._queue)
        assert (made.numpy().reshape(-1, 8)[0] == 3).all()


def test_copies(context, numbers):
    """A tensor's deep copy is another tensor; a context is shared; a plan is not copied."""
    x = numbers((4, 6))
    there, view = clquant.to_device(x, context=context), clquant.view(x[:, ::2], context=context)
    plan, report = clquant.plan(clquant.quantize, there, 0.5), clquant.Report(context)
    room, events = clquant.Workspace(64, context), []
    plan(events=events)
    for thing in (context, events[0], there, view, plan, report, room, there.mem):
        assert copy.copy(thing) is thing
        with pytest.raises(TypeError, match=rf"a clquant.{type(thing).__name__} belongs to this process .* cannot be pickled"):
            pickle.dumps(thing)
    for thing in (context, events[0], there.mem):
        assert copy.deepcopy(thing) is thing
    with pytest.raises(TypeError, match=r"make another by clquant\.plan"):
        copy.deepcopy(plan)
    assert copy.deepcopy(room).int_ptr != room.int_ptr
    cache = np.zeros((1, 4, 6), np.int8)
    clquant.quantize_scatter(cache, np.array([9]), x[:1, None], 0.5, axis=1, report=report, context=context)
    other = copy.deepcopy(report)
    report.clear()
    assert (other.read().dropped, report.read().dropped) == (1, 0)


@pytest.mark.parametrize("cut", [np.s_[:, :], np.s_[1:, 1::2], np.s_[:0]], ids=str)
def test_deep_copies_of_tensors(context, numbers, cut):
    """They have memory of their own, and what shares an array shares its copy."""
    x = numbers((4, 6))
    part = x[cut]
    whole, steps = clquant.to_device(x, context=context), tuple(step // 4 for step in part.strides)
    there = clquant.Tensor(whole.mem, "float32", part.shape, steps, part.ctypes.data - x.ctypes.data, context=context)
    view = clquant.view(part, context=context)
    other, (seen, held) = copy.deepcopy(there), copy.deepcopy((view, part))
    assert seen.array is held
    right = part.copy()
    x[:] = 7
    _opencl.write_buffer(context.queue, whole.mem, 0, x.nbytes, x.ctypes.data)
    np.testing.assert_array_equal(other.numpy(), right)
    np.testing.assert_array_equal(held, right)
    np.testing.assert_array_equal(clquant.quantize(seen, 0.5), reference.quantize(right, 0.5))


FORK = """
clquant.quantize(x, .5)
kept = Kept()
tries = {
    "a call": lambda: clquant.quantize(x, .5),
    "a plan": kept.plan,
    "a context": clquant.Context,
    "devices": clquant.devices,
    "a report": lambda: kept.report.read(),
    "a view": lambda: clquant.view(x),
    "an event": lambda: kept.events[0].wait(),
    "a copy": lambda: copy.deepcopy(kept.tensor),
    "numpy": lambda: kept.tensor.numpy(),
}
"""


def test_a_child_of_fork():
    """Every call is refused by a sentence, and the child ends, by either way."""
    script = """
for leave in (os._exit, sys.exit):
    child = os.fork()
    if not child:
        refused = 0
        for name, what in tries.items():
            try: what()
            except RuntimeError as error: refused += "child of fork" in str(error)
        kept = what = tries = None
        gc.collect()
        leave(0 if refused == 9 else 1)
    assert os.waitpid(child, 0)[1] == 0
kept.use()
"""
    assert run(START + FORK + script) == (0, "used\n", "")


def test_a_child_of_fork_that_is_the_first_to_call():
    script = """
child = os.fork()
if not child:
    clquant.quantize(x, .5)
    sys.exit()
assert os.waitpid(child, 0)[1] == 0
clquant.quantize(x, .5)
"""
    assert run(START + script) == (0, "", "")


@pytest.mark.parametrize("of_torch", [False, True])
def test_used_when_nothing_can_be_imported(of_torch):
    """Finalizers that the end of the process runs last, behind all modules: of numpy, of the device and of torch."""
    if of_torch:
        pytest.importorskip("torch")
    script = """
kept = clquant.to_device(x)
quantize, to_device = clquant.quantize, clquant.to_device
class Last:
    def __del__(self):
        assert quantize(x, .5).tolist() == [[2] * 8] * 8
        quantize(x, .5, dtype="int4")
        assert to_device(x).numpy().tolist() == [[1] * 8] * 8
        quantize(kept, .5, dtype="int4").numpy()
        kept.__dlpack__(dl_device=(1, 0))
        TORCH
        print("used", flush=True)
sys.modules["last"] = type(sys)("last")
sys.modules["last"].last = Last()
"""
    if of_torch:
        script = "import torch\nrow, out = torch.ones(2, 8), torch.zeros(2, 8, dtype=torch.int8)\n" + script
        script += "quantize(row, .5)\n"
    use = "quantize(row, .5, out=out); quantize(row, .5, dtype='int4'); assert out.tolist() == [[2] * 8] * 2"
    assert run(START + script.replace("TORCH", use if of_torch else "pass")) == (0, "used\n", "")
