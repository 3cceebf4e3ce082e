# SPDX-License-Identifier: Apache-2.0
"""Compiles a variant for a GPU and reads from the assembly what the compiler made of it.

Of a kernel: bytes of private memory (scratch), vector registers, bytes of code, waves that a SIMD holds, and how
wide the loads and stores of its main loops are (loads.py). A GPU without registers in its assembly (NVIDIA's PTX) has
None for them.
"""
import collections
import glob
import os
import re
import shutil
import subprocess

import loads

LIBCLC = "/usr/lib/clc"
# A target's compiler, its options, and the builtins of libclc that belong to the compiler. The newest AMD GPU that Debian's libclc
# has is gfx906. Its builtins are LLVM code, and clang compiles them for the GPU that it is asked for: nothing of gfx906 is left
# in the code of a gfx1030.
Target = collections.namedtuple("Target", "clang options builtins")


def amd(gpu, clang):
    return Target(clang, ["-target", "amdgcn-mesa-mesa3d", f"-mcpu={gpu}"], "gfx906-amdgcn-mesa-mesa3d.bc")


TARGETS = {
    "gfx906": amd("gfx906", "clang-15"),
    "gfx1030": amd("gfx1030", "clang-15"),
    "nvptx64": Target("clang-15", ["-target", "nvptx64-nvidia-nvcl"], "nvptx64--nvidiacl.bc"),
    "gfx1100": amd("gfx1100", "clang-19"),
    "gfx1201": amd("gfx1201", "clang-19"),
}
PTXAS_TARGETS = ("sm_80", "sm_90")


class CompileError(Exception):
    pass


def builtins_of(target):
    return f"{LIBCLC}/{target.builtins}"


# Those whose compiler and builtins this machine has. Debian 13 has no clang-15.
PRESENT = [name for name, target in TARGETS.items() if shutil.which(target.clang) and os.path.exists(builtins_of(target))]
CLANG = TARGETS[PRESENT[0]].clang if PRESENT else None


def missing():
    """What this machine lacks, or None."""
    return None if PRESENT else "neither clang-15 with libclc-15 nor clang-19 with libclc-19"


def find_ptxas():
    return shutil.which(os.environ.get("PTXAS") or "ptxas")


def run(command, text=None, environment=None):
    result = subprocess.run(command, input=text, env=environment, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise CompileError(f"{' '.join(command)}\n{result.stdout[-4000:]}{result.stderr}")
    return result


def path_of(folder, variant):
    """A kernel's file, which variants name without the folder of its kind."""
    return next(path for kind in ("", "*/") for path in glob.glob(f"{folder}/{kind}{variant.file}"))


def front_of(folder, variant, clang=CLANG):
    """The compiler, with the options that a variant has on every device (host/runtime/build.c)."""
    command = [clang, "-x", "cl", "-cl-std=CL1.2", "-O2", "-I", folder,
               f"-DKERNEL_NAME=clq_{os.path.basename(variant.file).split('.')[0]}"]
    if variant.plugs.get("ARITHMETIC") == "native":
        command.append("-cl-fp32-correctly-rounded-divide-sqrt")
    return command + [f"-D{name}={value}" for name, value in variant.plugs.items()]


def command_of(folder, variant, target):
    target = TARGETS[target]
    return [*front_of(folder, variant, target.clang), *target.options, "-Xclang", "-mlink-builtin-bitcode",
            "-Xclang", builtins_of(target), "-Wno-linker-warnings"]


def compile_kernel(folder, variant, target):
    """The assembly of a variant."""
    return run([*command_of(folder, variant, target), "-S", "-o", "-", path_of(folder, variant)]).stdout


def amd_figure(assembly, name):
    return int(re.search(rf"^; {name}\s*[:=] (\d+)", assembly, re.MULTILINE).group(1))


def read(assembly, target):
    """The figures that stand in the assembly."""
    widths = {"load": loads.widest(assembly, loads.CLANG, loads.CLANG.load),
              "store": loads.widest(assembly, loads.CLANG, loads.CLANG.store)}
    # A function that was not inlined has registers, scratch and loads that are not in the kernel's figures.
    if re.search(r"^\s+(s_swappc_b64|call\.uni|call )|^\.extern \.func", assembly, re.MULTILINE):
        raise CompileError(f"{target}: the kernel calls a function, so its figures are not all")
    if target == "nvptx64":
        depot = re.search(r"\.local .*__local_depot\d+\[(\d+)\]", assembly)
        return {"scratch": int(depot.group(1)) if depot else 0, "registers": None, "code": None, "waves": None,
                **widths}
    return {"scratch": amd_figure(assembly, "ScratchSize"), "registers": amd_figure(assembly, "NumVgprs"),
            "code": amd_figure(assembly, "codeLenInByte"), "waves": amd_figure(assembly, "Occupancy"),
            **widths}


def read_ptxas(ptxas, ptx):
    """Registers, bytes of stack, and bytes spilled to it, of each of PTXAS_TARGETS."""
    figures = {}
    for target in PTXAS_TARGETS:
        said = run([ptxas, f"-arch={target}", "-v", "-o", "/dev/null", "/dev/stdin"], ptx).stderr
        figures[target] = tuple(int(re.search(pattern, said).group(1)) for pattern in (
            r"Used (\d+) registers", r"(\d+) bytes stack frame", r"(\d+) bytes spill stores"))
    return figures
