# SPDX-License-Identifier: Apache-2.0
"""How wide the loads and stores of a kernel's main loops are, and how many instructions such a loop has. A dialect says how
to read the assembly: here that of clang, for AMD's GPUs and NVIDIA's PTX."""
import collections
import re

LABEL = re.compile(r"^([.$]L\w+):")
BLOCK = re.compile(r"^(?:[.$]L\w+:|; %bb\.)")
BRANCH = re.compile(r"^\s+(?:@\S+\s+)?(?:s_c?branch\w*|bra(?:\.uni)?)\s+([.$]\w+)")
# Loads through scalar registers (s_load), which all work-items share, are none of these; scratch is buffer_load there and
# ld.local here. Without a name of a memory, the load may be from any.
LOAD = (re.compile(r"^\s+(?:global|flat)_load_(?:d16_(?:hi_)?)?([a-z0-9]+)"),
        re.compile(r"^\s+(?:@\S+\s+)?ld(?:\.volatile)?(?:\.global(?:\.nc)?)?(?:\.v([24]))?\.[a-z](\d+)\s"))
STORE = (re.compile(r"^\s+(?:global|flat)_store_(?:d16_hi_)?([a-z0-9]+)"),
         re.compile(r"^\s+(?:@\S+\s+)?st(?:\.volatile)?(?:\.global)?(?:\.v([24]))?\.[a-z](\d+)\s"))
AMD_BYTES = {"dword": 4, "dwordx2": 8, "dwordx3": 12, "dwordx4": 16, "byte": 1, "ubyte": 1, "sbyte": 1, "ushort": 2,
             "sshort": 2, "short": 2,
             # from RDNA 3 on, with "d16_" or "d16_hi_" before what fills half of a register
             "b32": 4, "b64": 8, "b96": 12, "b128": 16, "b8": 1, "u8": 1, "i8": 1, "b16": 2, "u16": 2, "i16": 2}
# Arithmetic of values, and stores. Indices are decoded in 64 bits, and what is found of them stays in registers.
WORKS = re.compile(r"^\s+(?:@\S+\s+)?(?:v_\w+_f(?:16|32)|v_(?:pk_)?(?:max|min)3?_[iu](?:16|32)|(?:global|flat)_store"
                   r"|(?:add|sub|mul|fma|div|rcp|cvt|max|min)\.(?:\w+\.)*(?:f16|f32|[su]16|[su]32)|st\.(?:global|[vbusf]))")


# label, block, branch, works: how a line begins that is one, of a branch with the labels that it may go to as its groups.
# load, store: of a line, how many bytes of global memory a work-item loads or stores by it; 0 where it does not.
Dialect = collections.namedtuple("Dialect", "label block branch works load store")


def access_bytes(access):
    def bytes_of(line):
        amd = access[0].match(line)
        if amd:
            return AMD_BYTES[amd.group(1)]
        ptx = access[1].match(line)
        return int(ptx.group(1) or 1) * int(ptx.group(2)) // 8 if ptx else 0
    return bytes_of


CLANG = Dialect(LABEL, BLOCK, BRANCH, WORKS, access_bytes(LOAD), access_bytes(STORE))


def find_loops(lines, dialect):
    """First and last line of each loop: from the target of a branch back to the last such branch. No block of a loop
    lies outside of these spans, in whatever order the compiler put them."""
    labels = {match.group(1): number for number, line in enumerate(lines) if (match := dialect.label.match(line))}
    ends = {}
    for number, line in enumerate(lines):
        match = dialect.branch.match(line)
        for label in match.groups() if match else ():
            if labels.get(label, number) < number:
                ends[labels[label]] = number
    return list(ends.items())


def blocks_of(lines, dialect, bytes_of):
    """Bytes of each access, by loop and block, of the loops that compute or store; of all, where there is no such loop.
    A loop is the number of its lines but one, and the first of them."""
    loops = find_loops(lines, dialect)
    blocks = collections.defaultdict(list)
    working = set()
    block = 0
    for number, line in enumerate(lines):
        if dialect.block.match(line) or dialect.branch.match(line):
            block = number
        size, works = bytes_of(line), dialect.works.match(line)
        if not size and not works:
            continue
        loop = min(((last - first, first) for first, last in loops if first <= number <= last), default=None)
        if size:
            blocks[loop, block].append(size)
        if works and loop:
            working.add(loop)
    return {key: sizes for key, sizes in blocks.items() if key[0] in working} or blocks


def widest(assembly, dialect, bytes_of):
    """The widest access, the dialect's load or store, of the loops that compute or store, in bytes; 0 where there is none.

    A block of such a loop counts by its narrowest one: scales of 16 bytes do not hide values of 2 beside them, and a
    wide index is none of the values. A kernel that has no such loop counts whole."""
    blocks = blocks_of(assembly.splitlines(), dialect, bytes_of)
    return max((min(sizes) for sizes in blocks.values()), default=0)


def main_loop(assembly, dialect, instruction):
    """How many instructions the longest loop has that has the widest load, loops inside of it too; None without a loop."""
    lines = assembly.splitlines()
    blocks = blocks_of(lines, dialect, dialect.load)
    wide = max((min(sizes) for sizes in blocks.values()), default=0)
    loops = {loop for (loop, _), sizes in blocks.items() if loop and min(sizes) == wide}
    return max((sum(1 for line in lines[first:first + more + 1] if instruction.match(line)) for more, first in loops), default=None)
