# SPDX-License-Identifier: Apache-2.0
"""Tensors for other libraries, by DLPack.

Nothing of Python runs when they let go of one: that may be while an error is on its way, which a function of Python that C
calls would lose, or where there is no interpreter. So a capsule has no destructor, DLPack's deleter is a function of C that
leaves a mark, and what nobody has any more is found later.
"""

from __future__ import annotations

import ctypes
import sys
import threading
from typing import Any

from ._structs import DLTensor

_NAME = b"dltensor"
_new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(("PyCapsule_New", ctypes.pythonapi))
_is_valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_IsValid", ctypes.pythonapi))

# C's time(), which writes the time where its argument points: over the tensor's address, which is the first of the struct.
_deleter = ctypes.cast(ctypes.CDLL(None).time, ctypes.c_void_p).value


class _Managed(ctypes.Structure):
    """DLPack's ``DLManagedTensor``."""

    _fields_ = [("tensor", DLTensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class _Export:
    """A capsule, the struct that it is of, and who keeps what that points to."""

    __slots__ = ("_data", "_managed", "_owner", "capsule")

    def __init__(self, view: DLTensor, owner: Any) -> None:
        self._owner = owner
        self._managed = _Managed(view, None, _deleter)
        self._data = self._managed.tensor.data
        self.capsule = _new(ctypes.addressof(self._managed), _NAME, None)

    def references(self) -> int:
        """Count who has the capsule."""
        return sys.getrefcount(self.capsule)

    def is_over(self) -> bool:
        """Say whether its user has let go of it, or nobody has the capsule but this, and nobody took what it holds."""
        if self._managed.tensor.data != self._data:
            return True
        return self.references() == _ALONE and bool(_is_valid(self.capsule, _NAME))


_ALONE = _Export(DLTensor(), None).references()

_held: dict[int, _Export] = {}
_sweeping = threading.Lock()
# At the end of the process others may have what is here, and let go of it behind this module.
ctypes.pythonapi.Py_IncRef(ctypes.py_object(_held))


def capsule_of(view: DLTensor, owner: Any) -> Any:
    """Make the capsule of a view whose pointers live as long as its owner."""
    sweep()
    made = _Export(view, owner)
    _held[id(made)] = made
    return made.capsule


def sweep() -> None:
    """Let go of what others have no more. Where that is being done already, by another thread or above, leave it."""
    if not _held or not _sweeping.acquire(blocking=False):
        return
    try:
        over = [key for key, each in list(_held.items()) if each.is_over()]
        gone = [_held.pop(key) for key in over]
    finally:
        _sweeping.release()
    del gone  # behind the lock: finalizers may export again
