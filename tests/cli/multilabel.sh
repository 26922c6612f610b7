# Several labels per row: the same rows in five notations give the same models; each label is learned
# as if it were a problem of its own, by all learners; predictions, and the numbers that eval, cv and
# threshold report, are worked out again from scores; conversions, streams, refusals.
. "$TLU_SOURCE/tests/prelude.sh"
need python3
python3 - <<'END_OF_PYTHON'
import itertools
import math
import random
from prelude import *

random.seed(27)
LABELS = ['art', 'law', 'war']


def make_rows(count):
    """Features 1 to 8 with small values; no line separates any of the labels."""
    made = []
    for i in range(count):
        x = {f: random.choice([0.5, 1, 2, 3]) for f in random.sample(range(1, 9), 4)}
        labels = {c for k, c in enumerate(LABELS)
                  if sum(v * (1 if f % 3 == k else -0.4) for f, v in x.items()) + random.gauss(0, 0.7) > 0.4}
        made.append((labels, x))
        if i % 9 == 0:
            made.append((set(LABELS) - labels, x))
    return made


rows = make_rows(60)
truth = [labels for labels, _ in rows]


def same(found, expected, what):
    """Equal lists; only the first difference is told."""
    equal(len(found), len(expected), f'{what}: how many')
    equal(*next(((a, b) for a, b in zip(found, expected) if a != b), (0, 0)), what)


def entries(x, colon=':'):
    return ' '.join(f'{f}{colon}{v:g}' for f, v in sorted(x.items()))


def joined(labels, separator=','):
    return separator.join(sorted(labels))


def scores_of(model, data, *options):
    lines = tlu('predict', model, data, '--scores', '--quiet', *options).split('\n')[:-1]
    return [[float(v) for v in line.split('\t')[1:]] for line in lines]


def predicted(model, data, *options):
    """Sets of labels."""
    lines = tlu('predict', model, data, '--quiet', *options).split('\n')[:-1]
    return [set(line.split(',')) - {''} for line in lines]


write('all.svm', [f'{joined(labels)} {entries(x)}\n' for labels, x in rows])

# ---- notations ----

some = [(labels, x) for labels, x in rows if labels]  # VW and fastText have no way to write an empty set
for name, lines in {
    'some.svm': [f'{joined(labels)} {entries(x)}\n' for labels, x in some],
    'some.vw': [f'{joined(labels)} | {entries(x)}\n' for labels, x in some],
    'some.jsonl': [json.dumps({'label': sorted(labels), 'features': {str(f): v for f, v in sorted(x.items())}}) + '\n'
                   for labels, x in some],
    'some.csv': ['label,' + ','.join(f'f{f}' for f in range(1, 9)) + '\n'] +
                [f'"{joined(labels)}",' + ','.join(str(x.get(f, 0)) for f in range(1, 9)) + '\n' for labels, x in some],
    'some.tsv': ['\t'.join(f'f{f}' for f in range(1, 9)) + '\tlabel\n'] +
                ['\t'.join(str(x.get(f, 0)) for f in range(1, 9)) + f'\t{joined(labels, "; ")}\n' for labels, x in some],
}.items():
    write(name, lines)
plain = ('--multilabel', '--learner', 'perceptron', '--epochs', 5, '--scale', 'none', '--quiet')
expected = None
for name in 'some.svm', 'some.vw', 'some.jsonl', 'some.csv', 'some.tsv':
    special = ('--label-separator', '; ') if name == 'some.tsv' else ()
    vw = ('--format', 'vw') if name == 'some.vw' else ()
    tlu('train', name, '-o', 'model.tlu', *plain, *special, *vw)
    # Sums of products of small binary fractions are exact, in any order.
    expected = expected or scores_of('model.tlu', name)
    same(scores_of('model.tlu', name, *vw), expected, name)
    printed = tlu('predict', 'model.tlu', name, '--quiet', *vw).split('\n')[:-1]
    same(printed, [joined([c for c, s in zip(LABELS, row) if s >= 0], '; ' if special else ',') for row in expected],
          f'{name}: predictions')
    equal(parsed(tlu('eval', 'model.tlu', name, '--json', *vw))['examples'], len(some), f'{name}: eval')

