# tlu cv: the folds, and each of them once more with train and eval.
. "$TLU_SOURCE/tests/prelude.sh"
need python3
exec python3 - <<'PYTHON'
import json, math, re
from prelude import *

lines = open(IRIS).read().splitlines()
header, rows = lines[0], lines[1:]
labels = [row.split(',')[-1] for row in rows]


def check_folds(result, k, repeats, labels):
    everything = list(range(1, len(labels) + 1))
    folds = result['folds']
    equal([(f['repeat'], f['fold']) for f in folds],
          [(r, i) for r in range(1, repeats + 1) for i in range(1, k + 1)], 'folds')
    for r in range(repeats):
        part = folds[r * k:(r + 1) * k]
        equal(sorted(row for fold in part for row in fold['rows']), everything, 'rows of all folds')
        for label in set(labels):
            counts = [sum(labels[row - 1] == label for row in fold['rows']) for fold in part]
            if max(counts) - min(counts) > 1:
                complain(f'{label} is in the folds {counts} times')
        sizes = [len(fold['rows']) for fold in part]
        if max(sizes) - min(sizes) > 1:
            complain(f'the folds have {sizes} rows')
    accuracies = [fold['correct'] / fold['examples'] for fold in folds]
    mean = sum(accuracies) / len(accuracies)
    deviation = math.sqrt(sum((a - mean) ** 2 for a in accuracies) / (len(accuracies) - 1))
    equal([fold['accuracy'] for fold in folds], accuracies, 'accuracies')
    if abs(result['accuracy'] - mean) > 1e-12 or abs(result['deviation'] - deviation) > 1e-12:
        complain(f'mean {result["accuracy"]} is {mean}, deviation {deviation}')


def by_hand(result, header, rows, suffix, *options):
    """Each fold once more, with train and eval on files of their own."""
    for fold in result['folds']:
        inside = set(fold['rows'])
        test = [row for i, row in enumerate(rows, 1) if i in inside]
        rest = [row for i, row in enumerate(rows, 1) if i not in inside]
        equal((fold['learned'], fold['examples']), (len(rest), len(test)), 'rows of a fold')
        write(f'rest{suffix}', '\n'.join(header + rest) + '\n')
        write(f'test{suffix}', '\n'.join(header + test) + '\n')
        tlu('train', f'rest{suffix}', '-o', 'fold.tlu', '--quiet', *options)
        again = parsed(tlu('eval', 'fold.tlu', f'test{suffix}', '--json'), 'eval')
        equal(fold['correct'], again['correct'], f'{options}: fold {fold["fold"]} by hand')


for options in ([], ['--scale', 'standard'], ['--learner', 'arow', '--class-weight', 'balanced'],
                ['--kernel', 'poly:2', '--decide', 'vote', '--multiclass', 'ovr']):
    result = parsed(tlu('cv', IRIS, '-k', 4, '--json', *options), 'cv')
    check_folds(result, 4, 1, labels)
    by_hand(result, [header], rows, '.csv', *options)

# Categories: a word that is in one row alone is never met by the training without that row.
lines = open(WEATHER).read().splitlines()
rare = [line.replace('sunny', 'foggy', 1) if i == 2 else line for i, line in enumerate(lines)]
write('rare.csv', '\n'.join(rare) + '\n')
result = parsed(tlu('cv', 'rare.csv', '-k', 7, '--seed', 3, '--json'), 'weather')
check_folds(result, 7, 1, [line.split(',')[-1] for line in rare[1:]])
by_hand(result, rare[:1], rare[1:], '.csv', '--seed', 3)

# LIBSVM, a label that some foldings never learn, names beyond the dense indices.
many = [f'{"abc"[i * i % 3] if i else "rare"} {1 + i % 5}:{i % 3 + 1} {10000000 + i % 4}:1' for i in range(40)]
write('many.svm', '\n'.join(many) + '\n')
result = parsed(tlu('cv', 'many.svm', '-k', 5, '--json'), 'many')
check_folds(result, 5, 1, [row.split()[0] for row in many])
by_hand(result, [], many, '.svm')

result = parsed(tlu('cv', IRIS, '-k', 3, '--repeat', 3, '--json'), 'repeats')
check_folds(result, 3, 3, labels)
if len({tuple(fold['rows']) for fold in result['folds']}) != 9:
    complain('repeats deal the rows out in the same way')
strip = lambda text: re.sub(r'"seconds": [^,]*, ', '', text)
one = strip(tlu('cv', IRIS, '-k', 3, '--json', '--threads', 1))
equal(strip(tlu('cv', IRIS, '-k', 3, '--json', '--threads', 2)), one, 'threads')
equal(strip(tlu('cv', '-', '-k', 3, '--json', stdin=open(IRIS).read())), one, 'standard input')
if strip(tlu('cv', IRIS, '-k', 3, '--json', '--seed', 2)) == one:
    complain('another seed, the same folds')
text = tlu('cv', IRIS, '-k', 3)
if f'{100 * json.loads(one)["accuracy"]:.2f}%' not in text or 'deviation' not in text:
    complain(f'cv prints {text}')
refused('too few', 'cv', write('or.svm', '-1 1:0\n+1 1:1\n+1 2:1\n+1 1:1 2:1\n'), '-k', 5)
refused('from 2 to', 'cv', IRIS, '-k', 1)
refused('cannot open', 'cv', 'absent.csv')
refused('is empty', 'cv', '-', stdin='')
refused('one.svm:2:', 'cv', write('one.svm', '1 1:1\n1 1:x\n'), '-k', 2)
PYTHON
