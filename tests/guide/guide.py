# SPDX-License-Identifier: Apache-2.0
"""Adds types to a copy of the tree by the numbered steps of docs/internals.md and nothing else, builds it, and runs them.

    guide.py SOURCE         whether the steps of *.steps fit the tree and the guide
    guide.py SOURCE WORK    all of it, in the folder WORK, which keeps the copy and its build

A file of steps is data: `step N: FILE`, for step N of the guide, which has to name FILE, and below it lines to take out, with -,
and what takes their place, with +, as in tests/planted. The old text must occur once in FILE.
"""

import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "planted"))
import plant  # noqa: E402

ADDED, REFUSED = ("int2", "q5_2"), ("q6_0", "q8_2", "q5_3", "iq5")
TARGETS = ["clquant_command", "clquant_shared", "clq_stub", "test_seam", "test_match", "test_refuse", "test_listed",
           "test_types", "test_reference_types"]
CALLS = 30000  # of the seam, where a third of them have one of the types
# Each operator, from and to a type, on PoCL: few calls, as its compiler is slow.
TO, FROM = "quantize quantize_scatter group_quantize dynamic_quantize dynamic_quantize_scatter", "dequantize"


class Wrong(Exception):
    """What is wrong, as a sentence."""


def guide(source):
    """The steps of adding a type: a text for each number."""
    text = (source / "docs/internals.md").read_text()
    section = re.search(r"^## Adding a type\n(.*?)^## ", text, re.DOTALL | re.MULTILINE)
    if section is None:
        raise Wrong("docs/internals.md has no section 'Adding a type'")
    return {int(number): step for number, step in re.findall(r"^(\d+)\. (.*?)(?=^\d+\. |^\S|\Z)", section[1], re.DOTALL | re.MULTILINE)}


def read(path, steps):
    """The changes of a file of steps: (place, file, old text, new text)."""
    changes, file = [], None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        place = f"{path.name}:{number}"
        begins = re.fullmatch(r"step (\d+): (\S+)", line)
        if begins:
            file = begins[2]
            if file not in steps.get(int(begins[1]), ""):
                raise Wrong(f"{place}: step {begins[1]} of 'Adding a type' in docs/internals.md does not name {file}")
        elif line.startswith("-"):
            changes.append((place, file, line[1:], []))
        elif line.startswith("+"):
            changes[-1][3].append(line[1:])
        elif line and not line.startswith("#"):
            raise Wrong(f"{place}: a line begins with step, -, + or #")
    return changes


def changed(tree, names, steps):
    """The texts of the files that these steps change."""
    texts = {}
    for name in names:
        for place, file, old, new in read(HERE / f"{name}.steps", steps):
            text = texts.get(file) or (tree / file).read_text()
            found = list(plant.pattern_of(old).finditer(text))
            if len(found) != 1:
                raise Wrong(f"{place}: '{old}' occurs {len(found)} times in {file}, and must occur once")
            texts[file] = text[: found[0].start()] + "\n".join(new) + text[found[0].end() :]
    return texts


def files(source):
    """The files of the tree; of one that git does not know all that lie in no build folder."""
    try:
        return plant.git_files(source)
    except (OSError, subprocess.CalledProcessError):
        names = (path.relative_to(source) for path in source.rglob("*") if path.is_file())
        return sorted(str(name) for name in names if not name.parts[0].startswith("build"))


def copy(source, tree, texts):
    """Make the copy: what is as it was keeps its time, so that it is not built again."""
    names = files(source)
    for name in names:
        path = tree / name
        data = texts[name].encode() if name in texts else (source / name).read_bytes()
        if path.is_file() and path.read_bytes() == data:
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        path.chmod((source / name).stat().st_mode & 0o777)
    for path in [path for path in tree.rglob("*") if path.is_file() and str(path.relative_to(tree)) not in set(names)]:
        path.unlink()