# Words: fastText's format, labelled text and JSON.
texts = [(labels, ' '.join(f'w{f}' for f in x)) for labels, x in some]
write('words.ft', [' '.join(f'__label__{c}' for c in sorted(labels)) + f' {text}\n' for labels, text in texts])
write('words.txt', [f'{joined(labels)}\t{text}\n' for labels, text in texts])
write('words.jsonl', [json.dumps({'text': text, 'label': sorted(labels, reverse=True)}) + '\n' for labels, text in texts])
expected = None
for name, form in ('words.ft', 'fasttext'), ('words.txt', 'text'), ('words.jsonl', 'jsonl'):
    tlu('train', name, '--format', form, '-o', 'model.tlu', *plain)
    expected = expected or scores_of('model.tlu', name, '--format', form)
    same(scores_of('model.tlu', name, '--format', form), expected, name)

# ---- each label is a problem of its own ----

for c in LABELS:
    write(f'{c}.svm', [f'{"+1" if c in labels else "-1"} {entries(x)}\n' for labels, x in rows])


def plain_perceptron(data, label, passes):
    weights = [0.0] * 9
    for _ in range(passes):
        for labels, x in data:
            y = 1 if label in labels else -1
            if y * (weights[0] + sum(weights[f] * v for f, v in x.items())) <= 0:
                weights[0] += y
                for f, v in x.items():
                    weights[f] += y * v
    return weights


tlu('train', 'all.svm', '-o', 'model.tlu', *plain, '--decide', 'last', '--no-shuffle')
for label, found in itertools.groupby(tlu('inspect', 'model.tlu', '--weights').splitlines(), lambda l: l.split('\t')[0]):
    names = dict(line.split('\t')[1:] for line in found)
    expected = plain_perceptron(rows, label, 5)
    equal([float(names.get(name, 0)) for name in ['(bias)', *map(str, range(1, 9))]], expected, f'weights of {label}')

for words in ['--learner ' + name for name in
              'perceptron pa pa1 pa2 romma aromma alma arow scw1 scw2 hinge logistic squared'.split()] + [
        '--learner rocchio', '--learner rocchio --class-weight balanced', '--learner bernoulli-bayes --binarize',
        '--learner multinomial-bayes --binarize', '--learner max-margin --C 0.5',
        '--learner max-margin --C 0.5 --class-weight balanced', '--learner perceptron --decide vote',
        '--learner perceptron --decide last --class-weight balanced', '--learner perceptron --kernel poly:2',
        '--learner pa1 --kernel rbf:0.5 --decide last', '--learner perceptron --kernel rbf:0.5 --decide vote',
        '--learner perceptron --margin 1 --tie positive', '--learner perceptron --hash 10',
        '--learner logistic --schedule adagrad --l2 0.01']:
    options = words.split()
    if 'rocchio' not in words and 'bayes' not in words and 'max-margin' not in words:
        options += ['--epochs', '3']
    tlu('train', 'all.svm', '--multilabel', '-o', 'model.tlu', '--quiet', *options)
    together = scores_of('model.tlu', 'all.svm')
    for k, c in enumerate(LABELS):
        tlu('train', f'{c}.svm', '-o', 'alone.tlu', '--quiet', *options)
        for row, alone in zip(together, scores_of('alone.tlu', f'{c}.svm')):
            near(row[k], alone[0], f'{words}: score of {c}')

# ---- predictions, metrics, thresholds ----

tlu('train', 'all.svm', '--multilabel', '-o', 'model.tlu', '--quiet', '--learner', 'logistic', '--epochs', 5)


