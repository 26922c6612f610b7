# --metric, --costs, --weighted, eval --errors and --curve, predict --id and --json: all of it once more
# from what predict prints, in plain Python.
. "$TLU_SOURCE/tests/prelude.sh"
need python3 gzip
exec python3 - <<'PYTHON'
import csv, gzip, io, math, random
from prelude import *

random.seed(7)
DIGITS = f'{DATA}/digits-test.svm'


def write(path, text):
    with open(path, 'w', newline='') as file:
        file.write(text)
    return path


def predictions(model, data, *options, stdin=None):
    """Guess, scores and probabilities of each row."""
    lines = tlu('predict', model, data, '--json', '--scores', *options, stdin=stdin).splitlines()
    return [parsed(line) for line in lines]


def evaluation(model, data, *options, stdin=None):
    return parsed(tlu('eval', model, data, '--json', *options, stdin=stdin))


# ---- values

def auc(scores, own, weights):
    pairs = whole = 0
    for s, o, w in zip(scores, own, weights):
        for t, p, v in zip(scores, own, weights):
            if o and not p:
                pairs += w * v * (s > t or 0.5 * (s == t))
                whole += w * v
    return pairs / whole


def check_two(model, data, labels, weights, positive, *options):
    """A model of two classes with probabilities."""
    found = evaluation(model, data, '--costs', '2:7', *options)['metrics']
    said = predictions(model, data, '--probabilities')
    n = sum(weights)
    own = [label == positive for label in labels]
    guessed = [row['label'] == positive for row in said]
    scores = [row['score'] if g else -row['score'] for row, g in zip(said, guessed)]
    chances = [row['probabilities'][positive] for row in said]
    count = lambda *which: sum(w for w, *k in zip(weights, *which) if all(k))
    no = lambda flags: [not flag for flag in flags]
    hits, misses = count(own, guessed), count(own, no(guessed))
    false, right = count(no(own), guessed), count(no(own), no(guessed))
    near(found['accuracy'], (hits + right) / n, f'{data}: accuracy')
    near(found['precision'], hits / (hits + false), f'{data}: precision')
    near(found['recall'], hits / (hits + misses), f'{data}: recall')
    near(found['f1'], 2 * hits / (2 * hits + false + misses), f'{data}: f1')
    near(found['balanced-accuracy'], (hits / (hits + misses) + right / (right + false)) / 2, f'{data}: balanced')
    near(found['matthews'], (hits * right - false * misses) /
         math.sqrt((hits + misses) * (hits + false) * (right + misses) * (right + false)), f'{data}: matthews')
    near(found['cost'], (2 * false + 7 * misses) / n, f'{data}: cost')
    near(found['roc-auc'], auc(scores, own, weights), f'{data}: roc-auc')
    near(found['log-loss'], -sum(w * math.log(p if o else 1 - p) for w, p, o in zip(weights, chances, own)) / n,
         f'{data}: log-loss')
    near(found['brier'], sum(w * (p - o) ** 2 for w, p, o in zip(weights, chances, own)) / n, f'{data}: brier')
    bins = [[0, 0] for _ in range(15)]
    for w, p, o in zip(weights, chances, own):
        bins[min(14, int(p * 15))][0] += w * p
        bins[min(14, int(p * 15))][1] += w * o
    near(found['ece'], sum(abs(a - b) for a, b in bins) / n, f'{data}: ece')


rows = [(random.gauss(0, 1), random.gauss(0, 1), random.randrange(1, 5)) for _ in range(300)]
labels = ['yes' if x + y / 2 + random.gauss(0, 1) > 0.5 else 'no' for x, y, _ in rows]
write('two.vw', ''.join(f"{label} {w} 't{i} |f x:{x} y:{y}\n"
                        for i, (label, (x, y, w)) in enumerate(zip(labels, rows))))
tlu('train', 'two.vw', '-o', 'two.tlu', '--learner', 'logistic', '--quiet')
weights = [w for _, _, w in rows]
check_two('two.tlu', 'two.vw', labels, [1] * 300, 'yes')
check_two('two.tlu', 'two.vw', labels, weights, 'yes', '--weighted')

