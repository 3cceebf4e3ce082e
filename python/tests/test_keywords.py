# SPDX-License-Identifier: Apache-2.0
"""Keywords that a function does not have: the error names the nearest one that it has."""

import functools
import inspect
import re
import sys
import typing

import numpy as np
import pytest

import clquant
from clquant import _dtypes, _fields, _operator, _types

X = np.ones((4, 4), np.float32)
PUBLIC = [
    *(getattr(clquant, name) for name in clquant.__all__ if inspect.isfunction(getattr(clquant, name))),
    *(getattr(clquant, name) for name in ("Context", "Report", "Tensor", "Workspace")),
    *(clquant.Report.clear, clquant.Report.read, clquant.Tensor.numpy),
]
FREE = {"version", "devices", "default_context", "include_dir"}  # no argument at all
OF_A_FUNCTION = {"plan", "build", "check_indices", "workspace_bytes"}


@pytest.mark.parametrize("function", PUBLIC, ids=lambda function: function.__qualname__)
def test_misspelt_keyword_of_every_function(function):
    """Each keyword of each public function, with a letter too few: the error says what was meant."""
    names = [each.name for each in inspect.signature(function).parameters.values() if each.kind is each.KEYWORD_ONLY]
    if hasattr(function, "operator"):
        names += ["context", "queue", "wait_for", "events"]
    if function.__name__ in FREE | OF_A_FUNCTION:
        assert not names
        with pytest.raises(TypeError):
            function(contex=None)
        return
    for name in names or list(inspect.signature(function).parameters):
        with pytest.raises(TypeError, match=rf"has no {name[:-1]}: did you mean {name}\?"):
            function(**{name[:-1]: None})


@pytest.mark.parametrize(
    "ask", [clquant.plan, clquant.build, clquant.check_indices, clquant.workspace_bytes], ids=lambda function: function.__name__
)
def test_misspelt_keyword_of_a_plan(ask):
    for function in (clquant.quantize, functools.partial(clquant.quantize, block=0)):
        with pytest.raises(TypeError, match=r"quantize has no axs: did you mean axis\?"):
            ask(function, X, 1.0, axs=0)
    with pytest.raises(TypeError, match="function is <built-in function len>: it must be an operator"):
        ask(len, X)


def test_misspelt_array_of_a_plan():
    step = clquant.plan(clquant.quantize, X, 1.0)
    with pytest.raises(TypeError, match=r"the plan has no scale: did you mean scales\?"):
        step(scale=X)
    with pytest.raises(TypeError, match="the plan has no zero_points: it has x, scales, y, wait_for, events"):
        step(zero_points=X)


@pytest.mark.parametrize(
    ("function", "given", "said"),
    [
        (clquant.quantize_scatter, "slots", 'did you mean index_kind="slots"'),
        (clquant.dequantize, "clamp", 'did you mean out_of_range="clamp"'),
        (clquant.find_scales, "minmax", 'did you mean method="minmax"'),
        (clquant.dynamic_quantize, "group_size", "did you mean block"),
        (clquant.quantize, "num_bits", "did you mean dtype"),
        (
            clquant.quantize,
            "xyz",
            "it has x, scales, zero_points, dtype, out, axis, .*, context, queue, wait_for, events$",
        ),
    ],
)
def test_words_and_names_of_other_libraries(function, given, said):
    with pytest.raises(TypeError, match=f"{function.__name__} has no {given}: {said}"):
        function(X, X, **{given: True})


@pytest.mark.parametrize(
    ("given", "near"),
    [
        ("mxfp4", "float4_e2m1fn with scale_rule='mx_floor'"),
        ("nvfp4", "float4_e2m1fn with scale_rule='nvfp4'"),
        ("FP8", "float8_e4m3fn"),
        ("nf4", "iq4_nl"),
        ("q4_K", "q4_1"),
        ("bf16", "bfloat16"),
        ("int5", "int"),
        ("torch.qint8", "int8"),
        ("torch.quint4x2", "uint4"),
    ],
)
def test_types_by_the_names_of_other_libraries(given, near):
    """The sentence ends with the near one, which is taken."""
    if given.startswith("torch."):
        given = getattr(pytest.importorskip("torch"), given.removeprefix("torch."))
    for call in (lambda: clquant.dynamic_quantize(X, dtype=given), lambda: clquant.view(X, given)):
        with pytest.raises(ValueError, match=rf"dtype is \w+: it must be one of float32, .*: did you mean {near}\w*\?"):
            call()
    assert set(_dtypes._ELSEWHERE).isdisjoint(_dtypes.BY_NAME)
    for name in {name.partition(" with scale_rule=")[0] for name in _dtypes._ELSEWHERE.values()}:
        assert name in _dtypes.BY_NAME