def quality(data, guesses):
    """(precision, recall, f1) of each label and of all together, exact matches, Hamming loss."""
    counts = [[sum(c in t and c in g for t, g in zip(data, guesses)), sum(c in g for g in guesses),
               sum(c in t for t in data)] for c in LABELS]
    counts.append([sum(n) for n in zip(*counts)])
    share = lambda a, b: a / b if b else 0.0
    each = [(share(hits, given), share(hits, has), share(2 * hits, given + has)) for hits, given, has in counts]
    exact = sum(t == g for t, g in zip(data, guesses)) / len(data)
    return each[:-1], each[-1], exact, sum(len(t ^ g) for t, g in zip(data, guesses)) / (len(LABELS) * len(data))


def check_eval(model, what):
    scores, guesses = scores_of(model, 'all.svm'), predicted(model, 'all.svm')
    found = parsed(tlu('eval', model, 'all.svm', '--json'))
    each, all_labels, exact, hamming = quality(truth, guesses)
    metrics = found['metrics']
    near(metrics['f1-micro'], all_labels[2], f'{what}: micro F1')
    near(metrics['f1-macro'], sum(f1 for _, _, f1 in each) / 3, f'{what}: macro F1')
    near(metrics['exact-match'], exact, f'{what}: exact matches')
    near(metrics['accuracy'], exact, f'{what}: accuracy')
    near(found['accuracy'], exact, f'{what}: accuracy')
    near(metrics['hamming-loss'], hamming, f'{what}: Hamming loss')
    for k in 1, 3, 5:
        hits = sum(LABELS[c] in t for t, s in zip(truth, scores) for c in sorted(range(3), key=lambda c: -s[c])[:k])
        near(metrics[f'precision-at-{k}'], hits / k / len(rows), f'{what}: precision at {k}')
    for row, label, of in zip(found['per_class'], LABELS, each):
        equal((row['label'], row['support']), (label, sum(label in t for t in truth)), f'{what}: the label')
        for name, value in zip(('precision', 'recall', 'f1'), of):
            near(row[name], value, f'{what}: {name} of {label}')
    near(parsed(tlu('eval', model, 'all.svm', '--metric', 'hamming-loss', '--json'))['metrics']['hamming-loss'], hamming,
         f'{what}: --metric')


check_eval('model.tlu', 'eval')
scores = scores_of('model.tlu', 'all.svm')
same(predicted('model.tlu', 'all.svm'), [{c for c, s in zip(LABELS, row) if s >= 0} for row in scores], 'sets')
for line, row in zip(tlu('predict', 'model.tlu', 'all.svm', '--probabilities', '--quiet').split('\n'), scores):
    for p, s in zip(map(float, line.split('\t')[1:]), row):
        near(p, 1 / (1 + math.exp(-s)), 'probability')
for line, row in zip(tlu('predict', 'model.tlu', 'all.svm', '--json', '--quiet').splitlines(), scores):
    equal(parsed(line)['labels'], [c for c, s in zip(LABELS, row) if s >= 0], 'JSON')
same(predicted('model.tlu', 'all.svm', '--threshold', '0.3'),
     [{c for c, s in zip(LABELS, row) if 1 / (1 + math.exp(-s)) >= 0.3} for row in scores], '--threshold')
equal(tlu('predict', 'model.tlu', 'all.svm', '--label-separator', ' + ', '--quiet'),
      ''.join(' + '.join(c for c, s in zip(LABELS, row) if s >= 0) + '\n' for row in scores), 'another separator')

