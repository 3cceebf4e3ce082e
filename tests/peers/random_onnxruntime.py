# SPDX-License-Identifier: Apache-2.0
"""Random tensors by ONNX Runtime's QuantizeLinear and DequantizeLinear and by the command: every value is alike.

77: no onnx or onnxruntime. --seed N repeats a run."""
import sys
import tempfile

import draw
from files import SKIPPED, dequantized, numpy, quantized

try:
    import onnxruntime
    from onnx import TensorProto, helper
except ImportError as missing:
    print("skipped:", missing)
    sys.exit(SKIPPED)

DTYPES = ("INT8", "UINT8", "INT4", "UINT4")


def evaluate(nodes, constants, fed, fed_type, out_type):
    """out, of the tensor that is fed as `in`."""
    graph = helper.make_graph(nodes, "one", [helper.make_tensor_value_info("in", fed_type, fed.shape)],
                              [helper.make_tensor_value_info("out", out_type, fed.shape)], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    return onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"]).run(
        None, {"in": fed})[0]


def theirs(dtype, scales, zero_points, axis, fed, back):
    kind = getattr(TensorProto, dtype)
    wide = TensorProto.INT8 if dtype in ("INT8", "INT4") else TensorProto.UINT8  # four bits do not leave the runtime
    constants = [helper.make_tensor("scale", TensorProto.FLOAT, scales.shape if axis is not None else (), scales),
                 helper.make_tensor("zero", kind, scales.shape if axis is not None else (), zero_points)]
    operator = helper.make_node("DequantizeLinear" if back else "QuantizeLinear", ["a", "scale", "zero"], ["b"],
                                **({} if axis is None else {"axis": axis}))
    if back:
        return evaluate([helper.make_node("Cast", ["in"], ["a"], to=kind), operator,
                         helper.make_node("Identity", ["b"], ["out"])], constants, fed, wide, TensorProto.FLOAT)
    return evaluate([helper.make_node("Identity", ["in"], ["a"]), operator,
                     helper.make_node("Cast", ["b"], ["out"], to=wide)], constants, fed, TensorProto.FLOAT, wide)


def main():
    random = draw.generator()
    values, other_order = 0, 0

    with tempfile.TemporaryDirectory() as folder:
        for dtype in DTYPES:
            for axis in (None, 0, 1, 2):
                words = [] if axis is None else ["--axis", str(axis)]
                scales, zeros = draw.scales_of(random, axis), draw.zero_points_of(random, dtype, axis)
                x = draw.values_of(random, dtype, scales, axis)
                got = quantized(folder, x, scales, zeros, dtype, *words, "--round-first")
                plain = quantized(folder, x, scales, zeros, dtype, *words)
                want = theirs(dtype, scales, zeros, axis, x, False)
                other_order += draw.compare(f"QuantizeLinear to {dtype}, axis {axis}", x, got, want, plain)
                back = theirs(dtype, scales, zeros, axis, want, True)
                mine = dequantized(folder, want, scales, zeros, dtype, *words)
                if mine.tobytes() != back.tobytes():
                    sys.exit(f"DequantizeLinear of {dtype}, axis {axis}: not alike")
                values += 2 * x.size
    print(f"onnxruntime {onnxruntime.__version__}: {values} values alike; without --round-first {other_order} differ")
    sys.exit(other_order == 0)


main()