tlu('train', f'{DATA}/digits-train.svm', '-o', 'digits.tlu', '--learner', 'logistic', '--multiclass', 'wta', '--quiet')
said = predictions('digits.tlu', DIGITS, '--probabilities')
digits = [line.split()[0] for line in open(DIGITS)]
classes = [str(c) for c in range(10)]
found = evaluation('digits.tlu', DIGITS)['metrics']
near(found['log-loss'], -sum(math.log(row['probabilities'][y]) for row, y in zip(said, digits)) / len(said), 'log loss')
near(found['brier'], sum((row['probabilities'][c] - (c == y)) ** 2 for row, y in zip(said, digits) for c in classes)
     / len(said), 'Brier')
near(found['roc-auc'], sum(auc([row['scores'][c] for row in said], [y == c for y in digits], [1] * len(said))
                           for c in classes) / 10, 'AUC of ten classes')
rank = lambda row, y: sum(row['scores'][c] > row['scores'][y] for c in classes)
near(found['top-5'], sum(rank(row, y) < 5 for row, y in zip(said, digits)) / len(said), 'top 5')
# Metrics by name have the form of the summary.
lines = dict(line.split(None, 1) for line in
             tlu('eval', 'digits.tlu', DIGITS, '--metric', 'top-2, f1-macro,f1,cost,roc-auc,accuracy', '--costs',
                 write('costs', '\n'.join(' '.join(str(abs(a - b)) for b in range(10)) for a in range(10)))).splitlines())
percent = lambda share: f'{100 * share:.2f}%'
equal(lines['top-2'], percent(sum(rank(row, y) < 2 for row, y in zip(said, digits)) / len(said)), 'top 2')
equal(lines['cost'], f'{sum(abs(int(row["label"]) - int(y)) for row, y in zip(said, digits)) / len(said):.6g} per row', 'cost')
equal(lines['f1-macro'], percent(found['f1-macro']), 'f1-macro')
equal(lines['f1'], percent(found['f1-macro']) + ' (the mean of the classes)', 'f1')
equal(lines['roc-auc'], f'{found["roc-auc"]:.4f}', 'roc-auc')
correct = sum(row['label'] == y for row, y in zip(said, digits))
equal(lines['accuracy'], f'{percent(correct / len(said))} ({correct} of {len(said)} rows)', 'accuracy')
equal(tlu('eval', 'digits.tlu', DIGITS, '--metric', 'accuracy'), tlu('eval', 'digits.tlu', DIGITS).splitlines(True)[0],
      'accuracy as in the summary')

# A class that has no rows: no ROC curve, and not in the means.
eight = ''.join(line for line in open(DIGITS) if line[0] not in '89')
found = evaluation('digits.tlu', '-', stdin=eight)
equal(found['metrics']['roc-auc'], None, 'AUC without rows of a class')
met = [c for i, c in enumerate(found['per_class']) if c['support'] or any(r[i] for r in found['confusion'])]
near(found['metrics']['f1-macro'], sum(c['f1'] for c in met) / len(met), 'f1 of the classes that were met')
equal(tlu('eval', 'digits.tlu', '-', '--metric', 'roc-auc', stdin=eight).split(None, 1)[1],
      'not defined for these rows\n', 'AUC without rows of a class')

# What is not there for want of something else says of what; all right is 1 and not nearly so.
write('right.svm', 98 * 'a 1:1\n' + 53 * 'b 2:1\n' + 49 * 'c 3:1\n')
tlu('train', 'right.svm', '-o', 'right.tlu', '--quiet')
lines = dict(line.split(None, 1) for line in tlu('eval', 'right.tlu', 'right.svm', '--metric', 'all').splitlines())
equal(lines['cost'], 'needs --costs', 'cost without costs')
for name in 'log-loss', 'brier', 'ece':
    equal(lines[name], 'needs a model with probabilities', name)
equal(evaluation('right.tlu', 'right.svm')['metrics']['matthews'], 1, 'all right')
if not tlu('eval', 'right.tlu', 'right.svm', '--errors', 3).endswith('\nerrors    none\n'):
    complain('eval --errors without errors')

