# SPDX-License-Identifier: Apache-2.0
"""ONNX's own node tests of QuantizeLinear and DequantizeLinear, by the command: quantize --round-first, and dequantize.

Takes each case whose types, shapes and options the command has, and says which it left out, and why. 77: no onnx."""
import sys
import tempfile
import warnings

from files import FLOATS, SKIPPED, TYPES, codes_of, dequantized, numpy, options_of, quantized

try:
    import onnx
    from onnx.backend.test.case.node import collect_testcases
except ImportError as missing:
    print("skipped:", missing)
    sys.exit(SKIPPED)

# What the oldest ONNX has. Fewer were taken: the test lost some.
LEAST_TAKEN = 4


def array_of(value):
    """A tensor's values and the name of its type."""
    if isinstance(value, onnx.TensorProto):
        return onnx.numpy_helper.to_array(value), onnx.TensorProto.DataType.Name(value.data_type)
    value = numpy.asarray(value)
    return value, str(value.dtype).upper()


def options(node, operator, known, rank, scales):
    """The command's options for the attributes; None: one of them it has not."""
    attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
    words = [] if scales.size == 1 else ["--axis", str(attributes.get("axis", 1))]
    if attributes.get("block_size", 0):
        words += ["--block", str(attributes["block_size"])]
    return words if known.issuperset(word for word in words if word.startswith("--")) else None


def attempt(case, folder, known):
    """Why the case is left out; None: it was taken. A wrong byte ends the test."""
    node, (inputs, outputs) = case.model.graph.node[0], case.data_sets[0]
    back = node.op_type == "DequantizeLinear"
    (x, x_type), (scales, _), (want, want_type) = array_of(inputs[0]), array_of(inputs[1]), array_of(outputs[0])
    zeros = array_of(inputs[2])[0] if len(inputs) > 2 else None
    kind = x_type if back else want_type
    words = options(node, "dequantize" if back else "quantize", known[back], x.ndim, scales)

    if kind not in TYPES:
        return "type " + kind
    if words is None:
        return "options"
    if "FLOAT" in kind and zeros is not None and codes_of(zeros).any():
        return "a zero point of a float"
    if str(scales.dtype) not in FLOATS or str(want.dtype if back else x.dtype) not in FLOATS:
        return "floats"
    odd = TYPES[kind][2] == 4 and x.shape[-1] % 2
    if odd and scales.shape and scales.shape[-1] == x.shape[-1] > 1:
        return "an odd number of nibbles that have scales"
    if odd: # one more, which is dropped again
        x = numpy.concatenate([x, x[..., :1]], axis=-1)
    if back:
        got = dequantized(folder, x, scales, zeros, kind, *words, "--dtype", str(want.dtype))
    else:
        got = quantized(folder, x, scales, zeros, kind, *words, *([] if "FLOAT" in kind else ["--round-first"]))
    got = got[..., :-1] if odd else got
    if not back and "FLOAT" in kind:
        got = got.view(want.dtype) # 0 and -0 are alike: ONNX's cases drop the sign of what float32 has as -0
    if got.shape != want.shape or not (got == want.astype(got.dtype)).all():
        sys.exit(f"{case.name}: {got.tolist()}, not {want.tolist()}")
    return None


def cases_of_onnx():
    try:
        return collect_testcases("")
    except AttributeError as wrong: # an old ONNX with a NumPy that it does not know
        print(f"skipped: onnx {onnx.__version__} does not load its cases: {str(wrong).splitlines()[0]}")
        sys.exit(SKIPPED)


def main():
    known = options_of("quantize"), options_of("dequantize")
    left_out, taken = {}, 0

    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        for case in cases_of_onnx():
            if [node.op_type for node in case.model.graph.node] not in (["QuantizeLinear"], ["DequantizeLinear"]):
                continue
            why = attempt(case, folder, known)
            if why is None:
                taken += 1
                print("takes", case.name)
            else:
                left_out.setdefault(why, []).append(case.name)
    for why, names in sorted(left_out.items()):
        print(f"left out, {why}:", *names)
    print(f"onnx {onnx.__version__}: {taken} taken, {sum(map(len, left_out.values()))} left out")
    sys.exit(taken < LEAST_TAKEN)


main()
