# SPDX-License-Identifier: Apache-2.0
"""Compiles a variant for a GPU and reads from the assembly what the compiler made of it.

Of a kernel: bytes of private memory (scratch), vector registers, bytes of code, waves that a SIMD holds, and how
wide the loads and stores of its main loops are (loads.py). A GPU without registers in its assembly (NVIDIA's PTX) has
None for them.
"""
import os
import re
import shutil
import subprocess

import loads

CLANG = "clang-15"
LIBCLC = "/usr/lib/clc"
# The newest AMD GPU that Debian's libclc-15 has is gfx906. Its builtins are LLVM code, and clang compiles them for the
# GPU that it is asked for: nothing of gfx906 is left in the code of a gfx1030.
TARGETS = {
    "gfx906": (["-target", "amdgcn-mesa-mesa3d", "-mcpu=gfx906"], "gfx906-amdgcn-mesa-mesa3d.bc"),
    "gfx1030": (["-target", "amdgcn-mesa-mesa3d", "-mcpu=gfx1030"], "gfx906-amdgcn-mesa-mesa3d.bc"),
    "nvptx64": (["-target", "nvptx64-nvidia-nvcl"], "nvptx64--nvidiacl.bc"),
}
PTXAS_TARGETS = ("sm_80", "sm_90")


class CompileError(Exception):
    pass


def missing():
    """What this machine lacks, or None."""
    if shutil.which(CLANG) is None:
        return f"no {CLANG}"
    for _, builtins in TARGETS.values():
        if not os.path.exists(f"{LIBCLC}/{builtins}"):
            return f"no {LIBCLC}/{builtins} (Debian: libclc-15)"
    return None


def find_ptxas():
    return shutil.which(os.environ.get("PTXAS") or "ptxas")


def run(command, text=None, environment=None):
    result = subprocess.run(command, input=text, env=environment, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise CompileError(f"{' '.join(command)}\n{result.stdout[-4000:]}{result.stderr}")
    return result


def front_of(folder, variant):
    """The compiler, with what a variant is told on every device (host/runtime/build.c)."""
    command = [CLANG, "-x", "cl", "-cl-std=CL1.2", "-O2", "-I", folder,
               f"-DKERNEL_NAME=clq_{os.path.basename(variant.file).split('.')[0]}"]
    if variant.plugs.get("ARITHMETIC") == "native":
        command.append("-cl-fp32-correctly-rounded-divide-sqrt")
    return command + [f"-D{name}={value}" for name, value in variant.plugs.items()]


def command_of(folder, variant, target):
    options, builtins = TARGETS[target]
    return [*front_of(folder, variant), *options, "-Xclang", "-mlink-builtin-bitcode", "-Xclang", f"{LIBCLC}/{builtins}",
            "-Wno-linker-warnings"]


def compile_kernel(folder, variant, target):
    """The assembly of a variant."""
    return run([*command_of(folder, variant, target), "-S", "-o", "-", f"{folder}/{variant.file}"]).stdout


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
