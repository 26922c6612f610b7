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
    ((-1, 1), 1, (0, 0), 0, 0, 'tie', True, (-1, 1), 1),
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
    ((1, 1), 1, (0, 0), 0, 0, '-1 (tie)', True, (1, 1), 1),
    ((1, -1), 1, (1, 1), 1, 1, 1, False, (1, 1), 1),
    ((0, -1), 1, (1, 1), 1, 0, '-1 (tie)', True, (1, 0), 2),
    ((-1, -1), -1, (1, 0), 2, 1, 1, True, (2, 1), 1),
    ((-1, 1), -1, (2, 1), 1, 0, '-1 (tie)', False, (2, 1), 1),
    ((0, 1), -1, (2, 1), 1, 2, 1, True, (2, 0), 0),
    ((1, 1), 1, (2, 0), 0, 2, 1, False, (2, 0), 0),
]


def tuple_of(text):  # "(1, -1)" or LaTeX's "$(1, -1)$"
    return tuple(float(part) for part in text.strip('$()').split(','))


def prediction(text):
    return text if 'tie' in text else int(text)


def from_cells(cells):  # step pass line example label w b score predicted update w' b'
    number = [cell.strip('$') for cell in cells]
    return (tuple_of(cells[3]), int(number[4]), tuple_of(cells[5]), float(number[6]),
            float(number[7]), prediction(number[8].replace('~\x01', ' (')), {'yes': True, 'no': False}[cells[9]],
            tuple_of(cells[10]), float(number[11])), tuple(int(text) for text in number[:3])


def check_table(name, data, table, *options):
    rows = len({x for x, *_ in table})
    places = [(i + 1, i // rows + 1, i % rows + 1) for i in range(len(table))]

    def check(found, form):
        equal([values for values, _ in found], table, f'{name} as {form}')
        equal([place for _, place in found], places, f'steps of {name} as {form}')

    call = ['trace', data, '--no-shuffle', '--steps', len(table), *options, '--as']
    lines = tlu(*call, 'text').splitlines()
    cells = [re.findall(r'\([^)]*\)|[^ ]+', line.replace(' (tie)', '~(tie)').replace('~(', '~\x01'))
             for line in lines]
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
                       float(row['score']), prediction(row['predicted']), row['update'] == 'yes',
                       pair('w after'), float(row['b after'])),
                      (int(row['step']), int(row['pass']), int(row['line']))))
    check(found, 'csv')

    found = []
    for step in parsed(tlu(*call, 'json'), name)['steps']:
        before, after = ((step[key]['1']['1'], step[key]['1']['2'])
                         for key in ('weights_before', 'weights_after'))
        said = step['predicted'] + ' (tie)' if '--tie' in options else 'tie'
        found.append((((step['example']['1'], step['example']['2']), int(step['label']), before,
                       step['bias_before']['1'], step['scores']['1'],
                       said if step['tie'] else int(step['predicted']), step['updated'], after,
                       step['bias_after']['1']), (step['step'], step['pass'], step['line'])))
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
    w, steps, rivals = {label: [0, 0, 0] for label in 'abc'}, [], []
    for _ in range(passes):
        for label, x in rows:
            scores = {k: sum(a * b for a, b in zip(w[k], (1, *x))) for k in w}
            best = [k for k in w if scores[k] == max(scores.values())]
            before = {k: v[:] for k, v in w.items()}
            rival = None
            if best != [label]:
                w[label] = [a + b for a, b in zip(w[label], (1, *x))]
                rival = next(k for k in best if k != label)  # of those at a tie, the first
                w[rival] = [a - b for a, b in zip(w[rival], (1, *x))]
            steps.append((label, scores, best[0], best != [label], before, {k: v[:] for k, v in w.items()}))
            rivals.append(rival)
    return steps, rivals


write('wta.svm', svm(WTA))
found = parsed(tlu('trace', 'wta.svm', '--no-shuffle', '--epochs', 3, '--as', 'json'), 'wta')['steps']
expected, rivals = (all[:len(found)] for all in winner_takes_all(WTA, 3))
equal([(s['label'], s['scores'], s['predicted'], s['updated'],
        *({k: [s['bias_' + when][k], s['weights_' + when][k]['1'], s['weights_' + when][k]['2']] for k in 'abc'}
          for when in ('before', 'after')))
       for s in found], expected, 'winner takes all')
