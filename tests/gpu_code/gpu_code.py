# SPDX-License-Identifier: Apache-2.0
"""What GPUs' compilers make of the kernels, on a machine without a GPU, held against limits.txt.

    gpu_code.py [--sample] [--table] [TEXT]

Compiles every variant in the form of a group for each target of measure.py, and of intel.py where Intel's compiler is, and
prints the worst and the median of each kernel. --table: a row for each variant too. TEXT: only variants whose text contains it.
--sample: a part of them. With either nothing is said of exceptions that are not needed. Ends with 1 where a limit is broken or no
longer needed, with 77 where clang is missing.
"""
import argparse
import collections
import concurrent.futures
import os
import statistics
import sys
import time

import intel
import kept
import limits
import measure

HERE = os.path.dirname(os.path.abspath(__file__))
KERNELS = os.path.normpath(f"{HERE}/../../cl")
# Prime to the number of values of every plug, so that each value is among the variants.
SAMPLE_STEPS = (11, 23)  # one variant in so many, of the first target and of the others
INTEL_STEP = 53  # the same of Intel's, whose compiler takes a second; each has other variants
LEAST = ("waves", "load", "store", "simd")  # the worst of these is the least
# Targets, and their columns.
FAMILIES = ((tuple(measure.TARGETS), ("scratch", "registers", "code", "waves", "load", "store")),
            (intel.TARGETS, intel.COLUMNS))


def pairs_of(variants, targets, sample, has_intel):
    """Pairs of variant and target."""
    pairs = []
    for number, target in enumerate(targets):
        pairs += [(variant, target) for variant in variants[::SAMPLE_STEPS[number > 0] if sample else 1]]
    for number, target in enumerate(intel.TARGETS if has_intel else ()):
        pairs += [(variant, target) for variant in (variants[number::INTEL_STEP] if sample else variants)]
    return pairs


def measure_one(pair, ptxas, ocloc, figures):
    variant, target = pair
    if target in intel.TARGETS:
        key = figures.key_of(KERNELS, variant, target)
        return limits.Row(variant, target, figures.get(key, lambda: intel.read(
            intel.compile_kernel(ocloc, KERNELS, variant, target))), {})
    assembly = measure.compile_kernel(KERNELS, variant, target)
    by_ptxas = measure.read_ptxas(ptxas, assembly) if ptxas and target == "nvptx64" else {}
    return limits.Row(variant, target, measure.read(assembly, target), by_ptxas)


def ptxas_words(row):
    return [f"{target}: {registers} registers, {stack} stack, {spilled} spilled"
            for target, (registers, stack, spilled) in row.ptxas.items()]


def print_table(rows, columns):
    print("target  " + "".join(f"{name:>13}" for name in columns) + "  variant")
    for row in rows:
        cells = "".join(f"{'-' if row.figures[name] is None else row.figures[name]:>13}" for name in columns)
        print(f"{row.target:8}{cells}  {'; '.join([limits.text_of(row.variant), *ptxas_words(row)])}")
    print()


def pair_of(values, least):
    """The worst of some values and their median, as a cell."""
    values = [value for value in values if value is not None]
    if not values:
        return "-"
    return f"{min(values) if least else max(values)}/{round(statistics.median(values))}"


def print_summary(rows, columns):
    """The worst and the median of each kernel and arithmetic: the most, but the least of LEAST."""
    groups = collections.defaultdict(list)
    for row in rows:
        groups[row.target, row.variant.file, row.variant.plugs.get("ARITHMETIC", "-")].append(row)
    heads = [*columns, *(measure.PTXAS_TARGETS if any(row.ptxas for row in rows) else ())]
    print("worst/median\ntarget  kernel               arithmetic variants" + "".join(f"{head:>13}" for head in heads))
    for (target, kernel, arithmetic), members in groups.items():
        cells = [pair_of([row.figures[name] for row in members], name in LEAST) for name in columns]
        cells += [pair_of([row.ptxas[name][0] for row in members if row.ptxas], False) for name in heads[len(columns):]]
        print(f"{target:8}{kernel:21}{arithmetic:11}{len(members):8}" + "".join(f"{cell:>13}" for cell in cells))
    print()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sample", action="store_true")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("text", nargs="?", default="", metavar="TEXT")
    options = parser.parse_args()
    lacking = measure.missing()
    if lacking:
        print(f"gpu_code: skipped, {lacking}")
        return 77

    start = time.monotonic()
    rules = limits.read_rules(f"{HERE}/limits.txt")
    variants = [variant for variant in limits.read_variants(f"{KERNELS}/variants.txt")
                if options.text in limits.text_of(variant)]
    if not variants:
        sys.exit(f"gpu_code: no variant contains '{options.text}'")
    ptxas = None if options.sample else measure.find_ptxas()
    ocloc = intel.find_ocloc()
    if ocloc is None:
        print("gpu_code: no ocloc, Intel's GPUs are left out (ci/intel.sh gets it)")
    figures = kept.Figures(ocloc)
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        try:
            rows = list(pool.map(lambda pair: measure_one(pair, ptxas, ocloc, figures),
                                 pairs_of(variants, measure.PRESENT, options.sample, ocloc is not None)))
        except measure.CompileError as error:
            pool.shutdown(cancel_futures=True)
            sys.exit(f"gpu_code: {error}")
    for targets, columns in FAMILIES:
        members = [row for row in rows if row.target in targets]
        if members and options.table:
            print_table(members, columns)
        if members:
            print_summary(members, columns)

    faults, remarks = limits.judge(rules, rows), []
    if not options.text and not options.sample:
        all_rows = [limits.Row(variant, target, {}, {}) for variant, target in pairs_of(variants, measure.TARGETS, False, True)]
        needless, remarks = limits.judge_exceptions(rules, rows, all_rows)
        faults += needless
    for sentence in remarks:
        print(f"limits.txt, {sentence}")
    for sentence in faults:
        print(f"FAULT: {sentence}")
    print(f"{len(rows)} kernels, {figures.found} of them known from before, in {time.monotonic() - start:.0f} s, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
