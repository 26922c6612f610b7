"""Writes cases for unit/metrics/test_sklearn.c: rows at random, and what scikit-learn says of them.

A case is a line "case ROWS CLASSES POSITIVE", a line per row (label, guess, weight, scores,
probabilities), a line per metric ("metric NAME VALUE", nan if scikit-learn has no answer), the points
of curves ("roc CLASS COUNT" or "pr CLASS COUNT", then threshold, x, y), and "end". A case of several
labels per row begins with "sets ROWS LABELS"; a row is the number of its labels, they, the number of
guesses, they, weight and scores. Exit code 77: there is no scikit-learn.
"""

import sys
import warnings

try:
    import numpy as np
    import sklearn.metrics as m
except ImportError:
    sys.exit(77)

warnings.simplefilter('ignore')
random = np.random.default_rng(15)


def weights_at_random(kind, rows):
    return {'none': np.ones(rows), 'whole': random.integers(0, 4, rows).astype(float),
            'real': random.exponential(size=rows) * 10.0 ** random.integers(-3, 3, rows)}[kind]


def rows_at_random(classes, rows, ties, weights, missing):
    """Labels that scores have something to do with; of `missing` classes no row is one."""
    present = [c for c in range(classes) if c not in missing.get('labels', ())]
    labels = random.choice(present, rows)
    scores = random.normal(size=(rows, classes)) + 1.2 * (labels[:, None] == np.arange(classes))
    if ties:
        scores = np.round(scores * 2) / 2
    for c in missing.get('guesses', ()):
        scores[:, c] = -9 - random.integers(0, 2, rows)
    if classes == 2:  # the score of the positive class, at or above 0
        scores = scores[:, 1:] - scores[:, :1]
        guesses = (scores[:, 0] >= 0).astype(int)
        chances = 1 / (1 + np.exp(-scores[:, 0]))
        chances = np.stack([1 - chances, chances], axis=1)
    else:
        guesses = scores.argmax(axis=1)
        chances = np.exp(scores - scores.max(axis=1, keepdims=True))
        chances /= chances.sum(axis=1, keepdims=True)
    if ties:  # certain ones, too: the logarithm of 0
        sure = random.random(rows) < 0.1
        chances[sure] = np.eye(classes)[random.integers(0, classes, sure.sum())]
    return labels, guesses, weights_at_random(weights, rows), scores, chances


def answer(function, *args, **options):
    try:
        return float(function(*args, **options))
    except ValueError:
        return float('nan')


def of_two(labels, guesses, weight, scores, chances, positive):
    """What is about the positive class; scores are its own."""
    own, w = labels == positive, {'sample_weight': weight}
    yield 'roc-auc', answer(m.roc_auc_score, own, scores[:, 0], **w)
    yield 'average-precision', answer(m.average_precision_score, own, scores[:, 0], **w)
    yield 'brier', m.brier_score_loss(own, chances[:, positive], pos_label=True, **w)
    spread = np.append(scores[:, 0], [-5, 5])  # so that it is not taken for probabilities
    padded = np.append(own, [False, True])
    yield 'top-1', m.top_k_accuracy_score(padded, spread, k=1, labels=[False, True],
                                          sample_weight=np.append(weight, [0, 0]))
    yield 'top-2', 1.0
    for name, function in [('precision', m.precision_score), ('recall', m.recall_score), ('f1', m.f1_score)]:
        yield name, function(own, guesses == positive, pos_label=True, zero_division=0, **w)


def of_several(labels, guesses, weight, scores, chances, classes):
    truth, w = np.eye(classes)[labels], {'sample_weight': weight}
    yield 'roc-auc', answer(m.roc_auc_score, truth, scores, average='macro', **w)
    yield 'average-precision', answer(m.average_precision_score, truth, scores, average='macro', **w)
    yield 'brier', np.average(((chances - truth) ** 2).sum(axis=1), weights=weight)
    for k in 1, 2, classes:
        yield f'top-{k}', m.top_k_accuracy_score(labels, scores, k=k, labels=range(classes), **w)
    for name, function in [('precision', m.precision_score), ('recall', m.recall_score), ('f1', m.f1_score)]:
        yield name, function(labels, guesses, average='macro', zero_division=0, **w)


def of_all(labels, guesses, weight, chances, classes):
    w = {'sample_weight': weight}
    yield 'accuracy', m.accuracy_score(labels, guesses, **w)
    yield 'balanced-accuracy', m.balanced_accuracy_score(labels, guesses, **w)
    # With only one class on a side its formula divides rounding errors by each other.
    alone = len(set(labels[weight > 0])) == 1 or len(set(guesses[weight > 0])) == 1
    yield 'matthews', 0 if alone else m.matthews_corrcoef(labels, guesses, **w)
    yield 'log-loss', m.log_loss(labels, chances, labels=range(classes), **w)
    for name, function in [('precision', m.precision_score), ('recall', m.recall_score), ('f1', m.f1_score)]:
        for average in 'macro', 'micro', 'weighted':
            yield f'{name}-{average}', function(labels, guesses, average=average, zero_division=0, **w)


