# SPDX-License-Identifier: Apache-2.0
"""safetensors files by numpy alone; and a skip where the package has no command."""

import json

import ml_dtypes
import numpy as np
import pytest

from clquant import _command

try:
    _command.path()
except RuntimeError as error:
    pytest.skip(str(error), allow_module_level=True)

TYPES = {
    "F32": np.float32,
    "F16": np.float16,
    "BF16": ml_dtypes.bfloat16,
    "F8_E4M3": ml_dtypes.float8_e4m3fn,
    "F8_E5M2": ml_dtypes.float8_e5m2,
    "F8_E8M0": ml_dtypes.float8_e8m0fnu,
    "I8": np.int8,
    "U8": np.uint8,
    "I32": np.int32,
    "I64": np.int64,
}
NAMES = {np.dtype(dtype): name for name, dtype in TYPES.items()}


def save(path, tensors):
    """Write a safetensors file."""
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for name, tensor in tensors.items():
        place = [len(data), len(data) + tensor.nbytes]
        header[name] = {"dtype": NAMES[tensor.dtype], "shape": tensor.shape, "data_offsets": place}
        data += tensor.tobytes()
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)


def load(path):
    """Read its tensors."""
    raw = path.read_bytes()
    start = 8 + int.from_bytes(raw[:8], "little")
    header = json.loads(raw[8:start])
    assert header.pop("__metadata__")["format"] == "pt"
    tensors = {}
    for name, tensor in header.items():
        begin, end = tensor["data_offsets"]
        tensors[name] = np.frombuffer(raw[start + begin : start + end], TYPES[tensor["dtype"]]).reshape(tensor["shape"])
    return tensors