# ---- errors

def check_errors(model, data, texts, labels, *options, stdin=None, lines=None, binary=False):
    """The wrong rows, by the scores that predict prints."""
    said = predictions(model, data, *options, stdin=stdin)
    wrong = []
    for i, (row, label) in enumerate(zip(said, labels)):
        if row['label'] != label:
            margin = row['score'] - row['scores'][label] if 'scores' in row else row['score']
            wrong.append((-margin, i))
    wrong.sort()
    if len(wrong) < 4:
        complain(f'{data}: only {len(wrong)} wrong rows')
    for n in 1, 3, len(wrong), 1000:
        found = evaluation(model, data, '--errors', n, *options, stdin=stdin)['wrong']
        equal([row['row'] for row in found], [i + 1 for _, i in wrong[:n]], f'{data}: {n} errors')
    for row in found:
        i = row['row'] - 1
        equal(row['text'], None if binary else texts[i], f'{data}: text of row {i + 1}')
        equal(row['line'], lines[i] if lines else i + 1, f'{data}: line of row {i + 1}')
        equal((row['label'], row['predicted']), (labels[i], said[i]['label']), f'{data}: labels of row {i + 1}')
        near(row['score'], said[i]['score'], f'{data}: score')
    return found


vw = open('two.vw').read()
found = check_errors('two.tlu', 'two.vw', vw.splitlines(), labels)
for row in found:  # all pushes are there: they add up to the score
    near(sum(push['push'] for push in row['pushes']), row['score'], 'pushes')
    near(row['probability'], 1 / (1 + math.exp(-row['score'])), 'probability')
check_errors('two.tlu', '-', vw.splitlines(), labels, stdin=vw)
with gzip.open('two.vw.gz', 'wt') as file:
    file.write('\n' + vw.replace('\n', '\r\n'))
check_errors('two.tlu', 'two.vw.gz', vw.splitlines(), labels, lines=range(2, 302))
check_errors('digits.tlu', DIGITS, open(DIGITS).read().splitlines(), digits)
tlu('convert', DIGITS, '--to', 'binary', '-o', 'digits.bin')
check_errors('digits.tlu', 'digits.bin', None, digits, binary=True)

# CSV: rows of several lines, comments, many chunks.
out = io.StringIO()
writer = csv.writer(out, lineterminator='\n')
texts, at, line = [], [], 2
for i, (x, y, _) in enumerate(rows * 40):
    before = out.tell()
    writer.writerow([f'row\n{i}, "so"' if i % 3 == 0 else f'r{i}', x, y, labels[i % 300]])
    texts.append(out.getvalue()[before:-1] if i < 0 else None)
    at.append((before, out.tell(), line))
    line += 2 if i % 3 == 0 else 1
whole = out.getvalue()
texts = [whole[a:b - 1] for a, b, _ in at]
write('large.csv', 'name,x,y,label\n' + whole)
tlu('train', 'large.csv', '--ignore', 'name', '-o', 'large.tlu', '--quiet')
for threads in 1, 4:
    check_errors('large.tlu', 'large.csv', texts, labels * 40, '--threads', threads, lines=[l for _, _, l in at])
found = predictions('large.tlu', 'large.csv', '--id', 'name')
equal([row['id'] for row in found], [f'row\n{i}, "so"' if i % 3 == 0 else f'r{i}' for i in range(12000)], 'ids')
equal(found, predictions('large.tlu', 'large.csv', '--id', 1, '--threads', 1), 'ids by one thread')

jsonl = ''.join(json.dumps({'id': i if i % 2 else f'é {i}', 'features': {'x': x, 'y': y}, 'label': label}) + '\n'
                for i, ((x, y, _), label) in enumerate(zip(rows, labels)))
tlu('train', write('two.jsonl', jsonl), '-o', 'jsonl.tlu', '--quiet')
check_errors('jsonl.tlu', 'two.jsonl', jsonl.splitlines(), labels)

