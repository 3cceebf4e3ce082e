# SPDX-License-Identifier: Apache-2.0
"""Tensors for other libraries, by DLPack."""

from __future__ import annotations

import ctypes
from typing import Any

from ._structs import DLTensor

_NAME = b"dltensor"
_Deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_Destructor = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)


class _Managed(ctypes.Structure):
    """DLPack's ``DLManagedTensor``."""

    _fields_ = [("tensor", DLTensor), ("context", ctypes.c_void_p), ("deleter", _Deleter)]


_new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, _Destructor)(("PyCapsule_New", ctypes.pythonapi))
_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_GetPointer", ctypes.pythonapi))
_is_valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_IsValid", ctypes.pythonapi))

# What others have, by the struct's address, with all that it points to.
_held: dict[int, Any] = {}


def _delete(address: int) -> None:
    _held.pop(address, None)


def _destroy(capsule: int) -> None:
    """Free what a capsule that nobody has taken over holds."""
    if _is_valid(capsule, _NAME):
        _held.pop(_pointer(capsule, _NAME), None)


_deleter, _destructor = _Deleter(_delete), _Destructor(_destroy)


def capsule_of(view: DLTensor, owner: Any) -> Any:
    """Make the capsule of a view whose pointers live as long as its owner."""
    managed = _Managed(view, None, _deleter)
    address = ctypes.addressof(managed)
    _held[address] = (managed, owner)
    return _new(address, _NAME, _destructor)
