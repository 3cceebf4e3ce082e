# SPDX-License-Identifier: Apache-2.0
"""Figures of kernels that Intel's compiler made before, for it takes a second for each. They are kept by all that they depend
on, so that a change of a comment or of another kernel costs nothing: the kernel's text without comments, the target, the
compiler's library, and the text of the readers."""
import glob
import hashlib
import json
import os
import threading

import intel
import measure

HERE = os.path.dirname(os.path.abspath(__file__))
READERS = (f"{HERE}/intel.py", f"{HERE}/loads.py")


class Figures:
    """found: how many were known."""

    def __init__(self, ocloc, path=None):
        cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
        self.path = path or f"{cache}/clquant-gpu-code/intel.txt"
        self.lock = threading.Lock()
        self.found = 0
        self.known = {}
        self.start = hashlib.sha256()
        for file in (*READERS, *sorted(glob.glob(f"{ocloc}/usr/lib/*/libigc.so.1.*"))):
            with open(file, "rb") as opened:
                self.start.update(opened.read())
        if os.path.exists(self.path):
            with open(self.path, encoding="ascii") as file:
                for line in file:
                    key, _, figures = line.partition(" ")
                    if figures.endswith("}\n"):  # not the line of a run that was ended
                        self.known[key] = json.loads(figures)

    def key_of(self, folder, variant, target):
        text = measure.run([*measure.front_of(folder, variant), "-target", "spir64", "-E", "-P", "-o", "-",
                            measure.path_of(folder, variant)]).stdout
        text = "\n".join(line for line in text.splitlines() if line.strip())  # a comment leaves an empty one
        digest = self.start.copy()
        digest.update("\0".join([target, *intel.options_of("", variant), text]).encode())
        return digest.hexdigest()[:32]

    def get(self, key, make):
        """The figures of a key: the known ones, else what make returns, which is kept."""
        if key in self.known:
            self.found += 1
            return self.known[key]
        figures = make()
        with self.lock:
            self.known[key] = figures
            os.makedirs(os.path.dirname(self.path), exist_ok=True)
            with open(self.path, "a", encoding="ascii") as file:
                file.write(f"\n{key} {json.dumps(figures)}\n")
        return figures
