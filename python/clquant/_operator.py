# SPDX-License-Identifier: Apache-2.0
"""Operators: the one description of each, and what is done with any of them.

A module of ``operators/`` has a description and a function, whose options beyond its own arguments are fields of the C
descriptor, which the library describes. From the description come the struct, the views of arrays, the values of options, and
plans, checks and builds of the same call.
"""

from __future__ import annotations

import ctypes
import functools
import inspect
import math
import re
from collections.abc import Callable, Collection, Mapping, MutableSequence, Sequence
from typing import Any, NamedTuple, TypeAlias, TypedDict

from . import _opencl as cl
from ._call import Call, begin, enqueue
from ._context import Context, context_of_queue, default_context, given_context
from ._dtypes import BY_NAME, DType, dtype_of, type_name
from ._fields import Buffer, Choice, Input, Option, Output, Reserved, field_of
from ._keywords import F, only_its_keywords
from ._library import COUNT, POINTER, SIZE, STATUS, check, function, rows_of, version
from ._quantized import refuse_offsets
from ._tensor import Tensor, outline
from ._types import ElementTypeLike
from .arrays import Adapter, adapter_of, may_write, new_tensor, with_floats

# numpy's, pyopencl's or torch's array, whatever has __dlpack__, or a Tensor: no type is common to them.
Array: TypeAlias = Any


class Run(TypedDict, total=False):
    """Where and when a call runs: the keywords that every operator has."""

    context: Context | None  # None: that of the arrays, else the default one
    queue: Any  # a pyopencl.CommandQueue or an address; None: that of the arrays, else the context's
    wait_for: Sequence[Any] | None  # events before it: of pyopencl, of clquant, or addresses
    events: MutableSequence[Any] | None  # the call's event is appended
    verb: Callable[[Call], Any]  # what to do with the call; clquant.plan and the like give it


class New(NamedTuple):
    """An output that is to be made: its type, or the tensor whose type it has, and its shape in elements.

    ``zeros``: the call may leave a part of it out, and nobody is to find there what was in that memory before.
    """

    dtype: ElementTypeLike | None
    shape: Callable[[dict[str, Tensor]], tuple[int, ...]]
    as_input: str = ""
    zeros: bool = False


# Outputs of more bytes are made behind a check of the call: one that is refused makes none, whatever its sizes are.
_LARGE = 1 << 20

# By the type that holds them, what an array may hold whose type says nothing else.
_PACKED = {"uint8": ("int4", "q8_0", "q4_0", "q4_1", "q5_0"), "int8": ("int4",), "int32": ("int4_words",)}

# Types whose values stay what they are, so that what they mean for a descriptor is found once.
_CONSTANTS = frozenset((bool, int, float, str, type(None)))


