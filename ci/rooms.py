#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Who may know whom: prints each breach, and fails if there was one.

    rooms.py [FOLDER]    of the files below FOLDER, else of the tree that this file lies in

- No two files know each other, by whatever way round: not those of host/ by the functions that they call, nor Python's
  modules by their imports.
- cl/base and cl/index hold what kernels of two folders share, and no chain of includes in cl/ has more than five.
- What a kernel includes reads no name that the kernel's own file defines, unless a comment at its head, or at that of the file
  that includes it, lists it as a parameter: "//   NAME   what it is".
"""
import ast
import os
import re
import subprocess
import sys

DEEPEST = 5


def read_all(pattern):
    names = subprocess.run(["git", "ls-files", "--", pattern], capture_output=True, text=True, check=True).stdout.split()
    texts = {}
    for name in names:
        if os.path.exists(name):
            with open(name, encoding="utf-8") as file:
                texts[name] = file.read()
    return texts


def without_comments(text):
    return re.sub(r'"(?:\\.|[^"\\\n])*"', '""', re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL))


def circles(arrows):
    """The sets of nodes that reach each other; arrows: node to a set of nodes (Tarjan)."""
    found, order, low, stack = [], {}, {}, []

    def visit(node):
        order[node] = low[node] = len(order)
        stack.append(node)
        for other in sorted(arrows[node]):
            if other not in order:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], order[other])
        if low[node] == order[node]:
            at = stack.index(node)
            if len(stack) - at > 1:
                found.append(sorted(stack[at:]))
            del stack[at:]

    for node in sorted(arrows):
        if node not in order:
            visit(node)
    return found


def calls(texts):
    """File to the files whose functions it names."""
    defined = re.compile(r"^(?!static\b|typedef\b)[A-Za-z_][\w \t*]*?[ *](\w+)\([^;{}]*\)\n\{", re.MULTILINE)
    codes = {name: without_comments(text) for name, text in texts.items()}
    homes = {}
    for name, code in codes.items():
        for function in defined.findall(code): # one that two files have is the same, for two systems
            homes[function] = None if function in homes else name
    return {name: {homes[word] for word in set(re.findall(r"(?<!struct )\b\w+\b", code)) if homes.get(word) not in (None, name)}
            for name, code in codes.items()}


def imports(texts):
    """Module to the modules that it imports when it is itself imported."""
    modules = {re.sub(r"(/__init__)?\.py$", "", name)[len("python/"):].replace("/", "."): name for name in texts}
    arrows = {name: set() for name in texts}
    for module, name in modules.items():
        package = module.split(".") if name.endswith("__init__.py") else module.split(".")[:-1]
        for node in ast.parse(texts[name]).body:
            if isinstance(node, ast.ImportFrom):
                base = package[:len(package) + 1 - node.level] + (node.module.split(".") if node.module else [])
                for path in [base if node.module else [], *(base + [alias.name] for alias in node.names)]:
                    arrows[name].add(modules.get(".".join(path), name))
    return {name: others - {name} for name, others in arrows.items()}


# A macro, a struct, a type and a function, and how one that reads it looks.
DEFINITIONS = (
    (re.compile(r"^#define (\w+)", re.MULTILINE), r"\b{}\b"),
    (re.compile(r"^struct (\w+) \{", re.MULTILINE), r"\bstruct {}\b"),
    (re.compile(r"^typedef [^;{]*?(\w+)(?: __attribute__.*)?;", re.MULTILINE), r"\b{}\b"),
    (re.compile(r"^(?:static inline|ALWAYS_INLINE|NO_INLINE|CLQ_HAS_BARRIER)[^;{]*?\b(\w+)\((?:[^()]|\([^()]*\))*\)\n\{", re.MULTILINE), r"\b{}\("),
)


def definitions(code):
    """Name to how it is read."""
    return {name: use.format(name) for pattern, use in DEFINITIONS for name in pattern.findall(code)}


class Kernels:
    """The files of cl/, what each includes, and which kernels reach it."""

    def __init__(self):
        self.texts = {name[len("cl/"):]: text for name, text in read_all("cl").items() if re.search(r"\.(cl|clh|h)$", name)}
        self.codes = {name: without_comments(text) for name, text in self.texts.items()}
        self.includes = {name: re.findall(r'^ *# *include "([^"]+)"', text, re.MULTILINE) for name, text in self.texts.items()}
        self.kernels = {name: self.reached(name) for name in self.texts if name.endswith(".cl")}

    def reached(self, name):
        reached = set()
        waiting = [name]
        while waiting:
            for other in self.includes[waiting.pop()]:
                if other in self.texts and other not in reached:
                    reached.add(other)
                    waiting.append(other)
        return reached

    def chain(self, name):
        chains = [self.chain(other) for other in self.includes[name] if other in self.texts]
        return [name] + max(chains, key=len, default=[])

    def breaches(self):
        for name in sorted(self.texts):
            if name.startswith(("base/", "index/")):
                folders = {kernel.split("/")[0] for kernel, reached in self.kernels.items() if name in reached}
                if len(folders) < 2:
                    yield f"cl/{name} is of {' '.join(folders) or 'no kernel'} alone: that is its folder"
        for kernel in sorted(self.kernels):
            chain = self.chain(kernel)
            if len(chain) > DEEPEST + 1:
                yield f"{len(chain) - 1} includes in a chain, more than {DEEPEST}: {' '.join(chain)}"
            yield from self.names_read(kernel)

    def parameters(self, name):
        head = "".join(line for line in self.texts[name].splitlines(True) if line.startswith("//   "))
        return set(re.findall(r"\b\w+\b", head))

    def names_read(self, kernel):
        own = definitions(self.codes[kernel])
        for name in sorted(self.kernels[kernel]):
            if not name.endswith(".clh"):
                continue
            known = set(definitions(self.codes[name])) | self.parameters(name) | {"ARITHMETIC"}
            for parent in self.kernels[kernel]:
                if name in self.reached(parent):
                    known |= self.parameters(parent)
            for word in sorted(own.keys() - known):
                if re.search(own[word], self.codes[name]):
                    yield f"cl/{name} reads {word} of cl/{kernel}, which is none of its parameters"


def main():
    os.chdir(sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    breaches = list(Kernels().breaches())
    for arrows in (calls({name: text for name, text in read_all("host").items() if name.endswith(".c")}),
                   imports({name: text for name, text in read_all("python/clquant").items() if name.endswith(".py")})):
        breaches += [f"these know each other: {' '.join(circle)}" for circle in circles(arrows)]
    for breach in breaches:
        print(f"rooms: {breach}")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