# The best F1 of each label: no threshold between two of its scores is better.
for learner, on in ('logistic', 'probability'), ('pa1', 'score'):
    tlu('train', 'all.svm', '--multilabel', '-o', 'model.tlu', '--quiet', '--learner', learner, '--epochs', 5)
    before = open('model.tlu', 'rb').read()
    found = parsed(tlu('threshold', 'model.tlu', 'all.svm', '-o', 'tuned.tlu', '--for', 'f1', '--json'))
    scores = scores_of('model.tlu', 'all.svm')
    equal(found['on'], on, learner)
    for k, row in enumerate(found['labels']):
        best = 0
        for limit in {s[k] for s in scores}:
            hits = sum(LABELS[k] in t for t, s in zip(truth, scores) if s[k] >= limit)
            best = max(best, 2 * hits / (sum(s[k] >= limit for s in scores) + sum(LABELS[k] in t for t in truth)))
        near(row['f1'], best, f'{learner}: best F1 of {LABELS[k]}')
        near(quality(truth, predicted('tuned.tlu', 'all.svm'))[0][k][2], best, f'{learner}: F1 of {LABELS[k]}')
    check_eval('tuned.tlu', f'{learner} with thresholds')
    if 'threshold of each label' not in tlu('inspect', 'tuned.tlu'):
        complain('inspect does not tell the thresholds')
    tlu('threshold', 'tuned.tlu', '--remove', '--quiet')
    equal(open('tuned.tlu', 'rb').read(), before, 'the model without its thresholds')
    found = parsed(tlu('threshold', 'model.tlu', 'all.svm', '-o', 'tuned.tlu', '--for', 'precision=0.9', '--json'))
    for k, row in enumerate(found['labels']):
        able = [s[k] for s in scores if sum(LABELS[k] in t for t, o in zip(truth, scores) if o[k] >= s[k]) >=
                0.9 * sum(o[k] >= s[k] for o in scores)]
        recall = max((sum(LABELS[k] in t for t, o in zip(truth, scores) if o[k] >= limit) for limit in able), default=0)
        equal(row['found'], bool(able), f'{learner}: precision 0.9 of {LABELS[k]}')
        if able:
            near(row['recall'], recall / sum(LABELS[k] in t for t in truth), f'{learner}: recall of {LABELS[k]}')

# ---- cross-validation: each fold trained and measured again ----

plain = ('--multilabel', '--learner', 'perceptron', '--epochs', 3, '--scale', 'none')
found = parsed(tlu('cv', 'all.svm', '-k', 4, '--json', '--quiet', *plain))
pooled, values = [[], []], []
lines = open('all.svm').read().split('\n')
for fold in found['folds']:
    write('in.svm', [line + '\n' for i, line in enumerate(lines[:-1], 1) if i not in fold['rows']])
    write('out.svm', [lines[i - 1] + '\n' for i in fold['rows']])
    tlu('train', 'in.svm', '-o', 'model.tlu', '--quiet', *plain)
    guesses, own = predicted('model.tlu', 'out.svm'), [truth[i - 1] for i in fold['rows']]
    each, all_labels, exact, hamming = quality(own, guesses)
    for name, value in ('f1-micro', all_labels[2]), ('f1-macro', sum(f1 for _, _, f1 in each) / 3), \
            ('exact-match', exact), ('hamming-loss', hamming):
        near(fold[name], value, f'cv: {name} of fold {fold["fold"]}')
    values.append(all_labels[2])
    pooled[0] += own
    pooled[1] += guesses
equal(sorted(row for fold in found['folds'] for row in fold['rows']), list(range(1, len(rows) + 1)), 'rows of the folds')
near(found['mean'], sum(values) / 4, 'cv: mean')
near(found['metrics']['f1-micro']['mean'], sum(values) / 4, 'cv: mean')
for row, label, of in zip(found['labels'], LABELS, quality(*pooled)[0]):
    equal(row['label'], label, 'cv: label')
    for name, value in zip(('precision', 'recall', 'f1'), of):
        near(row[name], value, f'cv: {name} of {label}')
for words in ('compare', 'all.svm', '--learners', 'perceptron,pa1'), \
        ('tune', 'all.svm', '--folds', 3, '--budget', 90):
    if 'f1-micro' not in tlu(*words, '--multilabel', '--json', '--quiet'):
        complain(f'{words[0]} does not measure micro F1')

