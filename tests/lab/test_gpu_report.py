# SPDX-License-Identifier: Apache-2.0
"""gpu_report.py by itself: its tables are those of the files, a page that has others is found and filled, and what is no file is refused."""
import contextlib
import io
import json
import os
import shutil
import tempfile
import unittest

import gpu_report

DEVICES = f"{gpu_report.ROOT}/docs/devices"


def bench_row(operator, src, dst, mode, note, share, **others):
    return {"operator": operator, "src": src, "dst": dst, "mode": mode, "note": note, "share_of_stream": share, **others}


RUN = {
    "date": "2026-01-02T03:04:05Z", "commit": "0123456789", "size_mib": 2048, "against": "old",
    "device": {"name": "A GPU", "driver": "7", "type": "GPU"},
    "parts": [
        {"part": "self-test", "end": "failed", "said": "a line failed", "selftest": {"not_run": 3, "failures": ["find_scales: a byte"]}},
        {"part": "quantize", "end": "done", "bench": {"copy_gbps": 1500, "rows": [
            bench_row("quantize", "float32", "int8", "multiply", "per tensor", 0.914),
            bench_row("quantize", "float16", "int8", "multiply", "per tensor", 0.951),
            bench_row("quantize", "float16", "int4", "multiply", "per tensor", 0.899),
            bench_row("quantize", "float16", "int4", "multiply", "per tensor, and more", 0.1),
            bench_row("dynamic_quantize", "float16", "int8", "asymmetric", "rows of 1024", 0.5),
            {"operator": "quantize", "note": "host cost"}]}},
        {"part": "scatter", "end": "cut off", "bench": {"rows": [
            bench_row("quantize_scatter", "float16", "int8", "divide", "prefill 2-D unique, 9 entries of 1024", 0.7,
                      vs={"stream-at-places": 0.86, "dense": 0.9})], "not_run": 2}},
        {"part": "host cost", "end": "no such row"},
        {"part": "race: quantize", "end": "done", "race": [
            {"row": "one", "is": "same", "ratio": 1.01, "low": 1.0, "high": 1.02, "a_ms": 1, "b_ms": 1},
            {"row": "other", "is": "slower", "ratio": 0.8, "low": 0.79, "high": 0.81, "a_ms": 1, "b_ms": 1.25}]},
    ],
}


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.path = self.write("run.json", json.dumps(RUN))

    def write(self, name, text):
        path = f"{self.folder}/{name}"
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path


class Tables(Case):
    def printed(self, *paths):
        with contextlib.redirect_stdout(io.StringIO()) as out:
            self.assertEqual(gpu_report.main(list(paths)), 0)
        return out.getvalue()

    def test_a_cell_has_the_range_of_its_rows_alone(self):
        said = self.printed(self.path)
        self.assertIn("| quantize, one scale, multiply: to int8, int4 | 0.90 | 0.91 to 0.95, 0.90 |", said)
        self.assertIn("| dynamic rows of 128, 1,024, 4,096: float16 to int8 | 0.85 | –, 0.50, – |", said)
        self.assertIn("A GPU, driver 7, 2,048 MiB of input, 2026-01-02, commit 0123456; a copy moves 1.50 TB/s.", said)

    def test_places_at_random_are_shares_of_the_stream_there(self):
        self.assertRegex(self.printed(self.path), r"static to int8; dynamic to int8, int4 \| 0.85 \| 0.86, –, – \|")

    def test_what_is_below_its_aim_is_named_in_the_tables_order(self):
        below = self.printed(self.path).split("Below their aims:\n")[1].split("\n\n")[0]
        self.assertEqual(below, "- dynamic rows of 128, 1,024, 4,096: float16 to int8: –, 0.50, –, aim 0.85")

    def test_parts_that_are_not_whole_are_named(self):
        missing = self.printed(self.path).split("Not whole:\n")[1].split("\n\n")[0]
        self.assertEqual(missing, "- self-test: failed, 3 not run: a line failed\n- FAIL find_scales: a byte\n- scatter: cut off, 2 not run")

    def test_races_begin_with_the_largest_change(self):
        race = self.printed(self.path).split("Against old")[1]
        self.assertLess(race.index("| slower | 0.800 | 0.790 to 0.810 | other |"), race.index("| same | 1.010 |"))

    def test_several_files_are_a_column_each(self):
        self.assertIn("| share of the stream loop | aim | A GPU | A GPU |", self.printed(self.path, self.path))

    def test_each_line_has_rows_in_a_whole_run(self):
        runs = [gpu_report.Run(f"{DEVICES}/{name}") for name in os.listdir(DEVICES)]
        for line in gpu_report.ROWS + gpu_report.OPERATORS:
            for rows in (rows for cell in line.cells for rows in cell):
                self.assertTrue(any(rows.shares(run.rows) for run in runs), f"{line.label}: {rows}")

    def test_what_is_no_file_of_gpu_sh_is_refused(self):
        for text in ("", "[]", '{"rows": []}'):
            with self.assertRaisesRegex(SystemExit, "^gpu_report.py: .*other.json: "):
                gpu_report.main([self.write("other.json", text)])
        with self.assertRaisesRegex(SystemExit, "nowhere.json"):
            gpu_report.main([f"{self.folder}/nowhere.json"])


class Pages(Case):
    def setUp(self):
        super().setUp()
        self.write("docs/devices/a.json", json.dumps(RUN))
        for page, names in gpu_report.PAGES.items():
            self.write(page, "before\n" + "".join(f"<!-- gpu_report.py {name} -->\nold\n<!-- end of {name} -->\n" for name in names) + "behind\n")

    def test_a_page_with_other_tables_is_found_and_filled(self):
        self.assertEqual(gpu_report.pages(self.folder, False), list(gpu_report.PAGES))
        gpu_report.pages(self.folder, True)
        self.assertEqual(gpu_report.pages(self.folder, False), [])
        with open(f"{self.folder}/README.md", encoding="utf-8") as file:
            text = file.read()
        self.assertTrue(text.startswith("before\n<!--") and text.endswith("-->\nbehind\n") and "old" not in text, text)
        self.write("README.md", text.replace("0.91 to 0.95", "0.92 to 0.95"))
        self.assertEqual(gpu_report.pages(self.folder, False), ["README.md"])

    def test_a_page_without_a_mark_is_refused(self):
        self.write("README.md", "no marks\n")
        with self.assertRaisesRegex(ValueError, "README.md has the marks of 'operators' 0 times"):
            gpu_report.pages(self.folder, True)

    def test_the_pages_of_this_tree_have_the_tables_of_its_devices(self):
        self.assertEqual(gpu_report.pages(gpu_report.ROOT, False), [])


if __name__ == "__main__":
    unittest.main()
