"""Compares a shown output with a real one.

The normalisation: numbers with a decimal point, an exponent or a unit, with their ± part, intervals in brackets, and dates and hashes become N,
and runs of spaces become one space. Whole numbers without a unit, and all words, must be equal. A shown line that begins with …
stands for any number of lines. Empty lines do not count.
"""

import re

NUMBER = r"[-+−]?\d[\d,]*(?:\.\d+)*(?:[eE][-+]?\d+)?"
FRACTION = r"[-+−]?\d[\d,]*(?:(?:\.\d+)+(?:[eE][-+]?\d+)?|[eE][-+]?\d+)"
UNIT = r"(?:[nuµm]?s|min|h|[KMGT]i?B|B|%|[KMGT]?FLOP|[KMGT]?B/s|[KMGT]?FLOP/s|(?:samples|images|tokens)/s)"
NOT_WITHIN = r"(?<![\w.])"
RULES = [
    (re.compile(r"\b[0-9a-f]{16,}\b"), "N"),
    (re.compile(r"\b\d{4}-?\d\d-?\d\d(?:[-T ]\d\d:?\d\d:?\d\d(?:\.\d+)?Z?)?\b"), "N"),
    (re.compile(rf"{NOT_WITHIN}{NUMBER} \[{NUMBER}, {NUMBER}\](?: {UNIT}(?![\w/]))?"), "N"),
    (re.compile(rf"{NOT_WITHIN}{NUMBER}(?: ± {NUMBER})? ?{UNIT}(?![\w/])"), "N"),
    (re.compile(rf"{NOT_WITHIN}{FRACTION}(?![\w.])"), "N"),
    (re.compile(r"\s+"), " "),
]


def normalised(line):
    for pattern, replacement in RULES:
        line = pattern.sub(replacement, line)
    return line.strip()


def normalised_lines(lines):
    return [line for line in map(normalised, lines) if line]


def segments(shown):
    """Splits shown lines at those that begin with …"""
    parts = [[]]
    for line in shown:
        if line.startswith("…"):
            parts.append([])
        else:
            parts[-1].append(line)
    return parts


def place(part, lines, begin):
    """Returns the first index from `begin` at which `lines` contains all of `part`, or None."""
    return next((at for at in range(begin, len(lines) - len(part) + 1) if lines[at:at + len(part)] == part), None)


def differences(shown, real):
    """Returns what is wrong with the shown lines, as a list of texts."""
    shown, real = normalised_lines(shown), normalised_lines(real)
    parts = segments(shown)
    at = 0
    for index, part in enumerate(parts):
        begin = len(real) - len(part) if index == len(parts) - 1 and index > 0 else at
        found = place(part, real, max(at, begin)) if part else at
        if found is None or (index == 0 and found != 0) or (len(parts) == 1 and found + len(part) != len(real)):
            return ["expected, after normalisation:", *part, "found:", *real[at:]]
        at = found + len(part)
    return []


def missing_rows(shown, real):
    """Compares tables that are sorted by measured values: each shown line up to the first empty one must be among the real
    lines, in any order, without the place that begins it."""
    table = shown[:next((i for i, line in enumerate(shown) if not line.strip()), len(shown))]
    rank = re.compile(r"^(\d+[a-z]*|#) ")
    have = {rank.sub("", line) for line in normalised_lines(real)}
    lost = [line for line in normalised_lines(table) if not line.startswith("…") and rank.sub("", line) not in have]
    return ["rows that the output does not have, after normalisation:", *lost, "found:", *sorted(have)] if lost else []


def self_test():
    same = [("971 ± 2444 us  1.213 ± 0.005 ms", "1.2 ± 0.3 ms  7 us"), ("9.30 MiB  0 B", "174 KiB  1 B"), ("12 %   x", "1.3 % x"),
            ("965 [955, 976] us  1.2 [1.1, 1.3]  x", "1.2 [1.1, 1.3] ms  7.00 [6.90, 7.10] x"),
            ("holds 1.1e-06", "holds 0.0e+00"), ("ddlbench 0.1.0", "ddlbench 12.0"), ("1,024 samples/s", "7 samples/s"),
            ("out/a-2026-11-24", "out/a-2025-01-02"), ("contract aae3bf26f4ee2911", "contract 58fde88607e7c884")]
    assert all(normalised(a) == normalised(b) for a, b in same), [(normalised(a), normalised(b)) for a, b in same]
    other = [("13 cases", "12 cases"), ("f32[1x28x28]", "f32[1x27x28]"), ("2×1", "4×1"), ("ddp on 2 ranks", "ddp on 4 ranks"),
             ("44,426", "44,427")]
    assert all(normalised(a) != normalised(b) for a, b in other)
    assert not differences(["a", "", "b  1.5 s"], ["a", "b 2 s"])
    assert differences(["a"], ["a", "b"]) and differences(["b"], ["a", "b"]) and differences(["a", "c"], ["a"])
    assert not differences(["a", "…", "c"], ["a", "b", "c"]) and not differences(["…", "b", "  … 7 more", "d", "…"], list("abcde"))
    assert differences(["a", "…", "c"], ["a", "c", "b"]) and differences(["…", "b", "…", "a", "…"], ["a", "b"])
    assert not missing_rows(["t", " 1 a 1.0", " 2 b 2.0", "", "x"], ["t", " 1 b 1.0", " 2 a 3.0"])
    assert missing_rows(["t", " 1 a 1.0"], ["t", " 1 b 1.0"])
