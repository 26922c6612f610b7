"""Writes cases for unit/calibration/test_sklearn_calibration.c: scores at random, and the calibrations that
scikit-learn fits to them.

A case is a line "case ROWS", a line per row (score, weight, 1 if it is a hit), a line "sigmoid SLOPE
OFFSET", a line "isotonic COUNT" and after it COUNT lines with a score and its probability, and "end".
"""

import warnings

import numpy as np
from sklearn.calibration import _sigmoid_calibration
from sklearn.isotonic import IsotonicRegression

warnings.simplefilter("ignore")
random = np.random.default_rng(7)


def case(rows, noise, ties, weighted, share):
    hit = (random.random(rows) < share).astype(int)
    hit[:2] = 0, 1
    score = (2 * hit - 1) + noise * random.normal(size=rows)
    if ties:
        score = np.round(score * 2) / 2
    weight = np.ones(rows)
    if weighted:
        weight = np.float32(random.random(rows) * 3).astype(float)
        weight[3:5] = 0
    print("case", rows)
    for row in zip(score, weight, hit):
        print("%.17g %.17g %d" % row)
    # P = 1 / (1 + exp(A score + B)) there.
    a, b = _sigmoid_calibration(score, hit, weight)
    print("sigmoid %.17g %.17g" % (-a, -b))
    fitted = IsotonicRegression(out_of_bounds="clip").fit(score, hit, weight)
    asked = np.concatenate([score[:100], np.linspace(score.min() - 1, score.max() + 1, 101)])
    print("isotonic", len(asked))
    for x, y in zip(asked, fitted.predict(asked)):
        print("%.17g %.17g" % (x, y))
    print("end")


for rows in (200, 2000):
    for noise in (1, 2, 5):
        for ties in (False, True):
            for weighted in (False, True):
                for share in (0.5, 0.1):
                    case(rows, noise, ties, weighted, share)