# As a table, whose columns are aligned: each cell is what JSON has.
def check_table(model, data, columns, width=None):
    if width:
        os.environ['COLUMNS'] = str(width)
    text = tlu('eval', model, data, '--metric', 'accuracy', '--errors')
    os.environ.pop('COLUMNS', None)
    wrong = evaluation(model, data, '--errors', 10)['wrong']
    _, title, _, names, *lines = text.splitlines()[1:]
    if not title.startswith(f'errors    {len(wrong)} of '):
        complain(title)
    if max(map(len, [names] + lines)) > (width or 80):
        complain(f'{model}: wider than {width or 80}: {text}')
    edges, cells = [], names
    for column in columns:  # numbers end where their heading does, labels begin there
        edges.append((names.index(column), names.index(column) + len(column)))
    last = names.index(columns[-1])
    for line in [line for line in lines if line[:last].strip()]:
        row = wrong.pop(0)
        found = line[:last].split()
        expected = [str(row['line']), row['label'], row['predicted'], f'{row["score"]:.4g}']
        if 'margin' in columns:
            expected.append(f'{row["margin"]:.4g}')
        if 'probability' in columns:
            expected.append(f'{row["probability"]:.4f}')
        equal(found, expected, f'{model}: the cells of line {row["line"]}')
        for cell, column, (begin, end) in zip(found, columns, edges):
            place = line.index(cell, begin) == begin if column in ('true', 'predicted') else line[:end].endswith(cell)
            if not place or line[end:end + 1].strip() and column not in ('true', 'predicted'):
                complain(f'{model}: {cell} is not below {column}: {names} / {line}')
    equal(wrong, [], f'{model}: rows that are not in the table')
    return names, [line[last:] for line in lines]


names, lines = check_table('two.tlu', 'two.vw', ['line', 'true', 'predicted', 'score', 'probability', 'row'])
row = evaluation('two.tlu', 'two.vw', '--errors', 1)['wrong'][0]
text, told = row['text'], row['pushes'][0]
if text.startswith(row['label'] + ' '):
    text = text[len(row['label']) + 1:]
width = 80 - names.index('row')
equal(lines[0], text if len(text) <= width else text[:width - 3] + '...', 'the row')
equal(lines[1].split(',')[0], f'{told["feature"]}={told["value"]:g} {told["push"]:+.3g}', 'a contribution')
equal(len(lines), 20, 'two lines for each of ten rows')
names, lines = check_table('digits.tlu', DIGITS, ['line', 'true', 'predicted', 'score', 'margin', 'probability', 'main'], 200)
equal(len(lines), 10, 'a line for each of ten rows of LIBSVM')
told = evaluation('digits.tlu', DIGITS, '--errors', 1)['wrong'][0]['pushes']
equal(lines[0], ', '.join(push['feature'] + ('' if push['feature'] == '(bias)' or push['value'] == 1 else f'={push["value"]:g}')
                          + f' {push["push"]:+.3g}' for push in told), 'five contributions')
# A label at the start of a row is left out, also fastText's; tabs and line ends are blanks.
write('ham.txt', ''.join(f'{label}\tfree {word}\tmoney\n' for label, word in (('ham', 'win'), ('spam', 'win'), ('ham', 'no')) * 4))
tlu('train', 'ham.txt', '-o', 'ham.tlu', '--quiet', '--learner', 'perceptron', '--format', 'text')
write('ham.fast', '__label__spam free no money\n')
for name, row in (('ham.txt', 'free win money'), ('ham.fast', 'free no money')):
    text = tlu('eval', 'ham.tlu', name, '--errors', '1', '--format', 'text' if name == 'ham.txt' else 'fasttext')
    if not text.splitlines()[-2].endswith('  ' + row):
        complain(f'{name}: {text}')
# A row of a kernel has no contributions.
tlu('train', 'two.vw', '-o', 'rbf.tlu', '--quiet', '--learner', 'perceptron', '--kernel', 'rbf:1', '--epochs', 1)
text = tlu('eval', 'rbf.tlu', 'two.vw', '--errors', 2)
if 'contributions' in text or len(text.split('errors    ')[1].splitlines()) != 5:
    complain(f'a kernel: {text}')
