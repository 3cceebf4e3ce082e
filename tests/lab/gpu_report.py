#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tables of files that gpu.sh wrote.

gpu_report.py FILE...  what each has, which rows are below their aims, and its races
gpu_report.py --fill   puts the tables of docs/devices/*.json between the marks of README.md and docs/kernels.md
gpu_report.py --check  whether they stand there; 1: a table is another one

A mark is a line <!-- gpu_report.py NAME -->, and behind the table <!-- end of NAME -->.
"""
import glob
import json
import os
import re
import sys
from typing import NamedTuple

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PAGES = {"README.md": ["operators"], "docs/kernels.md": ["devices", "rows"]}


class Rows(NamedTuple):
    """Rows of the bench, whose shares become one figure or a range; each field but of is a pattern of the whole."""

    operator: str
    src: str
    dst: str
    mode: str
    note: str
    of: str = ""  # what the share is of: a name under vs, or the stream loop

    def shares(self, rows):
        found = []
        for row in rows:
            names = (row["operator"], row.get("src", ""), row.get("dst", ""), row.get("mode", ""), row["note"])
            if all(re.fullmatch(pattern, name) for pattern, name in zip(self[:5], names)):
                share = row.get("vs", {}).get(self.of) if self.of else row.get("share_of_stream")
                found += [] if share is None else [share]
        return found


class Line(NamedTuple):
    """A line of a table: a cell for each column, in which figures stand for Rows each."""

    label: str
    cells: list
    aim: float = 0


RANDOM = r"prefill 2-D unique, \d+ entries of (1 rows of )?"
TENSOR, EACH256, ROWS96 = "per tensor", "per index of axis 1, inner size 256", ".*, rows of 96"
ROTATED = "rotated by 128, .*"
FLOATS, PLACES = "float32|b?float16", "stream-at-places"
TYPES, LENGTHS = ("int8", "int4"), (128, 1024, 4096)


def quantize(src, dst, mode, note):
    return Rows("quantize", src, dst, mode, note)


def dynamic(src, dst, note, mode="asymmetric"):
    return Rows("dynamic_quantize", src, dst, mode, note)


def dequantize(src, note):
    return Rows("dequantize", src, "float16", "divide|dynamic", note)


def scatter(dst, columns, of=""):
    return Rows("dynamic_quantize_scatter", "float16", dst, "asymmetric", f"{RANDOM}{columns}", of)


def blocks(dst, length):
    return dynamic("float16", dst, f"blocks of {length}, .*")


def of_both(make):
    """A cell for int8 and one for int4."""
    return [[make("int8")], [make("int4")]]


def one_cell(make, *choices):
    """A cell with a figure for each choice."""
    return [[make(*choice) if isinstance(choice, tuple) else make(choice) for choice in choices]]


def by_length(src, dst):
    return one_cell(lambda length: dynamic(src, dst, f"rows of {length}"), *LENGTHS)


# Of README.md: what is quantized to or from int8, and int4.
OPERATORS = [
    Line("`clq_quantize`, float32, float16 and bfloat16, one scale, multiply", of_both(lambda to: quantize(FLOATS, to, "multiply", TENSOR))),
    Line("the same, divide", of_both(lambda to: quantize(FLOATS, to, "divide", TENSOR))),
    Line("divide, rows of 96, or a scale for each 256 elements", of_both(lambda to: quantize(FLOATS, to, "divide", f"{ROWS96}|{EACH256}"))),
    Line("`clq_dynamic_quantize` from float16, rows of 128", of_both(lambda to: dynamic("float16", to, "rows of 128", ".*"))),
    Line("the same, rows of 1,024 and 4,096", of_both(lambda to: dynamic("float16", to, "rows of (1024|4096)", ".*"))),
    Line("the same, blocks of 32, 64, 128", [[blocks(to, length) for length in (32, 64, 128)] for to in TYPES]),
    Line("the same, rotated by 128", of_both(lambda to: dynamic("float16", to, ROTATED))),
    Line("`clq_dynamic_quantize_scatter` at random places, rows of 1,024, of 4,096",
         [[scatter(to, length) for length in (1024, 4096)] for to in TYPES]),
    Line("`clq_dequantize` to float16, one scale", of_both(lambda of: dequantize(of, TENSOR))),
    Line("the same, a scale for each row of 128", of_both(lambda of: dequantize(of, "per row of 128"))),
    Line("the same, rotated back by 128", of_both(lambda of: dequantize(of, ROTATED))),
]

# Of docs/kernels.md: what GPUs have most to gain in comes with the share that it should have.
FOUR = [(x, to) for x in ("float32", "float16") for to in TYPES]
ROWS = [
    Line("quantize, one scale, multiply: to int8, int4", one_cell(lambda to: quantize(FLOATS, to, "multiply", TENSOR), *TYPES), 0.9),
    Line("divide: to int8, int4", one_cell(lambda to: quantize(FLOATS, to, "divide", TENSOR), *TYPES), 0.9),
    Line("a scale for each 256 elements: float32 to int8, to int4; float16 to int8, to int4",
         one_cell(lambda x, to: quantize(x, to, "divide", EACH256), *FOUR), 0.85),
    Line("rows of 96, with a scale for each index: the same", one_cell(lambda x, to: quantize(x, to, "divide", ROWS96), *FOUR)),
    Line("dynamic rows of 128, 1,024, 4,096: float16 to int8", by_length("float16", "int8"), 0.85),
    Line("float16 to int4", by_length("float16", "int4"), 0.85),
    Line("bfloat16 to int8", by_length("bfloat16", "int8"), 0.85),
    Line("bfloat16 to int4", by_length("bfloat16", "int4"), 0.85),
    Line("float32 to int4", by_length("float32", "int4")),
    Line("blocks of 32, of 64, float16: to int8, to int4 each", [[blocks(to, length) for length in (32, 64) for to in TYPES]], 0.85),
    Line("scattered rows of 1,024 at random places, of `stream-at-places`: static to int8; dynamic to int8, int4",
         [[Rows("quantize_scatter", "float16", "int8", "divide", f"{RANDOM}(1024|8 rows of 128)", PLACES)] + [scatter(to, 1024, PLACES) for to in TYPES]], 0.85),
    Line("dequantize to float16, one scale: from int8, int4", one_cell(lambda of: dequantize(of, TENSOR), *TYPES), 0.9),
    Line("a scale for each row of 128", one_cell(lambda of: dequantize(of, "per row of 128"), *TYPES), 0.9),
    Line("gathered, entries of 8 rows of 128", one_cell(lambda of: dequantize(of, "gathered, entries of 8 rows of 128"), *TYPES), 0.85),
    Line("gathered, entries of 1,024", one_cell(lambda of: dequantize(of, "gathered, entries of 1024"), *TYPES)),
    Line("rows rotated by 128: to int8, int4", one_cell(lambda to: dynamic("float16", to, ROTATED), *TYPES), 0.75),
    Line("dequantize, rotated back: from int8, int4", one_cell(lambda of: dequantize(of, ROTATED), *TYPES), 0.75),
    Line("find_scales, absmax: of all, the last axis, the first axis",
         one_cell(lambda of: Rows("find_scales", ".*", "int8", "divide", f"per {of}"), "tensor", "index of the last axis", "index of the first axis"),
         0.9),
]


def span(shares):
    """0.90 to 0.94, or one figure; a dash where nothing was measured."""
    if not shares:
        return "–"
    low, high = f"{min(shares):.2f}", f"{max(shares):.2f}"
    return low if low == high else f"{low} to {high}"


class Run:
    """A file of gpu.sh."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            whole = json.load(file)
        if not isinstance(whole, dict) or not {"device", "parts"} <= set(whole):
            raise ValueError("no file of gpu.sh: it has no device and parts")
        self.whole, self.parts, self.device = whole, whole["parts"], whole["device"]
        benches = [part["bench"] for part in self.parts if "bench" in part]
        self.rows = [row for bench in benches for row in bench["rows"]]
        self.copies = [bench["copy_gbps"] for bench in benches if bench.get("copy_gbps")]
        self.races = [row for part in self.parts for row in part.get("race", [])]

    def cell(self, figures):
        return ", ".join(span(rows.shares(self.rows)) for rows in figures)

    def heading(self):
        copies = f"; a copy moves {span([gbps / 1000 for gbps in self.copies])} TB/s" if self.copies else ""
        return (f"{self.device['name']}, driver {self.device['driver']}, {self.whole['size_mib']:,} MiB of input, "
                f"{self.whole['date'][:10]}, commit {self.whole['commit'][:7]}{copies}.")

    def below(self):
        """Lines of ROWS with a figure that is below its aim; a range counts by its lower end."""
        found = []
        for line in ROWS:
            least = [min(shares) for shares in (rows.shares(self.rows) for rows in line.cells[0]) if shares]
            if least and round(min(least), 2) < line.aim:
                found.append(f"{line.label}: {self.cell(line.cells[0])}, aim {line.aim:.2f}")
        return found

    def missing(self):
        """Parts that are not whole, each as a sentence."""
        found = []
        for part in self.parts:
            left = part.get("bench", part.get("selftest", {})).get("not_run", 0)
            if part["end"] not in ("done", "no such row"):
                said = f": {part['said']}" if part.get("said") else ""
                found.append(f"{part['part']}: {part['end']}" + (f", {left} not run" if left else "") + said)
            found += [f"FAIL {failure}" for failure in part.get("selftest", {}).get("failures", [])]
        return found


def table(head, lines):
    rows = ["| " + " | ".join(cells) + " |" for cells in lines]
    return "\n".join(["| " + " | ".join(head) + " |", "|" + "---|" * len(head)] + rows)


def operators_of(runs):
    """A table for each device."""
    head = ("operator", "to or from int8", "int4")
    return "\n\n".join(run.heading() + "\n\n" + table(head, [[line.label] + [run.cell(cell) for cell in line.cells] for line in OPERATORS])
                       for run in runs)


def devices_of(runs):
    return "\n".join("- " + run.heading() for run in runs)


def rows_of(runs):
    """A column for each device."""
    head = ["share of the stream loop", "aim"] + [run.device["name"] for run in runs]
    return table(head, [[line.label, f"{line.aim:.2f}" if line.aim else "–"] + [run.cell(line.cells[0]) for run in runs] for line in ROWS])


TABLES = {"operators": operators_of, "devices": devices_of, "rows": rows_of}


def race_of(run):
    """The ratios, the largest change first."""
    lines = [(row["is"], f"{row['ratio']:.3f}", f"{row['low']:.3f} to {row['high']:.3f}", row["row"])
             for row in sorted(run.races, key=lambda row: -abs(row["ratio"] - 1))]
    return f"Against {run.whole['against']}, time of that over time of this:\n\n" + table(("this is", "ratio", "of three in four", "row"), lines)


def report(runs):
    print(rows_of(runs))
    for run in runs:
        print(f"\n{operators_of([run])}")
        for title, lines in (("Below their aims", run.below()), ("Not whole", run.missing())):
            if lines:
                print(f"\n{title}:\n" + "\n".join(f"- {line}" for line in lines))
        if run.races:
            print(f"\n{race_of(run)}")


def filled(text, names, runs, page):
    """The page's text with these tables between their marks."""
    for name in names:
        pattern = re.compile(rf"(<!-- gpu_report\.py {name} -->\n).*?(<!-- end of {name} -->\n)", re.S)
        if len(pattern.findall(text)) != 1:
            raise ValueError(f"{page} has the marks of '{name}' {len(pattern.findall(text))} times: once is expected")
        made = TABLES[name](runs)
        text = pattern.sub(lambda marks: f"{marks[1]}\n{made}\n\n{marks[2]}", text)
    return text


def pages(root, write):
    """Names of the pages whose tables are others than docs/devices makes."""
    runs, changed = [Run(path) for path in sorted(glob.glob(f"{root}/docs/devices/*.json"))], []
    for page, names in PAGES.items():
        with open(f"{root}/{page}", encoding="utf-8") as file:
            text = file.read()
        made = filled(text, names, runs, page)
        if made != text:
            changed.append(page)
        if made != text and write:
            with open(f"{root}/{page}", "w", encoding="utf-8") as file:
                file.write(made)
    return changed


def main(arguments):
    if arguments in (["--fill"], ["--check"]):
        try:
            changed = pages(ROOT, arguments == ["--fill"])
        except (OSError, ValueError) as error:
            sys.exit(f"gpu_report.py: {error}")
        for page in changed:
            print(f"{page}: filled" if arguments == ["--fill"] else f"{page} has other tables than docs/devices makes: tests/lab/gpu_report.py --fill")
        return 1 if changed and arguments == ["--check"] else 0
    if not arguments or arguments[0].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    runs = []
    for path in arguments:
        try:
            runs.append(Run(path))
        except (OSError, ValueError) as error:
            sys.exit(f"gpu_report.py: {path}: {error}")
    report(runs)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
