# SPDX-License-Identifier: Apache-2.0
"""How wide the loads and stores of a kernel's main loops are, read from AMD's assembly or NVIDIA's PTX."""
import collections
import re

LABEL = re.compile(r"^([.$]L\w+):")
BLOCK = re.compile(r"^(?:[.$]L\w+:|; %bb\.)")
BRANCH = re.compile(r"^\s+(?:@\S+\s+)?(?:s_c?branch\w*|bra(?:\.uni)?)\s+([.$]\w+)")
# Loads through scalar registers (s_load), which all work-items share, are none of these; scratch is buffer_load there and
# ld.local here. Without a name of a memory, the load may be from any.
LOAD = (re.compile(r"^\s+(?:global|flat)_load_([a-z0-9]+)"),
        re.compile(r"^\s+(?:@\S+\s+)?ld(?:\.volatile)?(?:\.global(?:\.nc)?)?(?:\.v([24]))?\.[a-z](\d+)\s"))
STORE = (re.compile(r"^\s+(?:global|flat)_store_([a-z0-9]+)"),
         re.compile(r"^\s+(?:@\S+\s+)?st(?:\.volatile)?(?:\.global)?(?:\.v([24]))?\.[a-z](\d+)\s"))
AMD_BYTES = {"dword": 4, "dwordx2": 8, "dwordx3": 12, "dwordx4": 16, "byte": 1, "ubyte": 1, "sbyte": 1, "ushort": 2,
             "sshort": 2, "short": 2}
# Arithmetic of values, and stores. Indices are decoded in 64 bits, and what is found of them stays in registers.
WORKS = re.compile(r"^\s+(?:@\S+\s+)?(?:v_\w+_f(?:16|32)|v_(?:pk_)?(?:max|min)3?_[iu](?:16|32)|(?:global|flat)_store"
                   r"|(?:add|sub|mul|fma|div|rcp|cvt|max|min)\.(?:\w+\.)*(?:f16|f32|[su]16|[su]32)|st\.(?:global|[vbusf]))")


def access_bytes(line, access):
    """How many bytes of global memory a work-item loads, or stores, by this line; 0 where it does not."""
    amd = access[0].match(line)
    if amd:
        return AMD_BYTES[amd.group(1)]
    ptx = access[1].match(line)
    return int(ptx.group(1) or 1) * int(ptx.group(2)) // 8 if ptx else 0


def find_loops(lines):
    """First and last line of each loop: from the target of a branch back to the last such branch. No block of a loop
    lies outside of these spans, in whatever order the compiler put them."""
    labels = {match.group(1): number for number, line in enumerate(lines) if (match := LABEL.match(line))}
    ends = {}
    for number, line in enumerate(lines):
        match = BRANCH.match(line)
        if match and labels.get(match.group(1), number) < number:
            ends[labels[match.group(1)]] = number
    return list(ends.items())


def widest(assembly, access):
    """The widest access, LOAD or STORE, of the loops that compute or store, in bytes; 0 where there is none.

    A block of such a loop counts by its narrowest one: scales of 16 bytes do not hide values of 2 beside them, and a
    wide index is none of the values. A kernel that has no such loop counts whole."""
    lines = assembly.splitlines()
    loops = find_loops(lines)
    blocks = collections.defaultdict(list)  # (loop, first line): bytes of each access
    working = set()
    block = 0
    for number, line in enumerate(lines):
        if BLOCK.match(line) or BRANCH.match(line):
            block = number
        size, works = access_bytes(line, access), WORKS.match(line)
        if not size and not works:
            continue
        loop = min(((last - first, first) for first, last in loops if first <= number <= last), default=None)
        if size:
            blocks[loop, block].append(size)
        if works and loop:
            working.add(loop)
    main = [min(sizes) for (loop, _), sizes in blocks.items() if loop in working]
    return max(main or [min(sizes) for sizes in blocks.values()], default=0)