refused("--errors is a whole number from 0 to 1000000, not 'x'", 'eval', 'two.tlu', 'two.vw', '--errors=x')

# ---- ids

equal([row['id'] for row in predictions('jsonl.tlu', 'two.jsonl', '--id', 'id')],
      [str(i) if i % 2 else f'é {i}' for i in range(300)], 'ids of JSON lines')
equal([line.split('\t')[0] for line in tlu('predict', 'two.tlu', 'two.vw', '--id', 'tag').splitlines()],
      [f't{i}' for i in range(300)], 'tags')
equal(tlu('predict', 'jsonl.tlu', '-', '--id', 'key', stdin='{"features":{"x":9},"key":"a\\tb\\\\"}\n{"features":{"x":9}}\n'),
      'a\\tb\\\\\tyes\n\tyes\n', 'an id with a tab, and none')
refused("has no column 'size' for --id", 'predict', 'large.tlu', 'large.csv', '--id', 'size')
refused('in which rows have no --id', 'predict', 'digits.tlu', DIGITS, '--id', '1')
refused('in which rows have no --id', 'predict', 'digits.tlu', 'digits.bin', '--id', '1')

# ---- curves

def points(path):
    with open(path, newline='') as file:
        return list(csv.DictReader(file))


tlu('eval', 'two.tlu', 'two.vw', '--curve', 'pr', 'pr.csv')
tlu('eval', 'two.tlu', 'two.vw', '--weighted', '--curve', 'roc', 'roc.csv', '--quiet')
said = predictions('two.tlu', 'two.vw')
scores = [row['score'] if row['label'] == 'yes' else -row['score'] for row in said]
found = points('pr.csv')
equal(len(found), len(set(scores)) + 1, 'points of precision and recall')
for point in found[:-1]:
    above = [label for s, label in zip(scores, labels) if s >= float(point['threshold'])]
    near(float(point['precision']), above.count('yes') / len(above), 'precision')
    near(float(point['recall']), above.count('yes') / labels.count('yes'), 'recall')
equal(found[-1], {'threshold': 'inf', 'precision': '1', 'recall': '0'}, 'the last point')
for point in points('roc.csv'):
    for which, column in ('yes', 'tpr'), ('no', 'fpr'):
        of = [(w, s) for w, s, label in zip(weights, scores, labels) if label == which]
        near(float(point[column]), sum(w for w, s in of if s >= float(point['threshold'])) / sum(w for w, _ in of), column)
tlu('eval', 'digits.tlu', DIGITS, '--curve', 'roc', 'ten.csv')
equal(sorted({point['class'] for point in points('ten.csv')}), classes, 'classes of the curves')

# ---- cv, compare, --holdout

found = parsed(tlu('cv', IRIS, '-k', 3, '--metric', 'f1-macro', '--json'))
values = [fold['f1-macro'] for fold in found['folds']]
equal(found['metric'], 'f1-macro', 'metric of cv')
near(found['mean'], sum(values) / 3, 'mean of cv')
equal(parsed(tlu('cv', IRIS, '-k', 3, '--metric', 'accuracy', '--json'))['accuracy'],
      parsed(tlu('cv', IRIS, '-k', 3, '--json'))['accuracy'], 'accuracy of cv')
for metric, better in ('balanced-accuracy', max), ('cost', min):
    found = parsed(tlu('compare', WEATHER, '--metric', metric, '--costs', '1:3', '--json'))
    values = [round(learner[metric], 12) for learner in found['learners'] if learner[metric] is not None]
    equal(values, sorted(values, reverse=better is max), f'order of learners by {metric}')
    near(values[0], better(values), f'best {metric}')
    equal(found['pick'], found['learners'][0]['learner'], 'the pick')
    if '--metric' in found['command']:
        complain('compare: train has no use for --metric')