def run(what, command, **more):
    """Run a command, which must end well."""
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **more)
    if done.returncode != 0:
        raise Wrong(f"{what}: status {done.returncode}, and it printed:\n{done.stdout[-4000:]}")


def refuse(source, work, steps):
    """What the kernels cannot store does not compile, and the compiler names it."""
    texts = changed(source, ["refused"], steps)
    for file, text in texts.items():
        path = work / "refused" / pathlib.Path(file).relative_to("cl")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    includes = [f"-I{folder}" for folder in (work / "refused", source / "host", source / "cl", source / "include")]
    command = [os.environ.get("CC", "cc"), "-std=c11", "-fsyntax-only", *includes, source / "host/base/dtype.c"]
    said = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False).stderr
    for name in REFUSED:
        if f'"{name}: ' not in said:
            raise Wrong(f"a block type that no kernel can store compiles: {name}; the compiler said:\n{said}")


def build(tree, built):
    ninja = ["-G", "Ninja"] if shutil.which("ninja") else []
    options = ["-DCLQ_WERROR=ON", "-DCLQ_BUILD_TESTS=ON", "-DCMAKE_BUILD_TYPE=None", "-DCMAKE_C_FLAGS=-O1"]
    run("configured", ["cmake", "-S", tree, "-B", built, *ninja, *options])
    run("built", ["cmake", "--build", built, "-j", os.cpu_count(), "--target", *TARGETS])


def calls(tree, built):
    """The seam, the lists of variants, the harness on the stub and on PoCL, the command and Python."""
    off = {**os.environ, "CLQ_CACHE_DIR": "/dev/null", "POCL_EXTRA_BUILD_FLAGS": "-cl-opt-disable"}
    stub = {**off, "OCL_ICD_VENDORS": str(next(built.rglob("libclq_stub.so")))}
    pocl = {**off, "OCL_ICD_VENDORS": "pocl.icd"}
    match = built / "tests/harness/test_match"
    run("the seam", [built / "tests/seam/test_seam", "--count", CALLS], env=off)
    rows = r"^(compile\.listed|unit\.types|unit\.reference_types)$"
    run("the rows and the list of variants", ["ctest", "--test-dir", built, "-R", rows, "--output-on-failure", "--no-tests=error"])
    run("refusals", [built / "tests/harness/test_refuse", "--count", CALLS], env=stub)
    for name in ADDED:
        pairs = [(op, ["--from", "float16", "--to", name]) for op in TO.split() if name == "int2" or op.startswith("dynamic")]
        pairs.append((FROM, ["--from", name, "--to", "float16"]))
        for operator, types in pairs:
            command = [match, "--operator", operator, *types, "--count"]
            run(f"{operator} of {name} on the stub", [*command, 300], env=stub)
            run(f"{operator} of {name} on PoCL", [*command, 30], env=pocl)
            run(f"{operator} of {name} on PoCL, groups", [*command, 20, "--form", "group"], env=pocl)
    python = {**pocl, "PYTHONPATH": str(tree / "python"), "CLQUANT_LIBRARY": str(built / "libclquant.so"), "PYTHONDONTWRITEBYTECODE": "1"}
    run("the command and Python", [sys.executable, HERE / "calls.py", built / "clquant"], env=python)


def main(source, work=None):
    steps = guide(source)
    texts = changed(source, ADDED, steps)
    changed(source, ["refused"], steps)
    if work is None:
        return
    if importlib.util.find_spec("numpy") is None:
        print("SKIPPED: no numpy")
        sys.exit(77)
    work.mkdir(parents=True, exist_ok=True)
    refuse(source, work, steps)
    copy(source, work / "tree", texts)
    build(work / "tree", work / "build")
    calls(work / "tree", work / "build")


if __name__ == "__main__":
    try:
        main(*(pathlib.Path(argument).resolve() for argument in sys.argv[1:]))
    except Wrong as wrong:
        print(f"guide.py: {wrong}", file=sys.stderr)
        sys.exit(1)