@pytest.mark.parametrize(
    ("option", "given", "near"),
    [("scale_rule", "mxfp4", "mx_floor"), ("scale_rule", "nv_fp4", "nvfp4"), ("mode", "Divid", "divide")],
)
def test_words_of_other_libraries(option, given, near):
    with pytest.raises(ValueError, match=f"{option} is '{given}': it must be one of .*: did you mean {near}"):
        (clquant.quantize if option == "mode" else clquant.dynamic_quantize)(
            X, **{"scales": 1.0} if option == "mode" else {}, **{option: given}
        )


@pytest.mark.parametrize("name", [name for name in clquant.__all__ if hasattr(getattr(clquant, name), "operator")])
def test_words_for_editors_are_those_that_are_taken(name):
    """Each word of an option that editors know is taken, and each that is taken they know; dtypes are the operator's."""
    function = getattr(clquant, name)
    words = {each.name: set(each.words) for each in function.operator.fields if isinstance(each, _fields.Choice)}
    for parameter in inspect.signature(function).parameters.values():
        known = set(re.findall(r"\w+", parameter.annotation)) & set(vars(_types))
        said = {word for alias in known for word in names_of(getattr(_types, alias))}
        if parameter.name in words:
            assert said == words[parameter.name]
        elif parameter.name.endswith("dtype"):
            assert said == taken(function, parameter.name)


def names_of(alias):
    """The words of a Literal, and of a union with one."""
    return {word for each in typing.get_args(alias) for word in ([each] if isinstance(each, str) else names_of(each))}


def taken(function, keyword):
    """The types that a call takes, of all that there are, asked of calls without a row, which need no kernel."""
    found = set()
    for dtype in names_of(_types.ElementName):
        more = {
            clquant.group_quantize: {"scales": np.ones((1, 32), np.float32), "group_index": np.array([0])},
            clquant.move_rows: {"src_indices": np.zeros((0, 1), int), "src_index_kind": "nd"},
        }.get(function, {})
        scales = {"scales": 1.0} if function in (clquant.quantize, clquant.dequantize) else {}
        for symmetric in (False, True) if function is clquant.dynamic_quantize else (None,):
            options = {} if symmetric is None else {"symmetric": symmetric}
            x = np.ones((0, 32), np.int8 if function is clquant.dequantize else np.float32)
            try:
                function(x, **more, **scales, **options, **{keyword: dtype})
            except ValueError:
                continue
            found.add(dtype)
    return found


@pytest.mark.parametrize("name", [name for name in clquant.__all__ if hasattr(getattr(clquant, name), "operator")])
def test_type_checkers_see_the_same_options(name):
    """What the overloads say of an operator's keywords is what its function says, word for word."""
    function = getattr(clquant, name)
    options = vars(sys.modules[function.__module__])["".join(map(str.title, name.split("_"))) + "Options"].__annotations__
    parameters = [each for each in inspect.signature(function).parameters.values() if each.kind is each.KEYWORD_ONLY]
    own = {key: each.__forward_arg__ for key, each in options.items() if key not in _operator.Run.__annotations__}
    assert own == {each.name: each.annotation for each in parameters}


# Keywords that are no fields of a descriptor.
OF_PYTHON = {"dtype", "scale_dtype", "out", "length", "shape"}
OF_KIND = {
    _fields.Flag: {"bool", "bool | None"},
    _fields.Option: {"int", "int | None"},
    _fields.Real: {"float"},
    _fields.Axis: {"int | None"},
    _fields.Buffer: {"Any"},
    _fields.Input: {"Array | None"},
}


@pytest.mark.parametrize("name", [name for name in clquant.__all__ if hasattr(getattr(clquant, name), "operator")])
def test_keywords_are_the_fields_of_the_library(name):
    """Each field that may be left out is a keyword, of its kind, with the library's word for what it is when left out."""
    function = getattr(clquant, name)
    fields = {each.name: each for each in function.operator.fields}
    parameters = inspect.signature(function).parameters
    free = {each for each in function.operator.unset if each not in function.operator._required}
    assert free <= set(parameters) | {"dtype"}
    assert {each for each in parameters if each not in fields} - {"run"} <= OF_PYTHON
    for keyword in free & {each.name for each in parameters.values() if each.kind is each.KEYWORD_ONLY} - OF_PYTHON:
        field, parameter = fields[keyword], parameters[keyword]
        assert parameter.annotation in OF_KIND.get(type(field), {parameter.annotation})
        assert parameter.default in (field.unset, None)
        assert f"\n        {keyword}: " in function.__doc__
