# logistic with winner takes all is multinomial logistic regression: at the end of a long training
# the gradient of the log loss, computed here from the probabilities of the rows, is zero.
. "$TLU_SOURCE/tests/prelude.sh"
need python3
exec python3 - <<'PYTHON'
import itertools, json, math, random
from prelude import *

# Rows of the same length, because a step is divided by the length of its row. Every label occurs at
# every corner of the cube, so that the optimum is finite.
random.seed(4)
rows = []
for x in itertools.product((-1, 1), repeat=3):
    for label, pull in ('ant', x[0] + x[1]), ('bee', x[1] - x[2]), ('cow', -2 * x[0]), ('dog', x[2]):
        rows += [(label, x)] * (1 + random.randrange(3) + 4 * max(0, pull))
with open('corners.svm', 'w') as file:
    file.writelines(f'{label} ' + ' '.join(f'{i + 1}:{v}' for i, v in enumerate(x)) + '\n' for label, x in rows)
labels = sorted({label for label, _ in rows})


def probabilities(*options):
    tlu('train', 'corners.svm', '--learner', 'logistic', '--scale', 'none', '--epochs', '3000', *options, '-o',
        'corners.tlu', '--quiet')
    lines = tlu('predict', 'corners.tlu', 'corners.svm', '--probabilities', '--json', '--quiet').splitlines()
    return [json.loads(line)['probabilities'] for line in lines]


def steepest(found):
    """The largest entry of the gradient of the mean log loss, by class and feature; the bias is a feature."""
    return max(abs(sum(((label == c) - p[c]) * (*x, 1)[f] for (label, x), p in zip(rows, found))) / len(rows)
               for c in labels for f in range(4))


def descend():
    """The probabilities at the optimum, by plain gradient descent on all rows at once."""
    w = {c: [0.0] * 4 for c in labels}

    def share(x):
        grown = {c: math.exp(sum(a * b for a, b in zip(w[c], (*x, 1)))) for c in labels}
        return {c: value / sum(grown.values()) for c, value in grown.items()}

    for _ in range(3000):
        now = {x: share(x) for _, x in rows}
        slopes = {c: [sum(((label == c) - now[x][c]) * (*x, 1)[f] for label, x in rows) / len(rows) for f in range(4)]
                  for c in labels}
        for c in labels:
            w[c] = [a + b for a, b in zip(w[c], slopes[c])]
    return [share(x) for _, x in rows]


optimum = descend()
if steepest(optimum) > 1e-6:
    complain(f'the optimum has a gradient of {steepest(optimum)}')
for schedule in 'adagrad', 'sqrt':
    found = probabilities('--multiclass', 'wta', '--l2', '0', '--schedule', schedule, '--decide', 'average')
    away = max(abs(p[c] - q[c]) for p, q in zip(found, optimum) for c in labels)
    if not steepest(found) < 5e-4:
        complain(f'{schedule}: a gradient of {steepest(found)}')
    if not away < 1e-3:
        complain(f'{schedule}: probabilities are {away} away from those of the optimum')
# One logistic regression for each class is another model, whose gradient is not zero.
if steepest(probabilities('--multiclass', 'ovr', '--l2', '0', '--decide', 'average')) < 5e-3:
    complain('the gradient does not tell ovr from wta')
tell()
PYTHON
