"""hard_proofs.py: data built to break floating point. Small sets of whole numbers are moved far away,
squeezed and mixed, exactly, so that the answer stays what it was: margins of 1e-12 and less, features
of 1e15 beside 1e-15, rows that are nearly alike with opposite labels. Each proof is checked."""

import os
import random
import subprocess
from fractions import Fraction

from check_proof import check

TLU = os.environ["TLU"]


def decimal(value):
    """A fraction whose denominator is a power of ten, written out."""
    places = 0
    while value.denominator != 1:
        value *= 10
        places += 1
    digits = str(abs(value.numerator)).rjust(places + 1, "0")
    text = digits if places == 0 else digits[:-places] + "." + digits[-places:]
    return ("-" if value < 0 else "") + text


def verdict(rows, labels, name):
    with open(name, "w") as file:
        for x, y in zip(rows, labels):
            file.write(" ".join([str(y)] + [f"{j}:{decimal(v)}" for j, v in enumerate(x, 1)]) + "\n")
    run = subprocess.run([TLU, "separable", name, "--proof", name + ".proof", "--quiet"], capture_output=True, text=True)
    assert run.returncode in (0, 1), f"{name}: {run.returncode} {run.stdout}{run.stderr}"
    claim = check(name + ".proof", name)
    assert claim == ["separable", "not-separable"][run.returncode], claim
    return claim


random.seed(13)
times = 300 if os.environ.get("TLU_LONG") else 40
counts = {"separable": 0, "not-separable": 0}
for trial in range(times):
    width, count = random.randint(1, 4), random.randint(3, 12)
    rows = [[Fraction(random.randint(-3, 3)) for _ in range(width)] for _ in range(count)]
    labels = [1, -1] + [random.choice((1, -1)) for _ in range(count - 2)]
    expected = verdict(rows, labels, "small.svm")
    counts[expected] += 1
    # Features squeezed by up to 1e-15 or stretched by 1e15, then moved by up to 1e15.
    factors = [Fraction(10) ** random.randint(-15, 15) for _ in range(width)]
    moves = [Fraction(random.randint(-10**15, 10**15)) for _ in range(width)]
    moved = [[v * f + m for v, f, m in zip(x, factors, moves)] for x in rows]
    assert verdict(moved, labels, "moved.svm") == expected, trial
    # Each feature with a large multiple of another added: nearly the same rows, of opposite labels.
    mixed = [[v * Fraction(1, 10**12) + 7 * x[j - 1] for j, v in enumerate(x)] if width > 1 else x for x in rows]
    if width == 2:  # the mix of two is invertible
        assert verdict(mixed, labels, "mixed.svm") == expected, trial
assert min(counts.values()) > times / 10, counts

# Two rows that differ in the 30th digit.
near = [[Fraction(1, 3).limit_denominator(1) + Fraction(10**29 + k, 10**30)] for k in (0, 1)]
assert verdict(near, [1, -1], "near.svm") == "separable"
assert verdict(near + [[2 * near[1][0] - near[0][0]]], [1, -1, 1], "near.svm") == "not-separable"
assert verdict([[Fraction(1, 10**60)], [Fraction(0)]], [1, -1], "tiny.svm") == "separable"
print("fine")