# ---- threads, memory, hold-out ----

write('many.svm', [f'{joined(labels)} {entries(x)} {random.randrange(9, 99)}:1\n' for labels, x in rows * 40])
for options in ('--epochs', 3), ('--epochs', 3, '--holdout', 0.2, '--metric', 'hamming-loss'), ('--learner', 'max-margin', '--C', 1):
    for i, extra in enumerate([('--threads', 1), ('--threads', 3), ('--threads', 2, '--memory', '20k')]):
        if options[1] == 'max-margin' and i == 2:
            continue
        tlu('train', 'many.svm', '--multilabel', '-o', f'{i}.tlu', '--quiet', *options, *extra)
        equal(tlu('inspect', f'{i}.tlu', '--weights') == tlu('inspect', '0.tlu', '--weights'), True, f'{options} {extra}')
        equal(scores_of(f'{i}.tlu', 'many.svm', *extra[:2]) == scores_of('0.tlu', 'many.svm'), True, f'{options} {extra}')

# ---- conversions ----

def rows_of(name):
    """The lines of a LIBSVM file, with the labels as sets."""
    return [(frozenset(line.split(' ', 1)[0].split(',')), line.split(' ', 1)[1]) for line in open(name)]


perceptron = ('--multilabel', '--learner', 'perceptron', '--epochs', 2, '--scale', 'none', '--quiet')
tlu('train', 'all.svm', '-o', 'expected.tlu', *perceptron)
for form in 'libsvm', 'csv', 'tsv', 'binary':
    tlu('convert', 'all.svm', '--multilabel', '--to', form, '-o', 'converted', '--quiet')
    tlu('train', 'converted', '-o', 'model.tlu', *perceptron)
    same(scores_of('model.tlu', 'converted'), scores_of('expected.tlu', 'all.svm'), f'convert --to {form}')
    if form in ('libsvm', 'binary'):
        tlu('convert', 'converted', '--multilabel', '--to', 'libsvm', '-o', 'back.svm', '--quiet')
        same(rows_of('back.svm'), rows_of('all.svm'), f'{form} and back')
        same(scores_of('expected.tlu', 'converted'), scores_of('expected.tlu', 'all.svm'), f'rows of {form}')
for name, form in ('some.vw', 'vw'), ('some.jsonl', 'jsonl'), ('words.ft', 'fasttext'), ('words.txt', 'text'):
    tlu('convert', name, '--format', form, '--multilabel', '--to', 'libsvm', '-o', 'converted.svm', '--quiet')
    same([labels for labels, _ in rows_of('converted.svm')], [labels for labels, _ in some], f'labels of {name}')
# ---- streams: a row is predicted, then learned; labels may come later ----

simple = ('--learner', 'perceptron', '--decide', 'last', '--scale', 'none', '--format', 'libsvm', '--multilabel')
weights, known, expected = {}, [], []
for labels, x in rows:
    score = lambda c: weights[c][0] + sum(weights[c][f] * v for f, v in x.items())
    expected.append(joined([c for c in known if score(c) >= 0]))
    for c in sorted(labels):
        if c not in known:
            known.append(c)
            weights[c] = [0.0] * 9
    known.sort()
    for c in known:
        y = 1 if c in labels else -1
        if y * score(c) <= 0:
            weights[c][0] += y
            for f, v in x.items():
                weights[c][f] += y * v
text = open('all.svm').read()
found = tlu('stream', 'stream.tlu', *simple, '--quiet', stdin=text).split('\n')[:-1]
first = next(i for i, labels in enumerate(truth) if labels)
same(found, ['?'] * (first + 1) + expected[first + 1:], 'answers of a stream')
for label, lines in itertools.groupby(tlu('inspect', 'stream.tlu', '--weights').splitlines(), lambda l: l.split('\t')[0]):
    names = dict(line.split('\t')[1:] for line in lines)
    equal([float(names.get(name, 0)) for name in ['(bias)', *map(str, range(1, 9))]], weights[label], f'stream: {label}')
