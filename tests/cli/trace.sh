# tlu trace, against the tables of the lecture notes and what plain Python makes of the same rules.
. "$TLU_SOURCE/tests/prelude.sh"
need python3
exec python3 - <<'PYTHON'
import csv, io, re
from prelude import *

# ---- trace: the tables of the notes ----

def svm(rows):  # [(label, (x1, x2, ...))]
    return ''.join(f'{y} ' + ' '.join(f'{i}:{v}' for i, v in enumerate(x, 1)) + '\n' for y, x in rows)


# (x, d, w before, b before, score, predicted, updated, w after, b after), a line each.
# Palagi, "Logical OR": w and b after i = 1, 2, 4 are printed there; then a pass without an update.
OR = [
    ((-1, 1), 1, (0, 0), 0, 0, 1, True, (-1, 1), 1),
    ((1, -1), 1, (-1, 1), 1, -1, -1, True, (0, 0), 2),
    ((1, 1), 1, (0, 0), 2, 2, 1, False, (0, 0), 2),
    ((-1, -1), -1, (0, 0), 2, 2, 1, True, (1, 1), 1),
    ((-1, 1), 1, (1, 1), 1, 1, 1, False, (1, 1), 1),
    ((1, -1), 1, (1, 1), 1, 1, 1, False, (1, 1), 1),
    ((1, 1), 1, (1, 1), 1, 3, 1, False, (1, 1), 1),
    ((-1, -1), -1, (1, 1), 1, -1, -1, False, (1, 1), 1),
]
# Honavar, "Perceptron learning algorithm - Example": seven rows. The bias is the notes' first weight;
# sign(0) is -1 there, so --tie negative; eta = 1/2 times (d - y) = 2 is a rate of 1.
SEVEN = [
    ((1, 1), 1, (0, 0), 0, 0, -1, True, (1, 1), 1),
    ((1, -1), 1, (1, 1), 1, 1, 1, False, (1, 1), 1),
    ((0, -1), 1, (1, 1), 1, 0, -1, True, (1, 0), 2),
    ((-1, -1), -1, (1, 0), 2, 1, 1, True, (2, 1), 1),
    ((-1, 1), -1, (2, 1), 1, 0, -1, False, (2, 1), 1),
    ((0, 1), -1, (2, 1), 1, 2, 1, True, (2, 0), 0),
    ((1, 1), 1, (2, 0), 0, 2, 1, False, (2, 0), 0),
]


def tuple_of(text):  # "(1, -1)" or LaTeX's "$(1, -1)$"
    return tuple(float(part) for part in text.strip('$()').split(','))


def from_cells(cells):  # step pass line example label w b score predicted update w' b'
    number = [cell.strip('$') for cell in cells]
    return (tuple_of(cells[3]), int(number[4]), tuple_of(cells[5]), float(number[6]),
            float(number[7]), int(number[8]), {'yes': True, 'no': False}[cells[9]],
            tuple_of(cells[10]), float(number[11])), tuple(int(text) for text in number[:3])


