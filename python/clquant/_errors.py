# SPDX-License-Identifier: Apache-2.0
"""What a failed call raises: the library's sentence, in the class that Python has for it."""

from __future__ import annotations

_VALUES = range(-20010, -20000)  # CLQ_ERROR_NULL to CLQ_ERROR_OVERLAP: an argument that breaks a rule
_INDEX = -20015


class DeviceError(RuntimeError):
    """A device, a driver or a build failed: no argument is wrong.

    ``status`` is the library's code or OpenCL's, ``name`` its name ("CL_OUT_OF_RESOURCES").
    """

    def __init__(self, sentence: str, status: int, name: str) -> None:
        super().__init__(sentence)
        self.status = status
        self.name = name


def error_of(status: int, name: str, sentence: str) -> Exception:
    """Make the exception of a status that is not CLQ_OK."""
    if status in _VALUES:
        return ValueError(sentence)
    if status == _INDEX:
        return IndexError(sentence)
    return DeviceError(sentence, status, name)