if sum(s[3] for s in expected) < 4:
    complain('the example of several classes has too few updates')
heading = tlu('trace', 'wta.svm', '--as', 'csv', '--steps', 1).splitlines()[0].split(',')
for column in ('score a', 'score b', 'score c', 'w a x1', 'b c', 'w a after x1', 'b c after'):
    if column not in heading:
        complain(f'no column {column} in {heading}')
# Kesler: one perceptron that takes the vectors that the steps name, x in the block of the label and -x
# in that of the rival, gets each of them wrong and ends with the weights of all classes.
equal([s['rival'] for s in found], rivals, "the rivals of Kesler's vectors")
long = {k: [0, 0, 0] for k in 'abc'}
for s in found:
    if s['rival']:
        x = (1, s['example']['1'], s['example']['2'])
        dot = {k: sum(a * b for a, b in zip(long[k], x)) for k in long}
        if dot[s['label']] - dot[s['rival']] > 0:
            complain(f"step {s['step']} adds a vector that is right already")
        long[s['label']] = [a + b for a, b in zip(long[s['label']], x)]
        long[s['rival']] = [a - b for a, b in zip(long[s['rival']], x)]
equal(long, expected[-1][5], "the blocks of Kesler's perceptron")
rows = list(csv.DictReader(io.StringIO(tlu('trace', 'wta.svm', '--no-shuffle', '--epochs', 3, '--as', 'csv', '--quiet'))))
equal([row['Kesler'] for row in rows], [f"{s[0]} - {r}" if r else '' for s, r in zip(expected, rivals)], 'Kesler in CSV')
label_alone = parsed(tlu('trace', 'wta.svm', '--no-shuffle', '--tie-update', 'label', '--steps', 1, '--as', 'json'))['steps'][0]
equal((label_alone['updated'], label_alone['rival']), (True, None), 'a step of the label alone is not one of Kesler')
for other in ['--multiclass', 'ovr'], ['--learner', 'pa']:
    if 'rival' in parsed(tlu('trace', 'wta.svm', '--steps', 1, '--as', 'json', *other))['steps'][0]:
        complain(f'{other}: a rival')
# One versus one: a column a pair, positive for the later label.
found = parsed(tlu('trace', 'wta.svm', '--no-shuffle', '--multiclass', 'ovo', '--steps', 1, '--as',
                   'json'), 'ovo')['steps'][0]
equal((found['bias_after'], found['weights_after']['c/a']),
      ({'b/a': 0, 'c/a': 1, 'c/b': 1}, {'1': 1, '2': -1}), 'one versus one')

# The dual form: alphas, from which the weights come.
dual = parsed(tlu('trace', 'or.svm', '--no-shuffle', '--kernel', 'linear', '--as', 'json'), 'dual')
for step, (x, y, w, b, score, guess, updated, after, bias) in zip(dual['steps'], OR):
    for when, weights, constant in (('before', w, b), ('after', after, bias)):
        alphas = [step[f'alphas_{when}']['1'][str(i + 1)] for i in range(4)]
        total = tuple(sum(a * OR[i][1] * OR[i][0][k] for i, a in enumerate(alphas)) for k in range(2))
        equal((step['scores']['1'], step['updated'], total, step[f'bias_{when}']['1']),
              (score, updated, weights, constant), f'the dual form {when} step {step["step"]}')
# Kun: rows 1, 2 and 4 were wrong once each, and the label of the last is -1.
equal((dual['steps'][-1]['alphas_after']['1'], dual['steps'][-1]['signs']['1']),
      ({'1': 1, '2': 1, '3': 0, '4': 1}, {'1': 1, '2': 1, '3': 0, '4': -1}), "Kun's counts and signs")

# ---- trace --mistakes: the table of Cohen's section 3.5, by hand ----

