# SPDX-License-Identifier: Apache-2.0
"""Compiles a variant by ocloc, Intel's compiler for its GPUs, which needs none, and reads what came out.

Of a kernel: work-items of a thread (simd), bytes of a thread that did not fit its registers (spill), bytes of private memory of
a work-item (scratch), instructions of the whole and of its main loop, those that multiply integers, of which one of 64 bits
takes several, and how wide the loads and stores of main loops are (loads.py).
"""
import glob
import os
import re
import shutil
import tempfile

import loads
import measure

# Arc's first, laptops of 2020, data centres (Max), and laptops of 2015. Only dg2 and tgllp have a correct quotient by software.
TARGETS = ("dg2", "tgllp", "pvc", "skl")
COLUMNS = ("simd", "spill", "scratch", "instructions", "loop", "products", "load", "store")
REGISTER_BYTES = 32  # of all that send messages of the data cache; pvc's loads and stores name their width

# (W&~f1.0) or (~f0.0), or nothing
PREDICATE = r"^(?:\([^)]*\))?\s+"
LANES = r"\s+\((\d+)\|M\d+\)\s+"
INSTRUCTION = re.compile(rf"{PREDICATE}[a-z]\w*(?:\.\S+)?\s")
# Each mul of 32 bits is begun in the accumulator and ended by a mach or macl, but skl's.
PRODUCT = re.compile(rf"{PREDICATE}(?:mul|mach|macl|mad)\s(?!.*:h?f\b)")
# "wr:2+0, rd:8; untyped surface read with xyzw": the registers that go out, address and data, and that come back. The
# descriptor ends with the surface, and 0xfe is local memory. What a block read gets all work-items share.
MESSAGE = re.compile(rf"{PREDICATE}sends?c?(?:\.\w+)?{LANES}.*?0x[0-9A-F]+([0-9A-F]{{2}})\s+(?:\{{[^}}]*\}}\s*)?"
                     r"// wr:\d+h?\+(\d+), rd:(\d+); (?:hdc\.\w+; )?"
                     r"((?:untyped|byte|a64 dword|a64 qword|a64 byte|dword|qword)\b[^/]*)")
ACCESS = re.compile(rf"{PREDICATE}(load|store)\.ugm\.d(\d+)(?:u32)?(?:x(\d+))?\.a\d+[\w.]*{LANES}")  # without the t of a block
LOCAL_MEMORY = "FE"
WORKS = re.compile(rf"{PREDICATE}(?:(?:mul|add|mad|mac|math\.\w+|rnd\w|frc|c?sel)\s.*:h?f\b"
                   rf"|sel{LANES}\((?:ge|lt)\)f.*:u?[dw]\b|send(?!.*[0-9A-F]FE\s).* write\b|store\.ugm)")


def access_bytes(name, word):
    """A loads.Dialect's function: name is load or store, and word is what a message says of it."""
    def bytes_of(line):
        access = ACCESS.match(line)
        if access and access.group(1) == name and int(access.group(4)) > 1:
            return int(access.group(2)) // 8 * int(access.group(3) or 1)
        message = MESSAGE.match(line)
        if not message or message.group(2) == LOCAL_MEMORY or f" {word}" not in message.group(5):
            return 0
        lanes, data = int(message.group(1)), int(message.group(3 if name == "store" else 4))
        bits = re.search(r"\b(\d+)b\b", message.group(5))
        return 0 if lanes == 1 else int(bits.group(1)) // 8 if bits else data * REGISTER_BYTES // lanes
    return bytes_of


DIALECT = loads.Dialect(
    label=re.compile(r"^(_\w+|L\d+):"), block=re.compile(r"^// B\d+:"),
    branch=re.compile(rf"{PREDICATE}(?:goto|while|jmpi|br[cd])(?:\.b)?\s+(?:\(\d+\|M\d+\)\s+)?([_L]\w+)(?:\s+([_L]\w+))?"),
    works=WORKS, load=access_bytes("load", "read"), store=access_bytes("store", "write"))


def find_ocloc():
    """The folder of ci/intel.sh, which has usr/bin/ocloc; "/" for a machine's own; None where there is none."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    folder = f"{cache}/clquant-ocloc"
    if os.path.exists(f"{folder}/usr/bin/ocloc"):
        return folder
    return "/" if shutil.which("ocloc") else None


def options_of(folder, variant):
    """The options of host/runtime/build.c for an Intel's GPU."""
    name = os.path.basename(variant.file).split(".")[0]
    rounded = ["-cl-fp32-correctly-rounded-divide-sqrt"] if variant.plugs.get("ARITHMETIC") == "native" else []
    return ["-cl-std=CL1.2", *rounded, "-cl-intel-greater-than-4GB-buffer-required", f"-I {folder}",
            f"-DKERNEL_NAME=clq_{name}", *(f"-D{plug}={value}" for plug, value in variant.plugs.items())]


def compile_kernel(ocloc, folder, variant, target):
    """The assembly of a variant; its first lines have the SIMD width and the private memory, which stand in other files."""
    with tempfile.TemporaryDirectory() as dump:
        command = [f"{ocloc}/usr/bin/ocloc" if ocloc != "/" else "ocloc", "compile", "-device", target, "-file",
                   measure.path_of(folder, variant), "-out_dir", dump, "-options", " ".join(options_of(folder, variant))]
        environment = {**os.environ, "IGC_ShaderDumpEnable": "1", "IGC_DumpToCustomDir": f"{dump}/"}
        if ocloc != "/":
            environment["LD_LIBRARY_PATH"] = f"{ocloc}/usr/lib/x86_64-linux-gnu"
        said = measure.run(command, environment=environment)
        attempts = sorted((int(match.group(1) or 0), int(match.group(2)), path) for path in glob.glob(f"{dump}/*.asm")
                          if (match := re.search(r"_asm[0-9a-f]+_(?:(\d+)_)?simd(\d+)_", path)))
        if not attempts:
            raise measure.CompileError(f"{' '.join(command)}\nno assembly was dumped\n{said.stdout}{said.stderr}")
        attempt, simd, path = attempts[-1]  # after too much of a spill it tries again another way
        code = glob.glob(f"{dump}/*_codegen{f'_{attempt}' if attempt else ''}.ll")[0]
        private = re.search(r'"privateMemoryPerWI", i32 (\d+)', read_file(code)).group(1)
        return f"//.simd {simd}\n//.private {private}\n{read_file(path)}"


def read_file(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def remark(assembly, name, default=None):
    match = re.search(rf"^//\.{name} (\d+)", assembly, re.MULTILINE)
    return int(match.group(1)) if match else default


def read(assembly):
    """The figures that stand in the assembly."""
    return {"simd": remark(assembly, "simd"), "spill": remark(assembly, "spill size", 0), "scratch": remark(assembly, "private"),
            "instructions": remark(assembly, "instCount"),
            "loop": loads.main_loop(assembly, DIALECT, INSTRUCTION),
            "products": sum(1 for line in assembly.splitlines() if PRODUCT.match(line)),
            "load": loads.widest(assembly, DIALECT, DIALECT.load), "store": loads.widest(assembly, DIALECT, DIALECT.store)}
