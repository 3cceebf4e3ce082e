# SPDX-License-Identifier: Apache-2.0
"""The shared library: where it is, its functions, and whether its structs are those that stand here."""

from __future__ import annotations

import ctypes
import functools
import os
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ._errors import error_of
from ._sentences import in_python
from ._structs import Binding, ContextDesc, OptionRow, PlanCall, ReportCounts

_LOADER = "libOpenCL.so"


def _load() -> ctypes.CDLL:
    named = os.environ.get("CLQUANT_LIBRARY")
    path = Path(named) if named else Path(__file__).with_name("libclquant.so")
    try:
        return ctypes.CDLL(str(path))
    except OSError as error:
        if _LOADER in str(error):
            raise ImportError(
                f"clquant needs the system's OpenCL loader (Debian: apt install ocl-icd-libopencl1) "
                f"and a driver (Debian, for CPUs: pocl-opencl-icd): {error}"
            ) from None
        origin = "CLQUANT_LIBRARY names" if named else "the package should hold"
        raise ImportError(f"{origin} the library {path}: {error}") from None


_handle = _load()


class _Function:
    """What the functions of C have in common."""

    __slots__ = ()


@functools.cache
def _prototype(result: Any, *arguments: Any) -> Any:
    plain: Any = ctypes.CFUNCTYPE(result, *arguments)
    fields = {"_flags_": plain._flags_, "_argtypes_": arguments, "_restype_": result}
    return type(plain)("Function", (_Function, plain), fields)


def function(name: str, result: Any, *arguments: Any) -> Callable[..., Any]:
    """Make one of the library's functions, or of the OpenCL loader that it is linked to."""
    try:
        made: Callable[..., Any] = _prototype(result, *arguments)((name, _handle))
        return made
    except AttributeError:
        raise ImportError(f"the library {_handle._name} has no function {name}: it is another version") from None


_used = False


def begin_use() -> None:
    """Say that a driver is at work from now on, whose threads and memory no child of ``fork`` gets."""
    global _used  # noqa: PLW0603
    _used = True


def _refuse(_: Any, *arguments: Any) -> Any:
    if any(isinstance(each, weakref.ref) for each in arguments):  # the end of a handle: its object is the parent's
        return
    raise RuntimeError(
        "this process is a child of fork, and clquant was used before it: drivers of OpenCL do not live on in such a child. "
        'Start it by multiprocessing\'s "spawn" or "forkserver", or fork before the first call'
    )


def _after_fork() -> None:
    """Refuse every call in a child that would hang in one: there, all functions of C are another."""
    if _used:
        setattr(_Function, "__call__", _refuse)  # noqa: B010 - for the type checker a method is no variable


os.register_at_fork(after_in_child=_after_fork)

POINTER = ctypes.c_void_p
STATUS = ctypes.c_int32
COUNT = ctypes.c_uint32
SIZE = ctypes.c_size_t

_status_name = function("clq_status_name", ctypes.c_char_p, STATUS)
_error_detail = function("clq_error_detail", ctypes.c_char_p)
_struct_size = function("clq_struct_size", SIZE, ctypes.c_int)
_version = function("clq_version", ctypes.c_char_p)


def version() -> str:
    """Return the version of the library that was loaded, such as "0.2.0"."""
    text: bytes = _version()
    return text.decode()


def include_dir() -> str:
    """Return the folder with ``clquant/clquant.clh``, one file of OpenCL C that reads quantized rows in kernels of your own.

        pyopencl.Program(context, '#include "clquant/clquant.clh" …').build(["-I", clquant.include_dir()])

    Raises RuntimeError where neither the package nor the library's place has it.
    """
    beside = Path(_handle._name).resolve().parent
    for folder in (Path(__file__).parent, beside, *beside.parents[:2]):
        if (folder / "include" / "clquant" / "clquant.clh").exists():
            return str(folder / "include")
    raise RuntimeError(
        f"the library {_handle._name} has no clquant/clquant.clh beside it: install the package, or clquant's headers"
    )


def status_name(status: int) -> str:
    """Return the name of a status, the library's or OpenCL's: "CLQ_ERROR_SHAPE", "CL_OUT_OF_RESOURCES"."""
    text: bytes = _status_name(status)
    return text.decode()


def check(status: int) -> None:
    """Raise what a status means, with the sentence of this thread's last failure."""
    if status != 0:
        sentence: bytes = _error_detail()
        raise error_of(status, status_name(status), in_python(sentence.decode(errors="replace")))


def check_struct(number: int, struct: type[ctypes.Structure]) -> None:
    """Refuse to go on with a struct that is not as large as the library's ``enum clq_struct`` says."""
    theirs, ours = _struct_size(number), ctypes.sizeof(struct)
    if theirs != ours:
        raise ImportError(
            f"{struct.__name__} has {ours} bytes here and {theirs} in {_handle._name}, "
            f"which is version {version()}: the package and the library do not belong together"
        )


_operator_options = function("clq_operator_options", ctypes.c_void_p, ctypes.c_char_p, POINTER)


def rows_of(operator: str) -> list[OptionRow]:
    """Return the rows of an operator's descriptor (clquant/options.h)."""
    count = SIZE()
    rows = _operator_options(operator.encode(), ctypes.addressof(count))
    return list((OptionRow * count.value).from_address(rows)) if rows else []


check_struct(13, OptionRow)
check_struct(1, ContextDesc)
check_struct(2, ReportCounts)
check_struct(10, Binding)
check_struct(11, PlanCall)