class Operator:
    """A description: the operator's name, and the fields of its descriptor, as the library has them (clquant/options.h)."""

    def __init__(
        self,
        name: str,
        *,
        floats: Collection[str] = (),  # inputs for which whole numbers are floats
        result: Callable[..., Any] | None = None,
        how: dict[str, str] | None = None,  # by the result's names, the options that it keeps
    ) -> None:
        rows = rows_of(name)
        fields = [field_of(row, floats) for row in rows]
        members = [member for field in fields for member in field.members()]
        self.name = name
        self.result = result
        self._how = how or {}
        self.struct: type[ctypes.Structure] = type(f"clq_{name}_desc", (ctypes.Structure,), {"_fields_": members})
        if any(getattr(self.struct, field.name).offset != row.offset_bytes for field, row in zip(fields, rows, strict=True)):
            raise ImportError(f"{name}: the package and the library, of version {version()}, do not belong together")
        self._help = {row.name.decode(): row.help.decode() for row in rows}
        self.tensors = tuple(field.name for field in fields if isinstance(field, Input))
        self.outputs = tuple(field.name for field in fields if isinstance(field, Output))
        self.buffers = {field.name: field.values for field in fields if isinstance(field, Buffer)}
        self.fields = tuple(fields)
        self.unset = {field.name: field.unset for field in fields if not isinstance(field, (Output, Reserved))}
        self.options = tuple(field for field in fields if isinstance(field, (Option, Choice)))
        self._known = functools.lru_cache(maxsize=256, typed=True)(self._described)
        self._required = frozenset(field.name for field in fields if isinstance(field, Input) and not field.optional)
        self._floats = frozenset(field.name for field in fields if isinstance(field, Input) and field.floats)
        self._words = {word: field.name for field in fields if isinstance(field, Choice) for word in field.words}
        desc = (POINTER, POINTER)
        waits = (COUNT, POINTER)
        self.run = function(f"clq_{name}", STATUS, POINTER, *desc, *waits, POINTER)
        self.build = function(f"clq_{name}_build", STATUS, *desc)
        self.check = function(f"clq_{name}_check", STATUS, POINTER)
        self.plan = function(f"clq_{name}_plan", STATUS, *desc, POINTER)
        self._optional = {
            "check_indices": (STATUS, POINTER, *desc, *waits),
            "workspace": (STATUS, *desc, POINTER),
        }

    def function(self, options: Any) -> Callable[[F], F]:
        """Make a function that of this operator: it takes no keyword but those of ``options``, which are Run's too.

        What its own signature and docstring lack of them is added, by the rows of the library.
        """

        def decorate(of: F) -> F:
            keywords = sorted(options.__annotations__, key=Run.__annotations__.__contains__)  # Run's last
            made = only_its_keywords(self._words, keywords)(of)
            made.__dict__["operator"] = self
            made.__dict__["__signature__"] = self._signature(of, options)
            made.__doc__ = self._documented(of.__doc__ or "", options)
            return made

        return decorate

    def _signature(self, of: Callable[..., Any], options: Any) -> inspect.Signature:
        *own, run = inspect.signature(of).parameters.values()
        named = {each.name for each in own}
        more = [
            inspect.Parameter(name, run.KEYWORD_ONLY, default=self.unset[name], annotation=kind.__forward_arg__)
            for name, kind in options.__annotations__.items()
            if name not in named and name in self.unset
        ]
        return inspect.Signature([*own, *more, run])

    def _documented(self, text: str, options: Any) -> str:
        lines = [
            f"        {name}: {self._help[name]}.\n"
            for name in options.__annotations__
            if name in self._help and f"\n        {name}: " not in text
        ]
        return text.replace("        **run: ", "".join(lines) + "        **run: ", 1)

    def given(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values of the operator's own options, also of those that are left out."""
        return self.unset | {name: options[name] for name in self.unset.keys() & options.keys()}

    def optional(self, what: str) -> Callable[..., int]:
        """Return a function that not every operator has."""
        try:
            return function(f"clq_{self.name}_{what}", *self._optional[what])
        except ImportError:
            raise ValueError(f"{self.name} has no {what}") from None

    def call(self, run: Mapping[str, Any], like: Array, *, types: dict[str, tuple[str, Any]] | None = None, **given: Any) -> Any:
        """Do with the given arguments, a field's by its name, what ``run`` says: by default, enqueue them.

        What is not given is in ``run`` too, or left out.

        ``types``: of outputs that are given, the argument that names a type beside them, and that type.
        """
        given = self.given(run) | given
        call = Call()
        call.desc = self._desc_of(given)
        call.operator = self
        call.events = run.get("events")
        call.context, call.queue = self._place(run, given)
        call.tensors, call.outputs = {}, {}
        call.buffers = {name: given[name] for name in self.buffers}
        call.how = {name: given[option] for name, option in self._how.items()}
        call.waits = run.get("wait_for") or ()
        call.made = {name for name in self.outputs if isinstance(given[name], New)}
        self._see(call, given)
        for name, (argument, dtype) in (types or {}).items():
            held = call.tensors[name].dtype
            if dtype_of(dtype, argument).element != held.element:
                raise ValueError(
                    f"{argument} is {type_name(dtype)}: out has {name} of {held.name}: leave it out, or give the same"
                )
        call.address = ctypes.addressof(call.desc)
        try:
            self._make(call, like, given)
            call.settle()
            for name, tensor in call.tensors.items():
                setattr(call.desc, name, tensor.address)
            return run.get("verb", enqueue)(call)
        except ValueError as error:
            raise ValueError(f"{error}{self._remedy(str(error), given) or self._packed(call, given)}") from None

    def _desc_of(self, given: dict[str, Any]) -> ctypes.Structure:
        """Return a descriptor with all that is no tensor."""
        values = [given[field.name] for field in self.options]
        described = self._known if _CONSTANTS.issuperset(map(type, values)) else self._described
        desc = self.struct.from_buffer_copy(described(*values))
        for name, values_of in self.buffers.items():
            if given[name] is not None:
                mem, offset_bytes = values_of(given[name])
                setattr(desc, name, mem)
                setattr(desc, f"{name}_offset_bytes", offset_bytes)
        return desc

    def _described(self, *options: Any) -> ctypes.Structure:
        """Return a descriptor with the values of options."""
        desc = self.struct()
        for field, given in zip(self.options, options, strict=True):
            setattr(desc, field.name, field.value(given))
        return desc

    @staticmethod
    def _remedy(sentence: str, given: dict[str, Any]) -> str:
        """Say how an array becomes one that is taken: of a type that is, or with indices of its first dimension."""
        first = re.match(r"axis is (0|-\d+): it must be .*, any of the (\d+) dimensions of (\w+) but the first", sentence)
        if first is not None and int(first[1]) in (0, -int(first[2])):
            return f": indices of the first one are slots of {first[3]}[None], with axis=1 and index_kind='slots'"
        found = re.match(r"(\w+)\.dtype is \w+: it must be .*?\b(float32|int64)\b", sentence)
        kind = type(given.get(found[1])).__module__.partition(".")[0] if found else ""
        if found is None or kind not in ("numpy", "torch", "pyopencl"):
            return ""
        name, to = found.groups()
        return f": {name}.to(torch.{to})" if kind == "torch" else f": {name}.astype(np.{to})"

    def _packed(self, call: Call, given: dict[str, Any]) -> str:
        """Say how bytes become the elements that they hold, where the call is right with them: files do not keep their types."""
        for name in {"q", "cache"} & call.tensors.keys():
            value, held = given[name], call.tensors[name].dtype
            for kind in _PACKED.get(held.name, ()) if hasattr(value, "dtype") else ():
                inputs = {each: tensor for each, tensor in call.tensors.items() if each not in call.made}
                if BY_NAME[kind].is_block and name == "q":
                    call.desc.mode = 2  # dynamic, as it is of such blocks where nothing is said
                try:
                    inputs[name] = adapter_of(type(value)).view(value, call.context, kind)
                    self._check(call, inputs, self._news(inputs, given))
                except (TypeError, ValueError):
                    continue
                return f"; {name} fits as {kind}: if it holds that, give clquant.view({name}, {kind!r})"
        return ""

    def _place(self, run: Mapping[str, Any], given: dict[str, Any]) -> tuple[Context, int]:
        """Find the context and the queue: as given, else those of the first tensor that has them."""
        context, queue = given_context(run.get("context")), run.get("queue")
        handle = None if queue is None else cl.handle_of(queue, "queue")
        for name in self.tensors:
            value = given[name]
            if context is not None and handle is not None:
                break
            if isinstance(value, Tensor):
                context = context or value.context
                value = value.array
            if value is None or isinstance(value, New):
                continue
            adapter = _adapter_of(name, value)
            context = context or adapter.context_of(value, queue)
            handle = handle or adapter.queue_of(value)
        if context is None:
            context = default_context() if queue is None else context_of_queue(queue)
        return context, handle or context.queue

    def _see(self, call: Call, given: dict[str, Any]) -> None:
        """See each array as a tensor."""
        for name in self.tensors:
            value = given[name]
            if value is None and name in self._required:
                raise TypeError(f"{name} is None: it must be an array")
            if value is None or isinstance(value, New):
                continue
            if name == "zero_points":
                refuse_offsets(name, value)
            call.tensors[name] = self.see(name, value, call.context)
            if name in self.outputs:
                call.outputs[name] = value

    def see(self, name: str, value: Array, context: Context) -> Tensor:
        """See an array, or a tensor, as the tensor of a name."""
        try:
            if isinstance(value, Tensor):
                tensor = value.current()
            else:
                value = with_floats(value) if name in self._floats else value
                tensor = adapter_of(type(value)).view(value, context)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None
        except TypeError as error:
            raise TypeError(f"{name}: {error}") from None
        if name in self.outputs:
            may_write(name, tensor)
        if tensor.read_only and name in self.outputs:
            raise ValueError(f"{name} is read-only: it must be an array that can be written")
        return tensor

    def _news(self, tensors: dict[str, Tensor], given: dict[str, Any]) -> dict[str, tuple[New, tuple[int, ...], DType]]:
        """Return the shapes and types of the outputs that are not there."""
        made = {}
        for name in self.outputs:
            new = given[name]
            if isinstance(new, New):
                dtype = tensors[new.as_input].dtype if new.as_input else dtype_of(new.dtype)
                made[name] = new, dtype.stored_shape(new.shape(tensors)), dtype
        return made

    def _check(self, call: Call, tensors: dict[str, Tensor], made: dict[str, tuple[New, tuple[int, ...], DType]]) -> None:
        """Check a call of these tensors, and of outputs that are only to be made. Its descriptor is theirs then."""
        outlines = {name: outline(name, shape, dtype) for name, (_, shape, dtype) in made.items()}
        for name, tensor in tensors.items():
            setattr(call.desc, name, tensor.address)
        for name, view in outlines.items():
            setattr(call.desc, name, ctypes.addressof(view))
        check(self.check(call.address))

    def _make(self, call: Call, like: Array, given: dict[str, Any]) -> None:
        """Make the outputs that are not there, of the kind that ``like`` is."""
        made = self._news(call.tensors, given)
        if any(math.prod(shape) * dtype.element_bytes > _LARGE for _, shape, dtype in made.values()):
            self._check(call, call.tensors, made)
        beside = like.array if isinstance(like, Tensor) else like
        for name, (new, shape, dtype) in made.items():
            if beside is None:
                tensor = new_tensor(shape, dtype, call.context, zeros=new.zeros)
                call.outputs[name] = tensor
            else:
                adapter = adapter_of(type(beside))
                array = call.outputs[name] = adapter.new(beside, shape, dtype, call.queue, zeros=new.zeros)
                tensor = adapter.view(array, call.context, dtype)
            call.tensors[name] = tensor


def _adapter_of(name: str, array: Array) -> Adapter:
    try:
        return adapter_of(type(array))
    except TypeError as error:
        raise TypeError(f"{name}: {error}") from None


def ask(function: Callable[..., Any], args: Sequence[Any], options: dict[str, Any], verb: Callable[[Call], Any]) -> Any:
    """Do with the call of an operator what a verb does."""
    of = function
    while isinstance(of, functools.partial):
        of = of.func
    if not isinstance(getattr(of, "operator", None), Operator):
        raise TypeError(f"function is {function!r}: it must be an operator, such as clquant.quantize")
    return function(*args, **options, verb=verb)


def build(function: Callable[..., Any], /, *args: Any, **options: Any) -> None:
    """Check a call and build the kernels that it needs, so that no later call waits for a compiler.

        clquant.build(clquant.quantize, x, scales, dtype="int4")

    Nothing is enqueued. Raises what the operator's call would.
    """

    def verb(call: Call) -> None:
        check(call.operator.build(call.context.handle, call.address))

    ask(function, args, options, verb)


def check_indices(function: Callable[..., Any], /, *args: Any, **options: Any) -> None:
    """Read the indices of a call back and check them. Nothing is written.

        clquant.check_indices(clquant.quantize_scatter, cache, indices, updates, scales)

    Raises IndexError, which names the lowest wrong entry and says why: it is wrong outside of its range, whatever
    ``out_of_range`` would make of it. ValueError where the operator or the call has no indices.
    """

    def verb(call: Call) -> None:
        run = call.operator.optional("check_indices")
        count, handles = begin([call], call.waits)
        check(run(call.context.handle, call.queue, call.address, count, handles))

    ask(function, args, options, verb)


def workspace_bytes(function: Callable[..., Any], /, *args: Any, **options: Any) -> int:
    """Return the bytes of ``workspace`` that a call would use; 0 for most. Without one, a buffer is made for each call."""

    def verb(call: Call) -> int:
        run = call.operator.optional("workspace")
        size = SIZE()
        check(run(call.context.handle, call.address, ctypes.addressof(size)))
        return int(size.value)

    size: int = ask(function, args, options, verb)
    return size
