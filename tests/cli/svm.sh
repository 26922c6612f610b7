# svm and logistic --solver dual from the command line: the objective that they report is that of the
# weights which they save, at most that of liblinear-train where it is installed, and with the same
# bits for any number of threads.
. "$TLU_SOURCE/tests/prelude.sh"
need python3
exec python3 - <<'PYTHON'
import json, math, shutil, subprocess
from prelude import *

tlu('generate', 'sparse', '--rows', '900', '--features', '2000', '--noise', '0.1', '--seed', '5', '-o', 'sparse.svm')
tlu('generate', 'blobs', '--rows', '600', '--features', '4', '--classes', '3', '--seed', '4', '-o', 'blobs.svm')

LOSSES = {'hinge': lambda m: max(0, 1 - m), 'squared-hinge': lambda m: max(0, 1 - m) ** 2,
          'logistic': lambda m: math.log1p(math.exp(-abs(m))) + max(0, -m)}
LIBLINEAR = {'hinge': 3, 'squared-hinge': 1, 'logistic': 7, 'wta': 4}


def read(path):
    rows = []
    for line in open(path):
        label, *entries = line.split()
        rows.append((float(label), {int(f): float(v) for f, v in (e.split(':') for e in entries)}))
    return rows


def score(w, x):
    return w.get('(bias)', 0) + sum(w.get(str(f), 0) * v for f, v in x.items())


def weights_of_tlu(model):
    found = {}
    for line in tlu('inspect', model, '--weights').splitlines():
        label, feature, weight = line.split('\t')
        found.setdefault(float(label), {})[feature] = float(weight)
    return found


def weights_of_liblinear(model):
    head, _, body = open(model).read().partition('\nw\n')
    labels = [float(v) for v in head.split('\nlabel ')[1].split('\n')[0].split()]
    lines = [[float(v) for v in line.split()] for line in body.strip().splitlines()]
    return {label: {'(bias)' if f == len(lines) - 1 else str(f + 1): line[k] for f, line in enumerate(lines)}
            for k, label in enumerate(labels[:len(lines[0])])}


def objective(weights, rows, loss, C):
    """Of a model with a column for each label, or for the positive one of two."""
    value = sum(w * w for column in weights.values() for w in column.values()) / 2
    if loss == 'wta':
        for label, x in rows:
            scores = {c: score(w, x) for c, w in weights.items()}
            own = scores.pop(label)
            value += C * max(0, 1 - own + max(scores.values()))
        return value
    for column, w in weights.items():
        value += C * sum(LOSSES[loss]((1 if label == column else -1) * score(w, x)) for label, x in rows)
    return value


for data in 'sparse', 'blobs':
    rows = read(f'{data}.svm')
    for loss in LIBLINEAR:
        if loss == 'wta' and data == 'sparse':
            continue
        options = ['--learner', 'logistic', '--solver', 'dual'] if loss == 'logistic' else ['--learner', 'svm']
        options += ['--loss', loss] if 'hinge' in loss else []
        options += ['--multiclass', 'wta' if loss == 'wta' else 'ovr', '--scale', 'none', '--C', '0.5']
        report = json.loads(tlu('train', f'{data}.svm', *options, '-o', 'm.tlu', '--json'))
        tlu('train', f'{data}.svm', *options, '-o', 'one.tlu', '--threads', '1', '--quiet')
        equal(open('m.tlu', 'rb').read() == open('one.tlu', 'rb').read(), True, f'{data} {loss}: bits with one thread')
        if not 0 <= report['gap'] <= 1e-6:
            complain(f'{data} {loss}: gap {report["gap"]}')
        found = objective(weights_of_tlu('m.tlu'), rows, loss, 0.5)
        if abs(found - report['objective']) > 1e-6 * found:
            complain(f'{data} {loss}: objective {report["objective"]}, its weights have {found}')
        if shutil.which('liblinear-train'):
            subprocess.run(['liblinear-train', '-q', '-s', str(LIBLINEAR[loss]), '-c', '0.5', '-B', '1', '-e', '1e-6',
                            f'{data}.svm', 'their.model'], check=True, stdout=subprocess.DEVNULL)
            theirs = objective(weights_of_liblinear('their.model'), rows, loss, 0.5)
            if not found <= theirs * (1 + 2e-6):
                complain(f'{data} {loss}: {found}, and liblinear-train {theirs}')

# Probabilities of each row add up to 1.
tlu('train', 'blobs.svm', '--learner', 'logistic', '--solver', 'dual', '-o', 'm.tlu', '--quiet')
for line in tlu('predict', 'm.tlu', 'blobs.svm', '--probabilities', '--json', '--quiet').splitlines()[:5]:
    total = sum(json.loads(line)['probabilities'].values())
    if abs(total - 1) > 1e-6:
        complain(f'probabilities add up to {total}')

refused('--loss squared-hinge cannot be combined with --multiclass wta', 'train', 'blobs.svm', '--learner', 'svm',
        '--loss', 'squared-hinge', '--multiclass', 'wta', '-o', 'x.tlu')
refused('does not work with a kernel', 'train', 'blobs.svm', '--learner', 'svm', '--kernel', 'rbf:1', '-o', 'x.tlu')
refused('has no option --rate', 'train', 'blobs.svm', '--learner', 'svm', '--rate', '2', '-o', 'x.tlu')
tell()
PYTHON
