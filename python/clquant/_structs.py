# SPDX-License-Identifier: Apache-2.0
"""The structs that every call shares, as ctypes sees them. Those of an operator stand in its description."""

from __future__ import annotations

import ctypes


class DLDataType(ctypes.Structure):
    """DLPack's type of an element."""

    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class DLTensor(ctypes.Structure):
    """DLPack's view of a tensor. Pointers are addresses, so that setting one costs no object."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("dtype", DLDataType),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("byte_offset", ctypes.c_uint64),
    ]


class Managed(ctypes.Structure):
    """DLPack's tensor with its version and what must be known of its memory: what a capsule of version 1 holds."""

    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", DLTensor),
    ]


class ContextDesc(ctypes.Structure):
    """``struct clq_context_desc``."""

    _fields_ = [
        ("context", ctypes.c_void_p),
        ("device", ctypes.c_void_p),
        ("device_text", ctypes.c_char_p),
        ("cache_dir", ctypes.c_char_p),
        ("cache_limit_bytes", ctypes.c_size_t),
        ("cache_get", ctypes.c_void_p),
        ("cache_put", ctypes.c_void_p),
        ("cache_user", ctypes.c_void_p),
        ("build_options", ctypes.c_char_p),
        ("log", ctypes.c_void_p),
        ("log_user", ctypes.c_void_p),
        ("flags", ctypes.c_uint32),
        ("form", ctypes.c_uint32),
        ("arithmetic", ctypes.c_uint32),
        ("reserved32", ctypes.c_uint32),
        ("reserved", ctypes.c_uint64 * 6),
    ]


class OptionWord(ctypes.Structure):
    """``struct clq_option_word``."""

    _fields_ = [("word", ctypes.c_char_p), ("name", ctypes.c_char_p)]


class OptionRow(ctypes.Structure):
    """``struct clq_option``: a field of an operator's descriptor."""

    _fields_ = [
        ("name", ctypes.c_char_p),
        ("help", ctypes.c_char_p),
        ("words", ctypes.POINTER(OptionWord)),
        ("least", ctypes.c_double),
        ("most", ctypes.c_double),
        ("fallback", ctypes.c_double),
        ("kind", ctypes.c_uint32),
        ("offset_bytes", ctypes.c_uint32),
        ("size_bytes", ctypes.c_uint32),
        ("optional", ctypes.c_uint32),
    ]


class ReportCounts(ctypes.Structure):
    """``struct clq_report``."""

    _fields_ = [
        ("dropped", ctypes.c_uint32),
        ("clamped", ctypes.c_uint32),
        ("first", ctypes.c_uint32),
        ("reserved", ctypes.c_uint32),
    ]


class Binding(ctypes.Structure):
    """``struct clq_binding``."""

    _fields_ = [
        ("field", ctypes.c_size_t),
        ("buffer", ctypes.c_void_p),
        ("offset_bytes", ctypes.c_uint64),
    ]


class PlanCall(ctypes.Structure):
    """``struct clq_plan_call``."""

    _fields_ = [
        ("plan", ctypes.c_void_p),
        ("num_bindings", ctypes.c_size_t),
        ("bindings", ctypes.c_void_p),
    ]