def check_table(name, data, table, *options):
    rows = len({x for x, *_ in table})
    places = [(i + 1, i // rows + 1, i % rows + 1) for i in range(len(table))]

    def check(found, form):
        equal([values for values, _ in found], table, f'{name} as {form}')
        equal([place for _, place in found], places, f'steps of {name} as {form}')

    call = ['trace', data, '--no-shuffle', '--steps', len(table), *options, '--as']
    lines = tlu(*call, 'text').splitlines()
    cells = [re.findall(r'\([^)]*\)|[^ ]+', line) for line in lines]
    equal(lines[0].split(), 'step pass line example (x1, x2) label w b score predicted update '
          'w after b after'.split(), f'heading of {name}')
    check([from_cells(c) for c in cells[1:]], 'text')
    if len({len(line.rstrip()) for line in lines}) != 1:
        complain(f'{name} as text is not aligned')

    lines = tlu(*call, 'markdown').splitlines()
    cells = [[c.strip() for c in line.strip('|').split('|')] for line in lines]
    equal(set(''.join(cells[1])), set('-:'), f'rule of {name} as markdown')
    equal({len(c) for c in cells}, {12}, f'columns of {name} as markdown')
    check([from_cells(c) for c in cells[2:]], 'markdown')

    lines = tlu(*call, 'latex').splitlines()
    equal((lines[0][:15], lines[-1], lines[3]), (r'\begin{tabular}', r'\end{tabular}', r'\hline'),
          f'{name} as latex')
    body = [line for line in lines if line.endswith(r' \\')]
    cells = [[c.strip() for c in line[:-3].split('&')] for line in body]
    check([from_cells(c) for c in cells[1:]], 'latex')

    found = []
    for row in csv.DictReader(io.StringIO(tlu(*call, 'csv'))):
        pair = lambda key: (float(row[f'{key} x1']), float(row[f'{key} x2']))
        found.append(((pair('example'), int(row['label']), pair('w'), float(row['b']),
                       float(row['score']), int(row['predicted']), row['update'] == 'yes',
                       pair('w after'), float(row['b after'])),
                      (int(row['step']), int(row['pass']), int(row['line']))))
    check(found, 'csv')

    found, w, b = [], (0, 0), 0
    for step in parsed(tlu(*call, 'json'), name)['steps']:
        after = (step['weights']['1']['1'], step['weights']['1']['2'])
        found.append((((step['example']['1'], step['example']['2']), int(step['label']), w, b,
                       step['scores']['1'], int(step['predicted']), step['updated'], after,
                       step['bias']['1']), (step['step'], step['pass'], step['line'])))
        w, b = after, step['bias']['1']
    check(found, 'json')


write('or.svm', svm([(y, x) for x, y, *_ in OR[:4]]))
write('seven.svm', svm([(y, x) for x, y, *_ in SEVEN[:6]]))
check_table('the OR example', 'or.svm', OR)
check_table('the seven rows', 'seven.svm', SEVEN, '--tie', 'negative')

result = parsed(tlu('trace', 'or.svm', '--no-shuffle', '--as', 'json'), 'or')
equal([result[key] for key in 'learner cut epochs updates stopped'.split()],
      ['perceptron', False, 2, 3, 'converged'], 'the end of the OR example')
equal(len(result['steps']), 8, 'steps of the OR example')
done = run('trace', 'or.svm', '--no-shuffle', '--steps', 3)
equal(len(done.stdout.splitlines()), 4, 'lines of three steps')
if 'first 3 steps' not in done.stderr:
    complain(f'trace does not tell that it was cut: {done.stderr}')
equal(run('trace', 'or.svm', '--no-shuffle', '--steps', 8).stderr.count('--steps'), 0, 'not cut')
equal(tlu('trace', '-', '--no-shuffle', stdin=open('or.svm').read()),
      tlu('trace', 'or.svm', '--no-shuffle'), 'trace of standard input')


# Lines are those of the file, after a header, comments and empty lines.
write('lines.csv', '# days\nx,y\n\n1,a\n2,b\n\n\n3,a\n')
found = parsed(tlu('trace', 'lines.csv', '--epochs', 1, '--as', 'json'), 'lines')['steps']
equal([(s['row'], s['line'], s['label']) for s in found], [(1, 4, 'a'), (2, 5, 'b'), (3, 8, 'a')],
      'lines')

# ---- trace: several classes, the training rule of the Honavar notes' winner-take-all group ----

WTA = [('c', (1, -1)), ('a', (-1, -1)), ('b', (1, 1)), ('c', (2, -1)), ('a', (-2, 0)), ('b', (0, 2))]


def winner_takes_all(rows, passes):
    w, steps = {label: [0, 0, 0] for label in 'abc'}, []
    for _ in range(passes):
        for label, x in rows:
            scores = {k: sum(a * b for a, b in zip(w[k], (1, *x))) for k in w}
            best = [k for k in w if scores[k] == max(scores.values())]
            if best != [label]:
                w[label] = [a + b for a, b in zip(w[label], (1, *x))]
                if len(best) == 1:
                    w[best[0]] = [a - b for a, b in zip(w[best[0]], (1, *x))]
            steps.append((label, scores, best[0], best != [label], {k: v[:] for k, v in w.items()}))
    return steps


write('wta.svm', svm(WTA))
found = parsed(tlu('trace', 'wta.svm', '--no-shuffle', '--epochs', 3, '--as', 'json'), 'wta')['steps']
expected = winner_takes_all(WTA, 3)[:len(found)]
equal([(s['label'], s['scores'], s['predicted'], s['updated'],
        {k: [s['bias'][k], s['weights'][k]['1'], s['weights'][k]['2']] for k in 'abc'})
       for s in found], expected, 'winner takes all')
if sum(s[3] for s in expected) < 4:
    complain('the example of several classes has too few updates')
heading = tlu('trace', 'wta.svm', '--as', 'csv', '--steps', 1).splitlines()[0].split(',')
for column in ('score a', 'score b', 'score c', 'w a x1', 'b c'):
    if column not in heading:
        complain(f'no column {column} in {heading}')
# One versus one: a column a pair, positive for the later label.
found = parsed(tlu('trace', 'wta.svm', '--no-shuffle', '--multiclass', 'ovo', '--steps', 1, '--as',
                   'json'), 'ovo')['steps'][0]
equal((found['bias'], found['weights']['c/a']),
      ({'b/a': 0, 'c/a': 1, 'c/b': 1}, {'1': 1, '2': -1}), 'one versus one')

# The dual form: alphas, from which the weights come.
dual = parsed(tlu('trace', 'or.svm', '--no-shuffle', '--kernel', 'linear', '--as', 'json'), 'dual')
for step, (x, y, w, b, score, guess, updated, after, bias) in zip(dual['steps'], OR):
    alphas = [step['alphas']['1'][str(i + 1)] for i in range(4)]
    total = tuple(sum(a * OR[i][0][k] for i, a in enumerate(alphas)) for k in range(2))
    equal((step['scores']['1'], step['updated'], total, step['bias']['1']),
          (score, updated, after, bias), f'the dual form at step {step["step"]}')

refused('makes no updates that a trace could show', 'trace', 'or.svm', '--learner', 'rocchio')
refused('cannot open', 'trace', 'absent.svm')

# XOR never ends, and is told so.
write('xor.csv', 'x1,x2,y\n0,0,-1\n0,1,1\n1,0,1\n1,1,-1\n')
result = parsed(tlu('train', '--learner', 'perceptron', 'xor.csv', '-o', 'xor.tlu', '--no-shuffle', '--epochs', 1000, '--json'),
                'xor')
equal((result['stopped'], result['converged']), ('cycle', False), 'xor')
w, seen, length = (0, 0, 0), [], 0
while not length:
    for x, y in (((1, 0, 0), -1), ((1, 0, 1), 1), ((1, 1, 0), 1), ((1, 1, 1), -1)):
        if y * sum(a * b for a, b in zip(w, x)) <= 0:
            w = tuple(a + y * b for a, b in zip(w, x))
    if w in seen:
        length = len(seen) - seen.index(w)
    seen.append(w)
equal(result['cycle'], length, "the length of xor's cycle")
equal((result['progressive_error'], result['training_error'], result['bound']),
      (result['mistakes'][0] / 4, result['mistakes'][-1] / 4, None), 'the errors of xor')
if 'cycle' not in tlu('inspect', 'xor.tlu') or 'repeat' not in run(
        'train', '--learner', 'perceptron', 'xor.csv', '-o', 'xor.tlu', '--no-shuffle', '--epochs', 1000).stderr:
    complain('nobody tells about the cycle')

# The last pass is one without a mistake and without an update: passive-aggressive goes on where it
# is right by less than 1.
pairs = [((1, 0), 1), ((1, 1), -1)]  # each step takes half of the other row's margin away
write('pa.svm', ''.join(f'{y} 1:{x[0]} 2:{x[1]}\n' for x, y in pairs))
result = parsed(tlu('train', '--learner', 'perceptron', 'pa.svm', '-o', 'pa.tlu', '--learner', 'pa', '--no-shuffle', '--no-bias',
                    '--epochs', 8, '--decide', 'last', '--json'), 'pa')
w, passes, done = [0.0, 0.0], [], False
while not done and len(passes) < 8:
    wrong = updates = 0
    for x, y in pairs:
        m = y * (w[0] * x[0] + w[1] * x[1])
        wrong += m <= 0
        if m < 1:
            updates += 1
            tau = (1 - m) / (x[0] ** 2 + x[1] ** 2)
            w = [w[0] + tau * y * x[0], w[1] + tau * y * x[1]]
    passes.append(wrong)
    done = not wrong and not updates
equal((result['mistakes'], result['converged']), (passes, done), 'the passes of pa')
if 0 not in passes[:-1]:
    complain(f'pa: no pass without a mistake before the last: {passes}')
if 'without a mistake and without a change of weights' not in ' '.join(tlu('train', '--help').split()):
    complain('--help does not say which pass is the last')
PYTHON
