# SPDX-License-Identifier: Apache-2.0
"""The library's sentences in Python's words: None, True, the words of options, and the names of numpy's types."""

from __future__ import annotations

import functools
import re
from typing import Any

# Of options, by the operators' rows: words in the order of their numbers, their names in C, and flags.
_choices: dict[str, tuple[str, ...]] = {}
_flags: set[str] = set()
_words = {
    "CLQ_NPU_QINT8": "torch.int8",
    "CLQ_NPU_QUINT8": "torch.quint8",
    "CLQ_NPU_INT32": "torch.int32",
    "CLQ_NPU_QUINT4X2": "torch.quint4x2",
    "CLQ_NPU_FLOAT8_E5M2": "torch.float8_e5m2",
    "CLQ_NPU_FLOAT8_E4M3FN": "torch.float8_e4m3fn",
    "CLQ_NPU_FLOAT4_E2M1FN": "torch_npu.float4_e2m1fn_x2",
}
_KINDS = {0: "int", 1: "uint", 2: "float", 4: "bfloat", 5: "complex"}


def _type_of(match: re.Match[str]) -> str:
    """Return numpy's name of a type that the library has no name for."""
    code, bits, lanes = map(int, match.groups())
    if lanes != 1:
        return match[0]
    return "bool" if code == 6 else f"{_KINDS[code]}{bits}" if code in _KINDS else match[0]


def _number_of_option(match: re.Match[str]) -> str:
    words = _choices[match[1]]
    number = int(match[3])
    return f"{match[1]}{match[2]}{words[number]!r}" if number < len(words) else match[0]


def _flag(match: re.Match[str]) -> str:
    return re.sub(r"\b[01]\b", lambda digit: str(digit[0] == "1"), match[0])


@functools.lru_cache
def _rules() -> tuple[tuple[re.Pattern[str], Any], ...]:
    """Return what becomes of what, one behind the other."""
    return (
        (re.compile(r"\(code (\d+), bits (\d+), lanes (\d+)\)"), _type_of),
        (re.compile(r" ?\(CLQ_AXIS_FIRST\)"), ""),
        (re.compile(r"\bCLQ_AXIS_FIRST(?: \(-\d+\))?"), "0"),
        (re.compile(rf"\b({'|'.join(_choices)})( is | )(\d+)\b"), _number_of_option),
        (re.compile(rf"\b({'|'.join(_words)})\b(?: \(\d+\))?"), lambda match: _words[match[1]]),
        (re.compile(rf"\b(?:{'|'.join(_flags)}) is [01]\b(?:: (?:\w+ )*?it must be [01]\b)?"), _flag),
        (re.compile(r"must be a tensor\b"), "must be an array"),
        (
            re.compile(r"plan is that of another one of calls: .*"),
            "plan is at work for another thread: it must be for one at a time",
        ),
        (re.compile(r"\bNULL\b"), "None"),
    )


def learn(name: str, words: dict[str, str]) -> None:
    """Take an option: a flag, or one of words, by their names in C."""
    if words:
        _choices[name] = max(_choices.get(name, ()), tuple(words.values()), key=len)
        _words.update({c: repr(word) for c, word in words.items()})
    else:
        _flags.add(name)
    _rules.cache_clear()


def in_python(sentence: str) -> str:
    """Say a sentence of the library as those say it who call it from Python."""
    for pattern, instead in _rules():
        sentence = pattern.sub(instead, sentence)
    return sentence
