#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether compilers make the same code of two states of cl/: the proof that a change of the kernels' text changes nothing.

    same_code.py A B [--share N] [TEXT]

A and B are commits, or folders that hold a tree. TEXT: only variants whose text contains it. --share: one output in N. A GPU's variant is compared as the assembly of each target of tests/gpu_code, the others as the LLVM IR of
this machine's kind for several processors. Comments, names of files and debug information do not count. Ends with 1 where a
variant differs or is in one of the two alone, with 77 where a compiler is missing.
"""
import argparse
import collections
import concurrent.futures
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import time
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.normpath(f"{HERE}/../gpu_code"))
import limits  # noqa: E402
import measure  # noqa: E402

# Of a CPU's own kernels: each way of cl/cpu/choices.clh by the processor that takes it.
CPU_TARGETS = {
    "sse2": ["-march=x86-64"],
    "avx2": ["-march=haswell"],
    "avx512": ["-march=skylake-avx512"],
    "amd": ["-march=skylake-avx512", "-DCLQ_IS_AMD=1"],
}
SHOWN = 20  # lines of a difference

Work = collections.namedtuple("Work", "variant target")


def is_gpus(variant):
    return not variant.file.startswith("cpu/") and variant.plugs.get("FORM", "group") == "group"


def targets_of(variant):
    if is_gpus(variant):
        return measure.PRESENT
    return list(CPU_TARGETS) if variant.file.startswith("cpu/") else ["avx2"]


def command_of(work):
    """Of a portable kernel in the form of an item the CPU's compiler is the only one that meets it."""
    if is_gpus(work.variant):
        return measure.command_of(".", work.variant, work.target)
    return [*measure.front_of(".", work.variant), "-target", "x86_64-linux-gnu", *CPU_TARGETS[work.target],
            "-ffp-contract=off", "-Wno-psabi", "-emit-llvm"]


# Of IR and assembly: remarks, and what names the file, the compiler or a place in the text.
NO_CODE = re.compile(r"^\s*(;|//).*$|^(source_filename|!).*$|^\s*\.(file|ident|loc)\b.*$|\s+;.*$", re.MULTILINE)
STRUCT = re.compile(r"%struct\.[\w.]+")  # whose name is no code either
# The cheapest first: of the same text, or the same IR before any pass, the same code is made.
TEXT = ["-E", "-P"]
STEPS = (TEXT, ["-Xclang", "-disable-llvm-passes", "-emit-llvm", "-S"], ["-S"])


def compile_for(folder, work, options):
    """The lines of a compiler's output for a variant, without what is no code."""
    command = [*command_of(work), *options, "-o", "-", measure.path_of(folder, work.variant)]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise measure.CompileError(f"{' '.join(command)}\n{result.stderr[:2000]}")
    code = result.stdout if options == TEXT else STRUCT.sub("%struct", NO_CODE.sub("", result.stdout))
    return [line.rstrip() for line in code.splitlines() if line.strip()]


def difference_of(folders, work):
    """The lines that differ, as pairs; none where the code is the same."""
    for options in STEPS:
        first, second = (compile_for(folder, work, options) for folder in folders)
        if first == second:
            return []
    pairs = [pair for pair in zip(first, second) if pair[0] != pair[1]]
    if len(first) != len(second):
        pairs.append((f"{len(first)} lines", f"{len(second)} lines"))
    return pairs


def unpack(state, folder):
    """cl/ of a commit or of a folder, as a folder."""
    if os.path.isdir(state):
        return f"{os.path.abspath(state)}/cl"
    path = f"{folder}/{len(os.listdir(folder))}"
    os.mkdir(path)
    top = subprocess.run(["git", "-C", HERE, "rev-parse", "--show-toplevel"], capture_output=True, text=True, check=True)
    with subprocess.Popen(["git", "-C", top.stdout.strip(), "archive", state, "cl"], stdout=subprocess.PIPE) as git:
        with tarfile.open(fileobj=git.stdout, mode="r|") as archive:
            archive.extractall(path)
    return f"{path}/cl"


def works_of(variants, share):
    """By a hash, so that a share has every value of every plug."""
    works = [Work(variant, target) for variant in variants for target in targets_of(variant)]
    return [work for work in works if zlib.crc32(f"{work.target} {limits.text_of(work.variant)}".encode()) % share == 0]


def compare(folders, works):
    """The works whose code differs, each with its difference."""
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        try:
            differences = list(pool.map(lambda work: difference_of(folders, work), works))
        except measure.CompileError as error:
            pool.shutdown(cancel_futures=True)
            sys.exit(f"same_code: {error}")
    return [(work, difference) for work, difference in zip(works, differences) if difference]


def report(differing):
    for work, pairs in differing:
        print(f"{work.target}: {limits.text_of(work.variant)}")
    if differing:
        work, pairs = differing[0]
        print(f"\nthe first of them, {work.target}: {limits.text_of(work.variant)}")
        for before, after in pairs[:SHOWN]:
            print(f"  A {before}\n  B {after}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("states", nargs=2, metavar="STATE")
    parser.add_argument("--share", type=int, default=1, metavar="N")
    parser.add_argument("text", nargs="?", default="", metavar="TEXT")
    options = parser.parse_intermixed_args()
    if options.share < 1:
        parser.error(f"--share is {options.share}: it must be 1 or more")
    lacking = measure.missing()
    if lacking:
        print(f"same_code: skipped, {lacking}")
        return 77

    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        folders = [unpack(state, folder) for state in options.states]
        lists = [{limits.text_of(variant): variant for variant in limits.read_all(f"{path}/variants.txt")
                  if options.text in limits.text_of(variant)} for path in folders]
        alone = sorted(lists[0].keys() ^ lists[1].keys())
        works = works_of([variant for text, variant in lists[0].items() if text in lists[1]], options.share)
        if not works and not alone:
            sys.exit(f"same_code: no variant contains '{options.text}'")
        differing = compare(folders, works)
    for text in alone:
        print(f"in {'A' if text in lists[0] else 'B'} alone: {text}")
    report(differing)
    print(f"{len({limits.text_of(work.variant) for work in works})} variants compared as {len(works)} outputs in "
          f"{time.monotonic() - start:.0f} s: {len(differing)} differ, {len(alone)} in one alone")
    return 1 if differing or alone else 0


if __name__ == "__main__":
    sys.exit(main())