write('c35.csv', 'x1,x2,y\n' + '1,0,1\n' * 3 + '0,1,1\n' + '1,1,1\n' * 3 + '1,0,-1\n0,1,1\n-1,2,-1\n')
call = ['trace', 'c35.csv', '--mistakes', '--no-bias', '--no-shuffle', '--epochs', 1, '--as']
table = parsed(tlu(*call, 'json'), 'c35')
equal([(g['k'], g['row'], g['m_k'], g['c_k'], tuple(g['v'].values()), g['error'], g['probability'])
       for g in table['guesses']],
      [(0, None, 1, 0, (0, 0), 1, 0.1), (1, 1, 3, 3, (1, 0), 1 / 3, 0.3), (2, 4, 4, 4, (1, 1), 0.25, 0.4),
       (3, 8, 2, 2, (0, 1), 0.5, 0.2), (4, 10, 0, 1, (1, -1), None, 0)], "Cohen's table")
# (1,1) is wrong about rows 8 and 10; (1,0) ties at rows 4 and 9 and is wrong about row 8.
equal([g['error_on_all'] for g in table['guesses']][:3], [1, 0.3, 0.2], 'errors on all rows')
equal((list(table['average_3_5'].values()), list(table['average_3_6'].values()), table['steps'], table['mistakes'],
       table['answer']), ([0.7, 0.6], [0.8, 0.5], 10, 4, 'not separable'), "Cohen's averages")
found = list(csv.DictReader(io.StringIO(tlu(*call, 'csv'))))
equal([(row['k'], row['line'], row['m_k'], row['v_k x1'], row['error 1/m_k']) for row in found][2],
      ('2', '5', '4', '1', '0.25'), "Cohen's table as csv")
for form, sign in (('markdown', '| 25.00% |'), ('latex', '$25.00\\%$'), ('text', ' 25.00% ')):
    if sign not in tlu(*call, form) or '(0.7, 0.6)' not in tlu(*call, form):
        complain(f"Cohen's table as {form}")
done = run(*call[:-1])
if 'not separable' not in done.stderr or 'v_k . u' in done.stdout or 'averages differ' not in done.stderr:
    complain(f'the notes of a table: {done.stderr}')
# OR over five passes: c = 0, 1, 2, 17; u = (1, 1 | 1)/sqrt(3), so that v_k . u = k gamma.
table = parsed(tlu('trace', 'or.svm', '--mistakes', '--no-shuffle', '--epochs', 5, '--as', 'json'), 'or')
equal(([g['c_k'] for g in table['guesses']], [g['m_k'] for g in table['guesses']], table['steps'], table['epochs_made']),
      ([0, 1, 2, 17], [1, 1, 2, 16], 20, 2), 'c_k of OR')
for guess, squared, angle in zip(table['guesses'], (0, 3, 4, 3), (None, 70.528779, 54.735610, 0)):
    k = guess['k']
    if guess['squared_length'] != squared or guess['k_R2'] != 3 * k or abs(guess['v_dot_u'] - k / 3 ** 0.5) > 1e-9 \
            or abs(guess['k_gamma'] - k / 3 ** 0.5) > 1e-9 or (angle is not None and abs(guess['angle'] - angle) > 1e-5):
        complain(f'the lemmas of OR: {guess}')
# A rate of 1/2 halves v; two classes alone, one rate, no margin, no kernel.
halved = parsed(tlu('trace', 'or.svm', '--mistakes', '--no-shuffle', '--rate', 0.5, '--as', 'json'), 'or')['guesses'][3]
equal((halved['v'], halved['k_R2']), ({'1': 0.5, '2': 0.5, '(bias)': 0.5}, 9 / 4), 'a rate of 1/2')
refused('needs two classes', 'trace', 'wta.svm', '--mistakes')
refused('not pa1', 'trace', 'or.svm', '--mistakes', '--learner', 'pa1')
refused('constant rate', 'trace', 'or.svm', '--mistakes', '--rate', '0.5:2')
refused('remove it', 'trace', 'or.svm', '--mistakes', '--margin', 1)
refused('remove it', 'trace', 'or.svm', '--mistakes', '--kernel', 'linear')
refused('same rate', 'trace', 'or.svm', '--mistakes', '--class-weight', '1=2')

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
if 'repeat' not in tlu('inspect', 'xor.tlu') or 'repeat' not in run(
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
if 'after a pass without mistake and update' not in ' '.join(tlu('train', '--help').split()):
    complain('--help does not say which pass is the last')
PYTHON
