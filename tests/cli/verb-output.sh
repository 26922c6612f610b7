# What the verbs print, against a list of fields and an independent calculation.
. "$TLU_SOURCE/tests/prelude.sh"
need python3
exec python3 - <<'PYTHON'
import math, struct
from prelude import *


def has_first(object, fields, what):
    # Fields may follow that the list does not have, but none that it has is missing or elsewhere.
    equal(list(object)[:len(fields)], fields, what)


TRAIN = ('learner decision scheme examples features classes label label_reason epochs counted_epochs mistakes updates converged '
         'stopped seconds model').split()
EVAL = 'examples correct accuracy classes label label_reason confusion per_class auc'.split()


def single(text):  # values are kept as 32-bit floats
    return struct.unpack('f', struct.pack('f', float(text)))[0]


def rows_of(path):  # LIBSVM: [(label, {index: value})]
    rows = []
    for line in open(path):
        label, *entries = line.split('#')[0].split()
        rows.append((label, {int(e.split(':')[0]): single(e.split(':')[1]) for e in entries}))
    return rows


def auc(scored):  # the share of pairs in the right order, ties count half
    positive = [s for s, p in scored if p]
    negative = [s for s, p in scored if not p]
    right = sum((p > n) + 0.5 * (p == n) for p in positive for n in negative)
    return right / (len(positive) * len(negative))


def check_train(data, options, rows, classes):
    model = data + '.tlu'
    result = parsed(tlu('train', '--learner', 'perceptron', data, '-o', model, '--json', *options))
    has_first(result, TRAIN, f'train {data}')
    equal(list(result['seconds']), ['read', 'learn', 'total'], 'seconds')
    equal((result['learner'], result['examples'], result['model']), ('perceptron', rows, model), data)
    equal(result['classes'], classes, f'classes of {data}')
    equal(result['scheme'], 'two' if len(classes) == 2 else 'wta', f'scheme of {data}')
    equal(len(result['mistakes']), result['epochs'], f'mistakes of {data}')
    equal(result['updates'], sum(result['mistakes']), f'updates of {data}')
    equal(result['converged'], result['mistakes'][-1] == 0, f'converged of {data}')
    if not 0 <= result['seconds']['learn'] <= result['seconds']['total']:
        complain(f'seconds: {result["seconds"]}')
    return model, result


def check_eval(model, data, truth, classes, predictions):
    result = parsed(tlu('eval', model, data, '--json'))
    has_first(result, EVAL, f'eval {data}')
    count = len(classes)
    confusion = [[0] * count for _ in classes]
    for label, (guess, _) in zip(truth, predictions):
        confusion[classes.index(label)][classes.index(guess)] += 1
    correct = sum(confusion[i][i] for i in range(count))
    equal(result['examples'], len(truth), 'examples')
    equal(result['correct'], correct, 'correct')
    near(result['accuracy'], correct / len(truth), 'accuracy')
    equal(result['classes'], classes, 'classes')
    equal(result['confusion'], confusion, 'confusion')
    for i, quality in enumerate(result['per_class']):
        support, guessed = sum(confusion[i]), sum(row[i] for row in confusion)
        precision = confusion[i][i] / guessed if guessed else 0
        recall = confusion[i][i] / support if support else 0
        f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0
        equal(set(quality), {'label', 'precision', 'recall', 'f1', 'support'}, 'per_class')
        equal((quality['label'], quality['support']), (classes[i], support), 'support')
        near(quality['precision'], precision, 'precision')
        near(quality['recall'], recall, 'recall')
        near(quality['f1'], f1, 'f1')
    if count == 2:
        scored = [(s[0], label == classes[1]) for label, (_, s) in zip(truth, predictions)]
        near(result['auc'], auc(scored), 'auc')
    else:
        equal(result['auc'], None, 'auc of several classes')
    table = tlu('eval', model, data)
    for word in [f'{100 * correct / len(truth):.1f}'[:3], *classes]:
        if word not in table:
            complain(f'eval {data}: no {word} in the table')


def weights_of(model):  # {class: {feature: weight}}
    weights = {}
    for line in tlu('inspect', model, '--weights').splitlines():
        label, feature, weight = line.split('\t')
        if float('%.17g' % float(weight)) != float(weight) or float(weight) == 0:
            complain(f'weight {weight}')
        weights.setdefault(label, {})[feature] = float(weight)
    return weights


def check_predict(model, data, rows, classes):
    """Scores from the printed weights, by plain sums."""
    lines = [line.split('\t') for line in tlu('predict', model, data, '--scores').splitlines()]
    equal(len(lines), len(rows), f'lines of predict {data}')
    equal([line[0] for line in lines], tlu('predict', model, data).splitlines(), 'labels alone')
    weights = weights_of(model)
    shown = classes if len(classes) > 2 else classes[1:]
    if set(weights) - set(shown):
        complain(f'weights of {set(weights)}')
    predictions = []
    for (_, entries), (guess, *texts) in zip(rows, lines):
        scores = [float(text) for text in texts]
        equal(len(scores), len(shown), 'scores a row')
        for label, score in zip(shown, scores):
            w = weights.get(label, {})
            pushes = [w.get(str(index), 0) * value for index, value in entries.items()]
            near(score, math.fsum(pushes) + w.get('(bias)', 0), 'score', sum(map(abs, pushes)))
        best = classes[scores.index(max(scores))] if len(classes) > 2 else classes[scores[0] >= 0]
        equal(guess, best, 'the label that the scores mean')
        predictions.append((guess, scores))
    return predictions