def print_curves(labels, weight, scores, targets):
    for column, target in enumerate(targets):
        own = labels == target
        x, y, thresholds = m.roc_curve(own, scores[:, column], sample_weight=weight)
        thresholds[0] = np.inf  # since 1.3 they have it so, too
        print('roc', target, len(x))
        for point in zip(thresholds, x, y):
            print(*map(repr, map(float, point)))
        x, y, thresholds = m.precision_recall_curve(own, scores[:, column], sample_weight=weight)
        print('pr', target, len(x))
        for point in zip(np.append(thresholds, np.inf), x, y):
            print(*map(repr, map(float, point)))


def print_case(classes, positive, rows, ties, weights, missing):
    labels, guesses, weight, scores, chances = rows_at_random(classes, rows, ties, weights, missing)
    if classes == 2 and positive == 0:
        scores = -scores
        guesses = np.where(scores[:, 0] >= 0, 0, 1)
    if weight.sum() == 0:
        weight[:] = 1
    print('case', rows, classes, positive)
    for row in range(rows):
        print(labels[row], guesses[row], *map(repr, map(float, [weight[row], *scores[row], *chances[row]])))
    values = dict(of_all(labels, guesses, weight, chances, classes))
    if classes == 2:
        values.update(of_two(labels, guesses, weight, scores, chances, positive))
    else:
        values.update(of_several(labels, guesses, weight, scores, chances, classes))
    for name, value in values.items():
        print('metric', name, repr(float(value)))
    if weights != 'real':  # where points are left out hangs on rounding
        print_curves(labels, weight, scores, [positive] if classes == 2 else range(classes))
    print('end')


def of_sets(truth, guesses, weight, scores):
    """Several labels per row: matrices of 0 and 1."""
    w = {'sample_weight': weight}
    for name in 'accuracy', 'exact-match':
        yield name, m.accuracy_score(truth, guesses, **w)
    yield 'hamming-loss', m.hamming_loss(truth, guesses, **w)
    for name, function in [('precision', m.precision_score), ('recall', m.recall_score), ('f1', m.f1_score)]:
        for average in 'macro', 'micro', 'weighted':
            yield f'{name}-{average}', function(truth, guesses, average=average, zero_division=0, **w)
        yield name, function(truth, guesses, average='macro', zero_division=0, **w)
    yield 'roc-auc', answer(m.roc_auc_score, truth, scores, average='macro', **w)
    yield 'average-precision', answer(m.average_precision_score, truth, scores, average='macro', **w)
    # scikit-learn has no precision at K: the K highest scores, of equals the last.
    order = np.argsort(scores, axis=1, kind='stable')[:, ::-1]
    for k in 1, 3, 5, 7:
        hits = np.take_along_axis(truth, order[:, :k], axis=1).sum(axis=1)
        yield f'precision-at-{k}', np.average(hits / k, weights=weight)


def print_sets(classes, rows, ties, weights, missing):
    truth = (random.random((rows, classes)) < 0.3).astype(int)
    truth[:, missing.get('labels', [])] = 0
    scores = random.normal(size=(rows, classes)) - 1 + 1.5 * truth
    if ties:
        scores = np.round(scores * 2) / 2
    scores[:, missing.get('guesses', [])] -= 99
    guesses = (scores >= 0).astype(int)
    weight = weights_at_random(weights, rows)
    if weight.sum() == 0:
        weight[:] = 1
    print('sets', rows, classes)
    for row in range(rows):
        for matrix in truth, guesses:
            print(matrix[row].sum(), *np.flatnonzero(matrix[row]), end=' ')
        print(*map(repr, map(float, [weight[row], *scores[row]])))
    for name, value in of_sets(truth, guesses, weight, scores):
        print('metric', name, repr(float(value)))
    print('end')


for classes in 2, 3, 5:
    for ties in False, True:
        for weights in 'none', 'whole', 'real':
            for missing in {}, {'labels': [1]}, {'guesses': [1]}, {'labels': [1], 'guesses': [1]}, {'labels': [0]}:
                for rows in 1, 3, 40, 500:
                    if rows < 500 or not missing:
                        print_case(classes, int(random.integers(0, 2)), rows, ties, weights, missing)
                        if weights != 'whole':
                            print_sets(classes, rows, ties, weights, missing)
