# SPDX-License-Identifier: Apache-2.0
"""Reads the list of variants and the file of limits, and says which figures break a limit."""
import collections
import itertools

# What a limit is about, and whether it is the most or the least of what may be measured.
MEASURES = {"scratch": "most", "registers": "most", "code": "most", "load": "least", "store": "least",
            "simd": "least", "spill": "most", "instructions": "most", "loop": "most"}
LOOSE = 1.25  # a limit so much above what is measured is worth a line

Variant = collections.namedtuple("Variant", "file plugs")
# figures: measure to value, None or no measure where the target has none, and what has no limit; ptxas: target to registers, stack and spilled bytes
Row = collections.namedtuple("Row", "variant target figures ptxas")
# kind: bar or except; limits: measure to value
Rule = collections.namedtuple("Rule", "line kind file words limits reason")


def text_of(variant):
    return " ".join([variant.file, *(f"{name}={value}" for name, value in variant.plugs.items())])


def read_all(path):
    """All variants of a list, whose sets ("@name a|b") stand at its head."""
    variants, sets = [], {}
    with open(path, encoding="ascii") as file:
        for line in file:
            if not line.strip():
                continue
            kernel, *words = line.split()
            if kernel.startswith("@"):
                sets[kernel] = words[0]
                continue
            names = [word.partition("=")[0] for word in words]
            lists = [word.partition("=")[2] for word in words]
            for values in itertools.product(*(sets.get(values, values).split("|") for values in lists)):
                variants.append(Variant(kernel, dict(zip(names, values))))
    return variants


def read_variants(path):
    """The variants that a GPU runs: in the form of a group, without hints of prefetching."""
    return [variant for variant in read_all(path)
            if not variant.file.startswith("cpu/") and variant.plugs.get("FORM", "group") == "group"]


def read_rule(number, line):
    head, limits, reason = ([part.strip() for part in line.split(":", 2)] + ["", ""])[:3]
    kind, kernel, *words = head.split()
    values = {name: value.split("|") for name, value in (word.split("=") for word in words)}
    numbers = {name: int(value) for name, value in (word.split("=") for word in limits.split())}
    if kind not in ("bar", "except") or not numbers or not set(numbers) <= set(MEASURES):
        raise ValueError(f"not a bar or an exception with limits of {', '.join(MEASURES)}")
    if kind == "except" and not reason:
        raise ValueError("an exception says why")
    return Rule(number, kind, kernel, values, numbers, reason)


def read_rules(path):
    rules = []
    with open(path, encoding="ascii") as file:
        for number, line in enumerate(file, 1):
            if not line.strip() or line.startswith("#"):
                continue
            try:
                rule = read_rule(number, line)
            except ValueError as error:
                raise ValueError(f"{path}:{number}: {error}") from error
            rules.append(rule)
    return rules


def holds_for(rule, row):
    plugs = {**row.variant.plugs, "TARGET": row.target}
    return rule.file in ("*", row.variant.file) and all(plugs.get(name) in values
                                                        for name, values in rule.words.items())


def keeps(measure, value, limit):
    return value <= limit if MEASURES[measure] == "most" else value >= limit


def worst(measure, values):
    return max(values) if MEASURES[measure] == "most" else min(values)


def is_loose(measure, value, limit):
    return limit > value * LOOSE if MEASURES[measure] == "most" else limit < value


def last_rule(rules, kind, measure, row):
    """Of several rules that hold, the last one counts."""
    return next((rule for rule in reversed(rules)
                 if rule.kind == kind and measure in rule.limits and holds_for(rule, row)), None)


def judge(rules, rows):
    """A sentence for each figure beyond its limit."""
    faults = []
    for row in rows:
        for measure, value in row.figures.items():
            rule = (last_rule(rules, "except", measure, row) or last_rule(rules, "bar", measure, row)
                    if value is not None and measure in MEASURES else None)
            if rule and not keeps(measure, value, rule.limits[measure]):
                faults.append(f"{text_of(row.variant)} on {row.target}: {measure} {value}, at {MEASURES[measure]} "
                              f"{rule.limits[measure]} by line {rule.line}")
    return faults


def judge_exceptions(rules, rows, all_rows):
    """Faults and remarks about exceptions: that none of the rows needs, or that hold for none of all_rows, of which the
    figures do not matter; and that are far from what is measured."""
    faults, remarks = [], []
    for rule in rules:
        for measure, limit in rule.limits.items() if rule.kind == "except" else ():
            at = f"line {rule.line}: {measure}={limit}"
            used = [row for row in rows if row.figures.get(measure) is not None
                    and last_rule(rules, "except", measure, row) is rule]
            if not any(holds_for(rule, row) for row in all_rows):
                faults.append(f"{at} holds for no variant; take it out")
            elif used:
                measured = worst(measure, [row.figures[measure] for row in used])
                bars = ((row.figures[measure], last_rule(rules, "bar", measure, row)) for row in used)
                if all(bar and keeps(measure, value, bar.limits[measure]) for value, bar in bars):
                    faults.append(f"{at} is no longer needed, the bar is kept ({measured}); take it out")
                elif is_loose(measure, measured, limit):
                    remarks.append(f"{at}, and {measured} is measured; tighten it")
    return faults, remarks