def check_explain(model, data, classes, predictions):
    lines = tlu('explain', model, data, '--json', '--top', 1000, '--rows', 40).splitlines()
    equal(len(lines), min(40, len(predictions)), 'rows explained')
    for number, (line, (guess, scores)) in enumerate(zip(lines, predictions), 1):
        row = parsed(line)
        equal((row['row'], row['predicted']), (number, guess), 'explain')
        score = scores[classes.index(guess)] if len(classes) > 2 else \
            scores[0] if guess == classes[1] else -scores[0]
        pushes = [push['push'] for push in row['pushes']]
        near(row['score'], score, 'the score explained')
        near(math.fsum(pushes), score, 'the sum of the pushes', sum(map(abs, pushes)))
        equal(sorted(map(abs, pushes), reverse=True), list(map(abs, pushes)), 'the strongest first')
    top = parsed(tlu('explain', model, data, '--json', '--top', 2, '--rows', 1))
    equal(top['pushes'], parsed(lines[0])['pushes'][:2], '--top 2')


def check_inspect(model, trained):
    result = parsed(tlu('inspect', model, '--json', '--top', 3))
    for field in ('learner', 'decision', 'scheme', 'examples', 'features', 'classes', 'epochs',
                  'mistakes', 'updates', 'converged', 'stopped'):
        equal(result[field], trained[field], f'{field} in inspect')
    equal(result['version'], tlu('--version').split()[1], 'version')
    text = tlu('inspect', model, '--top', 3)
    for word in (*trained['classes'], 'perceptron', trained['decision']):
        if word not in text:
            complain(f'inspect: no {word}')


# Every kind of generated data trains, and one of each shape is checked through and through.
KINDS = {'line': 2, 'sparse': 2, 'margin': 2, 'blobs': 3, 'xor': 2, 'circle': 2, 'moons': 2,
         'semicircles': 2}
for kind, count in KINDS.items():
    for format, ending in (('libsvm', 'svm'), ('csv', 'csv')):
        words = ['generate', kind, '--rows', 300, '--seed', 5, '--format', format]
        if kind == 'blobs':
            words += ['--classes', 3]
        if kind == 'sparse':
            words += ['--features', 200, '--nonzeros', 9]
        data = write(f'{kind}.{ending}', tlu(*words))
        result = parsed(tlu('train', '--learner', 'perceptron', data, '-o', f'{kind}.tlu', '--json'))
        equal(result['examples'], 300, f'rows of {data}')
        equal(len(result['classes']), count, f'classes of {data}')
        evaluation = parsed(tlu('eval', f'{kind}.tlu', data, '--json'))
        if kind in ('line', 'margin', 'blobs', 'moons', 'semicircles') and evaluation['accuracy'] < 0.75:
            complain(f'{data} is not learned: {evaluation["accuracy"]}')

for kind, options in (('moons', ()), ('sparse', ('--decide', 'last')), ('blobs', ()),
                      ('xor', ('--no-bias', '--epochs', 3)), ('blobs', ('--scale', 'standard')),
                      ('line', ('--scale', 'maxabs'))):
    data = f'{kind}.svm'
    rows = rows_of(data)
    classes = sorted({label for label, _ in rows}, key=float)
    model, trained = check_train(data, options, len(rows), classes)
    predictions = check_predict(model, data, rows, classes)
    check_eval(model, data, [label for label, _ in rows], classes, predictions)
    check_explain(model, data, classes, predictions)
    check_inspect(model, trained)

# Equal scores in both classes: they count half.
write('ties.svm', '-1 1:1\n+1 1:1\n+1 2:1\n-1 2:1\n+1 2:1\n-1 3:1\n')
tlu('train', '--learner', 'perceptron', 'ties.svm', '-o', 'ties.tlu')
predictions = check_predict('ties.tlu', 'ties.svm', rows_of('ties.svm'), ['-1', '+1'])
check_eval('ties.tlu', 'ties.svm', [label for label, _ in rows_of('ties.svm')], ['-1', '+1'], predictions)

# Data without labels, a label that the model does not know, and characters that need care.
tlu('train', '--learner', 'perceptron', 'moons.svm', '-o', 'moons.tlu')
plain = ''.join(line.split(' ', 1)[1] for line in open('moons.svm'))
equal(tlu('predict', 'moons.tlu', '-', stdin=plain), tlu('predict', 'moons.tlu', 'moons.svm'),
      'rows without labels')
strange = parsed(tlu('eval', 'moons.tlu', '-', '--json', stdin='+1 1:1\nnew 1:1\n-1 2:1\n'))
equal((strange['examples'], strange['unknown_labels']), (3, 1), 'an unknown label is an example')
write('odd.csv', 'na"me\\,label\n1,"a\tb"\n-1,"q""\\\n"\n'.replace('na"me\\', '"na""me\\"'))
odd = parsed(tlu('train', '--learner', 'perceptron', 'odd.csv', '-o', 'odd.tlu', '--json'))
equal(odd['classes'], ['a\tb', 'q"\\\n'], 'labels in JSON')
equal(tlu('predict', 'odd.tlu', 'odd.csv'), 'a\\tb\nq"\\\\\\n\n', 'labels on a line')
equal(list(weights_of('odd.tlu').values())[0].keys() - {'(bias)'}, {'na"me\\\\'}, 'names in a table')
parsed(tlu('inspect', 'odd.tlu', '--json'))
parsed(tlu('learners', '--json'))

PYTHON
