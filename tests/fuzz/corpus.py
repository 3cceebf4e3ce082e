#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Packs a folder of fuzzer inputs into one text file, and unpacks it again.

    corpus.py pack FOLDER FILE      every file of FOLDER becomes a line of FILE: its bytes in hex
    corpus.py unpack FILE FOLDER    every line of FILE becomes a file of FOLDER, named as libFuzzer names inputs

The lines are sorted and each stands there once, so that a corpus with one more input differs in one line.
"""
import hashlib
import os
import sys


def pack(folder, path):
    lines = set()
    for entry in os.scandir(folder):
        if entry.name.startswith("."):
            continue
        with open(entry.path, "rb") as file:
            content = file.read()
        if content:  # each input is replayed cut at every length, and so the empty one always is
            lines.add(content.hex())
    if not lines:
        sys.exit(f"corpus.py: no inputs in {folder}: {path} is left as it is")
    with open(path + ".part", "w", encoding="ascii", newline="\n") as file:
        file.writelines(line + "\n" for line in sorted(lines))
    os.replace(path + ".part", path)


def read(path):
    with open(path, encoding="ascii") as file:
        for number, line in enumerate(file, 1):
            digits = line.rstrip("\n")
            try:
                content = bytes.fromhex(digits)
            except ValueError:
                content = b""
            if content.hex() != digits or not content:
                sys.exit(f"corpus.py: {path}:{number}: not the bytes of an input in lower-case hex")
            yield content


def unpack(path, folder):
    inputs = list(read(path))  # all lines are right before the first file is written
    os.makedirs(folder, exist_ok=True)
    for content in inputs:
        with open(os.path.join(folder, hashlib.sha1(content).hexdigest()), "wb") as file:
            file.write(content)


def main():
    commands = {"pack": pack, "unpack": unpack}
    if len(sys.argv) != 4 or sys.argv[1] not in commands:
        sys.exit("usage: corpus.py pack FOLDER FILE | corpus.py unpack FILE FOLDER")
    try:
        commands[sys.argv[1]](sys.argv[2], sys.argv[3])
    except (OSError, UnicodeDecodeError) as error:
        sys.exit(f"corpus.py: {error}")


main()