middle = text.index('\n', len(text) // 2) + 1
parts = [tlu('stream', 'parts.tlu', *simple, '--quiet', '--journal', stdin=part) for part in (text[:middle], text[middle:])]
same(''.join(parts).split('\n')[:-1], found, 'a stream in two parts')
equal(tlu('inspect', 'parts.tlu', '--weights'), tlu('inspect', 'stream.tlu', '--weights'), 'a stream in two parts')
tlu('stream', 'default.tlu', '--multilabel', '--format', 'libsvm', '--quiet', stdin=text)  # decides adaptively
equal(len(predicted('default.tlu', 'all.svm')), len(rows), 'the default stream')
# A set without labels is an example; a line without one is only answered.
both = '1,2 1:1\n 2:1\n2:1\n'
tlu('stream', 'unlabelled.tlu', *simple, '--quiet', stdin=both)
equal(parsed(tlu('inspect', 'unlabelled.tlu', '--json'))['examples'], 2, 'rows of a stream')

# ---- other verbs ----

tlu('train', 'all.svm', '--multilabel', '-o', 'model.tlu', '--quiet')
write('one.svm', 'art,law 1:2 4:1\n')
scores = scores_of('model.tlu', 'one.svm')[0]
explained = parsed(tlu('explain', 'model.tlu', 'one.svm', '--json'))
equal(explained['labels'], ['art', 'law'], 'explain: labels')
equal(explained['predicted'], [c for c, s in zip(LABELS, scores) if s >= 0], 'explain: predictions')
equal([label['label'] for label in explained['explained']], explained['predicted'], 'explain: what is explained')
for label in explained['explained']:
    near(sum(f['push'] for f in label['pushes']), scores[LABELS.index(label['label'])], 'explain: the sum')
    near(label['score'], scores[LABELS.index(label['label'])], 'explain: the score')
about = parsed(tlu('inspect', 'model.tlu', '--json'))
equal(about['scheme'], 'multilabel', 'inspect: scheme')
for kind in '--weights', '--roc', '--pr':
    tlu('plot', *(('all.svm',) if kind != '--weights' else ()), 'model.tlu', kind, '-o', 'plot.svg')

# ---- refusals ----

write('numbers.svm', '1 1:1\n1,2 2:1\n')
refused('numbers.svm:2:1: the row has several labels; give --multilabel', 'train', 'numbers.svm', '-o', 'x.tlu')
write('twice.svm', '1,2 1:1\n2,3,2 2:1\n')
refused("twice.svm:2:5: the label '2' occurs twice in this row", 'train', 'twice.svm', '--multilabel', '-o', 'x.tlu')
write('single.svm', '1 1:1\n 2:1\n')
refused('two labels', 'train', 'single.svm', '--multilabel', '-o', 'x.tlu')
refused('use another learner', 'train', 'all.svm', '--multilabel', '--learner', 'mlp', '-o', 'x.tlu')
refused('leave --multiclass out', 'train', 'all.svm', '--multilabel', '--multiclass', 'ovo', '-o', 'x.tlu')
refused('use sigmoid or isotonic', 'train', 'all.svm', '--multilabel', '--calibrate', 'temperature', '-o', 'x.tlu')
refused('--multilabel', 'trace', 'all.svm', '--multilabel')
refused('multilabel', 'separable', 'all.svm', '--multilabel')
refused('is for rows of one label', 'eval', 'model.tlu', 'all.svm', '--metric', 'matthews')
refused('is for several labels per row', 'eval', 'alone.tlu', 'war.svm', '--metric', 'exact-match')
refused('rows with one label each', 'plot', 'all.svm', 'model.tlu', '--confusion', '-o', 'plot.svg')
END_OF_PYTHON