for metric, better in ('roc-auc', max), ('cost', min), ('log-loss', min), ('f1', max), ('accuracy', max):
    for options in [], ['--decide', 'last'], ['--kernel', 'poly:2', '--epochs', '5']:
        found = parsed(tlu('train', 'two.vw', '-o', 'held.tlu', '--learner', 'logistic', '--holdout', '0.4', '--metric',
                           metric, '--costs', '1:9', '--patience', '5', '--json', *options))
        values = found['held_out_values' if metric != 'accuracy' else 'held_out_accuracy']
        equal(found['best_epoch'], values.index(better(values)) + 1, f'best pass by {metric} {options}')
plain = tlu('train', 'two.vw', '-o', 'plain.tlu', '--holdout', '0.4', '--json')
same = tlu('train', 'two.vw', '-o', 'same.tlu', '--holdout', '0.4', '--metric', 'accuracy', '--json')
equal(parsed(plain)['held_out_accuracy'], parsed(same)['held_out_accuracy'], '--metric accuracy')
# Its value is that of the model on the rows held out: with all of them, that of eval on the data.
found = parsed(tlu('train', 'two.vw', '-o', 'vote.tlu', '--learner', 'perceptron', '--decide', 'vote', '--holdout', '0.5',
                   '--metric', 'roc-auc', '--json'))
if not all(0 <= value <= 1 for value in found['held_out_values']):
    complain(f'AUC of votes: {found["held_out_values"]}')

# ---- what is refused

refused("there is no metric 'acuracy'; did you mean accuracy?", 'eval', 'two.tlu', 'two.vw', '--metric', 'acuracy')
refused('did you mean f1-macro?', 'cv', IRIS, '--metric', 'f1-makro')
refused('did you mean roc-auc?', 'compare', IRIS, '--metric', 'roc_auc')
refused("there is no metric 'top-0'", 'train', IRIS, '-o', 'x.tlu', '--holdout', '0.5', '--metric', 'top-0')
refused('needs --costs', 'eval', 'two.tlu', 'two.vw', '--metric', 'cost')
refused('needs --costs', 'train', 'two.vw', '-o', 'x.tlu', '--holdout', '0.5', '--metric', 'cost')
tlu('train', 'two.vw', '-o', 'pa.tlu', '--learner', 'pa', '--quiet')
refused('log-loss needs probabilities', 'eval', 'pa.tlu', 'two.vw', '--metric', 'log-loss')
refused('log-loss needs probabilities', 'cv', 'two.vw', '--learner', 'pa', '--metric', 'log-loss')
refused('after each pass', 'train', 'two.vw', '--learner', 'pa', '-o', 'x.tlu', '--holdout', '0.5', '--metric', 'ece')
refused('--decide random', 'train', 'two.vw', '--learner', 'perceptron', '--decide', 'random', '-o', 'x.tlu', '--holdout',
        '0.5', '--metric', 'f1')
refused('two classes, and there are 10', 'eval', 'digits.tlu', DIGITS, '--metric', 'cost', '--costs', '1:2')
refused('costs:1: has 10 costs, and there are 2 classes', 'eval', 'two.tlu', 'two.vw', '--costs', 'costs')
refused('has 1 lines of costs', 'eval', 'two.tlu', 'two.vw', '--costs', write('short', '0 1\n'))
refused("short:2:3: a cost is a number, 0 or more, not '-1'", 'eval', 'two.tlu', 'two.vw', '--costs',
        write('short', '0 1\n1 -1\n'))
refused('a cost is 0 or more', 'eval', 'two.tlu', 'two.vw', '--costs=-1:2')
refused('--costs is FP:FN or a file', 'eval', 'two.tlu', 'two.vw', '--costs', 'much')
refused('--curve is one of roc|pr', 'eval', 'two.tlu', 'two.vw', '--curve', 'lift', 'x.csv')
refused('--curve needs a value: --curve roc|pr FILE', 'eval', 'two.tlu', 'two.vw', '--curve', 'roc')
refused('two.vw', 'eval', 'two.tlu', 'two.vw', '--curve', 'roc', 'two.vw')
refused('not defined on the rows that are held out', 'train', '-', '-o', 'x.tlu', '--holdout', '0.1', '--metric', 'roc-auc',
        stdin='a 1:1\n' * 20 + 'b 1:-1\n')
PYTHON
