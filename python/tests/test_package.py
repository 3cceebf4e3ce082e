# SPDX-License-Identifier: Apache-2.0
"""The package: structs as the headers have them, a library that is missing or another one, what ends with the process."""

import ctypes
import importlib.metadata
import re
import subprocess
import sys
import tarfile
from pathlib import Path

import numpy as np
import pytest
from processes import run

import clquant
from clquant import _library, _operator, _structs

HEADERS = Path(__file__).parents[2] / "include" / "clquant"
KINDS = {
    "int32_t": ctypes.c_int32,
    "uint32_t": ctypes.c_uint32,
    "uint64_t": ctypes.c_uint64,
    "size_t": ctypes.c_size_t,
    "float": ctypes.c_float,
    "DLDataType": _structs.DLDataType,
}


def operators():
    return {value.name: value for value in vars_of_modules() if isinstance(value, _operator.Operator)}


def vars_of_modules():
    for name, module in list(sys.modules.items()):
        if name.startswith("clquant.operators."):
            yield from vars(module).values()


def fields_of(struct):
    """The names and types of a struct's fields, as the header declares them."""
    text = "".join(path.read_text() for path in sorted(HEADERS.glob("*.h")))
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    body = re.search(rf"struct {struct} \{{(.*?)\}};", text, re.S).group(1)
    for declaration in body.split(";"):
        match = re.fullmatch(r"(?:const )?(?:struct )?(\w+)\s+(\*?)\s*(\w+)(?:\[(\d+)\])?", " ".join(declaration.split()))
        if match:
            kind, pointer, name, count = match.groups()
            plain = ctypes.c_void_p if pointer or kind not in KINDS else KINDS[kind]
            yield name, ctypes.c_char_p if kind == "char" else plain, int(count or 0)


def test_structs_are_the_headers():
    """Names, order and types: a field that C has and Python lacks, or that stands elsewhere, is found here."""
    structs = {f"clq_{name}_desc": operator.struct for name, operator in operators().items()}
    structs |= {
        "clq_context_desc": _structs.ContextDesc,
        "clq_report": _structs.ReportCounts,
        "clq_binding": _structs.Binding,
        "clq_plan_call": _structs.PlanCall,
    }
    for name, struct in structs.items():
        theirs = [(field, kind * count if count else kind) for field, kind, count in fields_of(name)]
        assert [tuple(field) for field in struct._fields_] == theirs, name


def test_every_operator_is_there():
    """Each operator that has a plan in C is an operator here, with the same functions beside it."""
    text = "".join(path.read_text() for path in HEADERS.glob("*.h"))
    assert set(re.findall(r"clq_(\w+)_plan\(", text)) == set(operators())
    for name in operators():
        assert hasattr(clquant, name)


def test_another_struct_is_refused():
    with pytest.raises(ImportError, match=r"Binding has 24 bytes here and 16 in .* do not belong together"):
        _library.check_struct(2, _structs.Binding)
    with pytest.raises(ImportError, match="has no function clq_nonsense: it is another version"):
        _library.function("clq_nonsense", None)


def test_missing_library(tmp_path):
    code, _, said = run("import clquant", CLQUANT_LIBRARY=str(tmp_path / "none.so"))
    assert code == 1
    assert re.search(r"ImportError: CLQUANT_LIBRARY names the library .*none.so", said)


def test_missing_loader(tmp_path):
    """A library that needs an OpenCL loader which is not there, as on a machine without one."""
    original = Path(_library._handle._name).read_bytes()
    renamed = original.replace(b"libOpenCL.so.1\0", b"libOpenCL.so.9\0")
    assert renamed != original
    (tmp_path / "libclquant.so").write_bytes(renamed)
    code, _, said = run("import clquant", CLQUANT_LIBRARY=str(tmp_path / "libclquant.so"))
    assert code == 1
    assert "ImportError: clquant needs the system's OpenCL loader" in said
    assert "libOpenCL.so.9: cannot open" in said


def test_no_driver(tmp_path):
    script = "import clquant; assert clquant.devices() == []; clquant.quantize([1.0], 1.0)"
    code, _, said = run(script, OCL_ICD_VENDORS=str(tmp_path))
    assert code == 1
    assert "clquant._errors.DeviceError: no OpenCL driver was found" in said


def test_end_of_the_process():
    """Whatever is alive at the end, in whatever order it goes, nothing is printed and the process ends well."""
    script = """
import sys, threading, numpy as np, clquant
x = np.ones((64, 64), np.float32)
context = clquant.Context()
view = clquant.view(x, context=context)
plan = clquant.plan(clquant.quantize, view, 0.5)
events = []
plan(events=events)
report, room = clquant.Report(context), clquant.Workspace(64)
ring = [plan, view, context]
ring.append(ring)
sys.kept = (plan, view, events, report)
threading.Thread(target=lambda: [clquant.quantize(x, 0.5) for _ in range(20)]).start()
print((plan() == 2).all())
"""
    assert run(script) == (0, "True\n", "")


def test_a_result_in_three_lines():
    """What the package's own documentation begins with."""
    lines = [line.strip() for line in clquant.__doc__.splitlines() if line.startswith("    ")]
    assert len(lines) == 3
    assert run("\n".join([*lines, "print(y.shape, y.dtype)"])) == (0, "(4, 128) uint8\n", "")


def test_version():
    assert clquant.__version__ == clquant.version()
    text = (HEADERS / "version.h").read_text()
    assert f'"{clquant.__version__}"' in text
    try:
        assert importlib.metadata.version("clquant") == clquant.__version__
    except importlib.metadata.PackageNotFoundError:
        assert "site-packages" not in clquant.__file__  # it is run from the tree


def test_the_device_header_is_one_file():
    header = Path(clquant.include_dir()) / "clquant" / "clquant.clh"
    assert "float  clq_load_<name>(" in header.read_text()
    assert "#include" not in header.read_text()


def test_repr():
    view = clquant.view(np.zeros((2, 6), np.float32)[:, ::2])
    assert repr(view).startswith("<clquant.Tensor float32 (2, 3), strides (6, 2), byte")
    assert repr(view.context) == f"<clquant.Context on {view.context.device_name}>"


def test_sdist_holds_the_library(tmp_path):
    """What is installed from it needs nothing beside it; and unpacked it makes itself again."""
    pytest.importorskip("scikit_build_core")
    package = HEADERS.parents[1] / "python"
    make = "import sys; sys.path.insert(0, '.'); import clquant_build; print(clquant_build.build_sdist(sys.argv[1]))"
    names = {}
    for folder in ("first", "second"):
        made = tmp_path / folder
        made.mkdir()
        subprocess.run([sys.executable, "-c", make, str(made)], cwd=package, check=True, capture_output=True)
        with tarfile.open(made / f"clquant-{clquant.__version__}.tar.gz") as archive:
            names[folder] = {name.partition("/")[2] for name in archive.getnames()}
            archive.extractall(made, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
        package = made / f"clquant-{clquant.__version__}"
        assert '"..' not in (package / "pyproject.toml").read_text()
    assert names["first"] == names["second"]
    assert {"clquant/__init__.py", "source/CMakeLists.txt", "source/LICENSE", "source/python/install.cmake"} <= names["first"]
    for of in ("host", "cl", "include", "tests/harness", "tests/operators", "tests/reference"):
        files = [path for path in (HEADERS.parents[1] / of).rglob("*") if path.is_file()]
        assert {f"source/{path.relative_to(HEADERS.parents[1])}" for path in files} <= names["first"]
