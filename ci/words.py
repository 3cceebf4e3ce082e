#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Words of the library: prints each breach, and fails if there was one.

- An identifier has the field's word, where this project once had one of its own (WORDS).
- A sentence of a comment has its noun: none begins with what, of, those, so or where.

The command, the tests and the examples are still to follow."""
import os
import re
import subprocess
import sys

FILES = ("cl", "include", "host/base", "host/ops", "host/plan", "host/runtime")
WORDS = {"careful": "slow", "doubtful": "uncertain", "wild": "extreme", "told": "reported", "apart": "stride, disjoint or scales_first",
         "meet": "barrier", "meets": "barrier", "looked": "scan", "work": "checked call"}
KNOWN = {"CL_KERNEL_WORK_GROUP_SIZE", "CL_DEVICE_MAX_WORK_GROUP_SIZE", "CL_INVALID_WORK_GROUP_SIZE"}  # of OpenCL
COMMENT = re.compile(r"/\*.*?\*/|(?:^[ \t]*//[^\n]*\n)+|//[^\n]*", re.DOTALL | re.MULTILINE)
NO_NOUN = re.compile(r"(?:^|[.!?]\)? )\(?((?:What|Of|Those|So|Where)\b[^.]{0,60})")


def sentences_without_noun(comment):
    """Their beginnings; the licence's line is no sentence."""
    text = re.sub(r"^[ \t]*(?:/?\*+/?|//)[ \t]?|[ \t]*\*/$", "", comment, flags=re.MULTILINE)
    return NO_NOUN.findall(" ".join(re.sub(r"SPDX[^\n]*\n", "", text).split()))


def main():
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    names = subprocess.run(["git", "ls-files", "--", *FILES], capture_output=True, text=True, check=True).stdout.split()
    breaches = 0
    for name in names:
        if not re.search(r"\.(c|h|cl|clh)$", name) or not os.path.exists(name):
            continue
        with open(name, encoding="utf-8") as file:
            text = file.read()
        code = re.sub(r'"(?:\\.|[^"\\\n])*"', "", COMMENT.sub("", text))
        for identifier in sorted(set(re.findall(r"[A-Za-z_]\w*", code)) - KNOWN):
            for word in set(identifier.lower().split("_")) & WORDS.keys():
                print(f"words: {name}: {identifier}: the field's word is {WORDS[word]}")
                breaches += 1
        for comment in COMMENT.finditer(text):
            for sentence in sentences_without_noun(comment.group()):
                print(f"words: {name}: a sentence has its noun: {sentence}")
                breaches += 1
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
